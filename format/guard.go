package format

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// guard calls a function of the format; its panic is an error that names the format,
// as that of a codec is one that names the codec.
func (f *Format) guard(call func() error) error {
	var err error
	if panicked := par.Catch(func() error { err = call(); return nil }); panicked != nil {
		return fmt.Errorf("format %s: %w", f.Name, panicked)
	}
	return err
}

// OpenFile opens a value as Open of the format does, and makes a panic an error.
func (f *Format) OpenFile(ctx context.Context, s store.Store, key string, env Env) (inside store.Store, err error) {
	err = f.guard(func() error {
		inside, err = f.File.Open(ctx, s, key, env)
		return err
	})
	return inside, err
}

// guarded is documents of a format whose panics are errors.
type guarded struct {
	of   *Format
	docs translate.Documents
	err  error // why there are none
}

// guardedNodes gives the nodes in a store, or what says why there are none.
func (f *Format) guardedNodes(s store.Store, env Env) translate.Documents {
	g := &guarded{of: f}
	g.err = f.guard(func() error {
		g.docs = f.Folder.Nodes(s, env)
		return nil
	})
	return g
}

func (g *guarded) Format() string { return g.of.Name }

func (g *guarded) Node(ctx context.Context, path string, consolidated bool) (n meta.Node, info store.Info, err error) {
	err = g.call(func() error {
		n, info, err = g.docs.Node(ctx, path, consolidated)
		return err
	})
	return n, info, err
}

func (g *guarded) PutNode(ctx context.Context, path string, n meta.Node, opt store.PutOptions) error {
	return g.call(func() error { return g.docs.PutNode(ctx, path, n, opt) })
}

func (g *guarded) Adapt(m *meta.Array) error {
	return g.call(func() error { return g.docs.Adapt(m) })
}

func (g *guarded) Keys() (keys json.RawMessage) {
	if g.call(func() error { keys = g.docs.Keys(); return nil }) != nil {
		return nil // Adapt or PutNode will say more
	}
	return keys
}

// Expected are the names of the documents that are read for a node.
func (g *guarded) Expected() (names []string) {
	e, ok := g.docs.(translate.Expecter)
	if !ok || g.call(func() error { names = e.Expected(); return nil }) != nil {
		return g.of.Folder.Documents.Nodes
	}
	return names
}

// Gathered is that of the format, nil if it has none.
func (g *guarded) Gathered(ctx context.Context, path string) (m *meta.Group) {
	d, ok := g.docs.(translate.Gatherer)
	if !ok || g.call(func() error { m = d.Gathered(ctx, path); return nil }) != nil {
		return nil
	}
	return m
}

func (g *guarded) call(f func() error) error {
	if g.err != nil {
		return g.err
	}
	return g.of.guard(f)
}
