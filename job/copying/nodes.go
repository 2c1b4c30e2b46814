package copying

import (
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/meta"
)

// Nodes is a format whose groups and arrays the engine makes, and what is special
// about it.
type Nodes struct {
	Format  string        // that nodes of it have, see zarr.Node
	Title   string        // the same in prose
	Options []zarr.Option // make nodes of it
	// Sharded says that chunks can lie in shards, Consolidated that a group can hold
	// the metadata of all nodes below it.
	Sharded, Consolidated bool
	// Knows reports whether programs that read the format have a codec; nil: they
	// have all that the engine writes. Codecs that came from the source, and that
	// readers of the format do not know, give way to the usual ones.
	Knows func(codec meta.Extension) bool
	// Keys gives the chunk keys of the copy, nil for those that the format has by
	// itself, which is also what a nil function means.
	Keys func(a *zarr.Array) (json.RawMessage, error)
	// Fit turns what the copy of an array would be into what the format can be,
	// where that is not what Zarr can be.
	Fit func(spec zarr.ArraySpec, from Source, opts Options) (zarr.ArraySpec, error)
	// Describe changes what arrays say of themselves, by what the groups of the
	// source say of them.
	Describe func(groups map[string]*zarr.Group, specs map[string]zarr.ArraySpec) error
	// Forgets says that the format does not keep all that codecs can be told.
	Forgets bool
	// Headers says why chunks cannot have a header before them, if they cannot.
	Headers string

	made map[string]*zarr.Array // examples, by their specifications; nil: they are made each time
}

// Name is that of the format.
func (f Nodes) Name() string { return f.Format }

// Zarr3 is the format that copies have unless they are asked for in another.
func Zarr3() Nodes {
	f := Nodes{Format: "zarr3", Title: "Zarr v3", Options: []zarr.Option{zarr.As("zarr3")}, Sharded: true, Consolidated: true, Knows: std.Portable}
	f.Keys = func(a *zarr.Array) (json.RawMessage, error) {
		if a.Format() != f.Format {
			return nil, nil
		}
		return a.Metadata().Keys.MarshalJSON()
	}
	return f
}

// Source is the array that a copy is made of.
type Source struct {
	Array *zarr.Array
	Type  dtype.Type // of the copy
	Chunk []int      // the shape of the smallest chunks, nil if they differ
}

// settle checks that an array can be made. Codecs that came from the source, and
// that readers of the other format do not know, give way to the usual ones.
func (f Nodes) settle(spec zarr.ArraySpec, a *zarr.Array, chosen, whole bool) (zarr.ArraySpec, error) {
	err := f.Try(spec)
	// Chunks that are parts of other files have the codecs of those.
	own := whole && a.Format() == f.Format && len(a.Metadata().Transformers) == 0
	if own || chosen || spec.Codecs == nil || err == nil && f.knows(spec.Codecs) {
		return spec, err
	}
	usual := spec
	usual.Codecs = zarr.DefaultCodecs(a.DataType())
	if usualErr := f.Try(usual); usualErr != nil {
		return spec, err // the source's own codecs may do where no others exist
	}
	return usual, nil
}

// knows reports whether other programs have the codecs of a list.
func (f Nodes) knows(codecs json.RawMessage) bool {
	list, err := meta.ParseCodecs(codecs)
	if err != nil || f.Knows == nil {
		return err == nil
	}
	return !slices.ContainsFunc(list, func(c meta.Extension) bool { return !f.Knows(c) })
}
