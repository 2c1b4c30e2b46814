// Package request is what users ask for, as values that can be sent: a copy, a check, or
// statistics of what a URL names. Importing it registers them as jobs of package
// job/spread, so that a process which knows nothing else can do a part of them.
package request

import (
	"context"
	"flag"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/store"
)

// Open is how nodes are opened; the zero value is fine.
type Open struct {
	Workers        int      `json:"workers,omitempty"`
	MaxChunk       int      `json:"max_chunk,omitempty"`
	InFlight       int64    `json:"in_flight,omitempty"` // bytes of chunks that are coded at once
	MaxDocument    int      `json:"max_document,omitempty"`
	NoConsolidated bool     `json:"no_consolidated,omitempty"`
	Allow          []string `json:"allow,omitempty"`
	// Remote is how stores over a network are asked. Its budget is that of a process.
	Remote store.Remote `json:"-"`
	// Plain shows files of a convention as the nodes that they are made of, Resolved as
	// nodes alone, with what links lead to in their places.
	Plain    bool `json:"plain,omitempty"`
	Resolved bool `json:"resolved,omitempty"`
	// Sync makes what is written survive a loss of power.
	Sync bool `json:"sync,omitempty"`
	// Requests and Retries are those of Remote, where it is sent.
	Requests int `json:"requests,omitempty"`
	Retries  int `json:"retries,omitempty"`
	// Flags are those of kinds of formats and conventions that were given, with their
	// values: how nodes are opened, and how copies are made.
	Flags map[string]string `json:"flags,omitempty"`
}

// Options are those of the engine.
func (o Open) Options(kinds kind.List, more ...zarr.Option) []zarr.Option {
	if o.Workers > 0 {
		more = append(more, zarr.Workers(o.Workers))
	}
	if o.MaxChunk > 0 {
		more = append(more, zarr.MaxChunk(o.MaxChunk))
	}
	if o.InFlight > 0 {
		more = append(more, zarr.InFlight(o.InFlight), zarr.NoPartCache())
	}
	if o.MaxDocument > 0 {
		more = append(more, zarr.MaxDocument(o.MaxDocument))
	}
	if o.Sync {
		more = append(more, zarr.Sync())
	}
	if o.NoConsolidated {
		more = append(more, zarr.BypassConsolidated())
	}
	for _, k := range kind.All[kind.Opener](kinds) {
		more = append(more, k.OpenOptions()...)
	}
	if len(o.Allow) > 0 {
		more = append(more, zarr.Allow(o.Allow...))
	}
	remote := o.Remote
	if remote.Requests == 0 {
		remote.Requests = o.Requests
	}
	if remote.Retries == 0 {
		remote.Retries = o.Retries
	}
	return append(more, zarr.Remote(remote))
}

// Find opens what a URL names.
func (o Open) Find(ctx context.Context, kinds kind.List, url string, more ...zarr.Option) (*convention.Subject, error) {
	known := kinds.Conventions()
	if o.Plain {
		known = nil
	}
	s, err := convention.Find(ctx, url, known, o.Options(kinds, more...)...)
	if err != nil || !o.Resolved {
		return s, err
	}
	if err := s.Resolve(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Kinds are those that come along, with the flags as they were given.
func (o Open) Kinds() (kind.List, error) {
	kinds := std.Kinds()
	set := flag.NewFlagSet("", flag.ContinueOnError)
	for _, k := range kind.All[kind.Opener](kinds) {
		k.OpenFlags(set)
	}
	for _, k := range kind.All[kind.Target](kinds) {
		k.FormatFlags(set)
	}
	for _, k := range kind.All[kind.Copier](kinds) {
		k.CopyFlags(set)
	}
	for name, value := range o.Flags {
		if err := set.Set(name, value); err != nil {
			return nil, fmt.Errorf("flag %s: %w", name, err)
		}
	}
	return kinds, nil
}
