package hdmf

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// catalog is the cached schemas of a file, once they were read.
type catalog struct {
	mu   sync.Mutex
	read *schema.Catalog
}

// Catalog makes a catalog of the texts of schemas. tell is called for each that
// could not be read, and for each namespace that cannot be used, which has no
// source then.
func Catalog(texts []SchemaText, tell func(t SchemaText, err error)) *schema.Catalog {
	type key struct{ name, version string }
	sources := map[key]map[string]string{}
	var order []key
	for _, t := range texts {
		k := key{t.Namespace, t.Version}
		if sources[k] == nil {
			sources[k] = map[string]string{}
			order = append(order, k)
		}
		if t.Err != nil {
			tell(t, t.Err)
			continue
		}
		sources[k][t.Source] = t.Text
	}
	c := &schema.Catalog{}
	for _, k := range order {
		if err := c.Add(k.name, k.version, sources[k]); err != nil {
			tell(SchemaText{Namespace: k.name, Version: k.version}, err)
		}
	}
	return c
}

// Schemas reads the cached schemas of the file once. Texts that cannot be used are
// left out and told in the error, beside the catalog of all others. A file without
// schemas has an empty catalog.
func (f *File) Schemas(ctx context.Context) (*schema.Catalog, error) {
	f.schemas.mu.Lock()
	defer f.schemas.mu.Unlock()
	if f.schemas.read != nil {
		return f.schemas.read, nil
	}
	texts, err := f.SchemaTexts(ctx)
	c := Catalog(texts, func(_ SchemaText, problem error) { err = errors.Join(err, problem) })
	if err == nil {
		f.schemas.read = c
	}
	return c, err
}

// All yields all objects of a type, and of types that inherit from it where the
// file's schemas tell, such as "TimeSeries" or "core.TimeSeries". The root may be
// one. Links are not followed: what they lead to is yielded where it is, if it is
// in this file. What cannot be read is yielded as its error, and the iteration goes
// on.
func (f *File) All(ctx context.Context, typ string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		is := f.kinds(ctx, typ)
		if is(f.Root().Type()) && !yield(f.Root(), nil) {
			return
		}
		for m, err := range f.Root().Walk(ctx) {
			switch {
			case err != nil:
				if !yield(nil, err) {
					return
				}
			case m.Object != nil && is(m.Object.Type()):
				if !yield(m.Object, nil) {
					return
				}
			}
		}
	}
}

// kinds gives the function that tells whether a type is the one that is meant. The
// schemas are read when there is a type that is not known yet.
func (f *File) kinds(ctx context.Context, typ string) func(Type) bool {
	known := map[Type]bool{{}: false}
	var all *schema.Catalog
	return func(t Type) bool {
		if is, ok := known[t]; ok {
			return is
		}
		is := t.Name == typ || t.String() == typ
		if !is && t.Name != "" {
			if all == nil {
				all, _ = f.Schemas(ctx) // without them only the names count
			}
			is = inherits(all, t, typ)
		}
		known[t] = is
		return is
	}
}

// inherits reports whether a type is another one by its schema.
func inherits(c *schema.Catalog, t Type, typ string) bool {
	s, err := c.Type(t.Namespace, t.Name)
	if err != nil {
		return false
	}
	dot := strings.LastIndexByte(typ, '.')
	return s.Is(typ[:max(dot, 0)], typ[dot+1:])
}
