// Package source is what a server serves: hierarchies of any format and folders full
// of them, each under a name. Sources are opened when they are first asked for, and
// stay open; what HDMF files and their like say by links is shown as nodes.
//
// A path such as "/a/b" names a node of a source. In a folder of many stores it leads
// through the folder: "/sub/image.tif/0". Nothing is walked: a folder is listed when
// its listing is asked for.
package source

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/kind"
)

// Options say how sources are opened; the zero value is fine.
type Options struct {
	// Open are for all nodes.
	Open []zarr.Option
	// Kinds are the formats and conventions that are known beyond reading them.
	Kinds kind.List
	// Formats are those of files and folders; nil means std.Registry.
	Formats *format.Registry
}

// Set is the sources of a server. Its methods may be called by several goroutines.
type Set struct {
	opt Options

	mu   sync.RWMutex
	list []*Source
}

// NewSet gives an empty set.
func NewSet(o Options) *Set {
	if o.Formats == nil {
		o.Formats = std.Registry()
	}
	o.Open = append(slices.Clip(o.Open), zarr.Formats(o.Formats), zarr.ReadOnly(), zarr.Explicit())
	return &Set{opt: o}
}

// Kinds are those that the set was made with.
func (s *Set) Kinds() kind.List { return s.opt.Kinds }

// Formats are those that the set knows.
func (s *Set) Formats() *format.Registry { return s.opt.Formats }

// Add adds what a URL names. It is opened when it is first asked for. The name "" stands
// for the last element of the URL; one that is taken gets a number.
func (s *Set) Add(name, url string) (*Source, error) {
	if url == "" {
		return nil, errors.New("add a source: the URL is empty")
	}
	if name == "" {
		name = nameOf(url)
	}
	return s.add(name, &Source{url: url, shown: Shown(url)})
}

// AddNode adds a node that is open, and stays so for as long as the set is used. The
// set does not close it.
func (s *Set) AddNode(name string, n zarr.Node) (*Source, error) {
	if n == nil {
		return nil, errors.New("add a source: there is no node")
	}
	if name == "" {
		name = nameOf(n.URL())
	}
	return s.add(name, &Source{given: n, shown: Shown(n.URL())})
}

func (s *Set) add(name string, added *Source) (*Source, error) {
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("add a source: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := func(name string) bool {
		return slices.ContainsFunc(s.list, func(have *Source) bool { return have.name == name })
	}
	added.name = name
	for i := 2; taken(added.name); i++ {
		added.name = fmt.Sprintf("%s-%d", name, i)
	}
	added.set = s
	added.places = map[string]*place{}
	s.list = append(s.list, added)
	return added, nil
}

// All lists the sources in the order in which they were added.
func (s *Set) All() []*Source {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.list)
}

// Find gives the source of a name.
func (s *Set) Find(name string) (*Source, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := slices.IndexFunc(s.list, func(have *Source) bool { return have.name == name })
	if at < 0 {
		return nil, false
	}
	return s.list[at], true
}

// Close gives up all that is open. The set must not be used any more.
func (s *Set) Close() error {
	var errs []error
	for _, src := range s.All() {
		errs = append(errs, src.close())
	}
	return errors.Join(errs...)
}
