package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/refs"
)

// Translator gives arrays that Python is to read the codecs that it has.
type Translator interface {
	// Translates reports whether it is for a codecs list.
	Translates(codecs []meta.Extension) bool
	// Translate changes the document of an array and the references of its chunks,
	// and notes what readers need.
	Translate(ctx context.Context, a *Array) error
}

// Array is an array on its way into a manifest.
type Array struct {
	Path   string      // below the source
	Source *zarr.Array // what its chunks are of
	Meta   *meta.Array // its document in the manifest
	Chunks []Chunk

	work *virtual
}

// Chunk is a stored chunk of an array and where it lies.
type Chunk struct {
	zarr.ChunkInfo
	refs.Reference

	key string // in the manifest, below the array
}

// Note tells something that somebody who reads the copy has to know, once.
func (a *Array) Note(format string, args ...any) {
	a.work.note("%s: %s", a.Path, fmt.Sprintf(format, args...))
}

// Inline makes a value that takes the place of a chunk part of the manifest.
func (a *Array) Inline(c zarr.ChunkInfo, read func() ([]byte, error)) (refs.Reference, error) {
	return a.work.inline(a.Source, c, read)
}

// MaxInline bounds the bytes that become part of manifests.
func (a *Array) MaxInline() int64 { return a.work.opts.Inline }

// portable gives the document of an array with codecs that Python has, and its
// references.
func (v *virtual) portable(ctx context.Context, path string, a *zarr.Array) (*meta.Array, []item, error) {
	out := &Array{Path: path, Source: a, Meta: v.docs[path].Clone(), work: v}
	out.Meta.Keys, _ = forward(out.Meta.Keys)
	out.Meta.Transformers = nil
	i := slices.IndexFunc(v.opts.Translators, func(t Translator) bool { return t.Translates(out.Meta.Codecs) })
	if i < 0 && strange(out.Meta.Codecs) != "" {
		items, err := v.anew(ctx, path, a, out.Meta)
		return out.Meta, items, err
	}
	if i < 0 {
		items, err := v.collect(ctx, path, a)
		return out.Meta, items, err
	}
	for c, err := range v.chunks(ctx, a) {
		if err != nil {
			return nil, nil, err
		}
		out.Chunks = append(out.Chunks, c)
	}
	if err := v.opts.Translators[i].Translate(ctx, out); err != nil {
		return nil, nil, err
	}
	items := make([]item, len(out.Chunks))
	for i, c := range out.Chunks {
		items[i] = item{c.key, c.Reference}
	}
	return out.Meta, items, nil
}
