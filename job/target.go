package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

// target is the format of a copy.
type target struct {
	format             string
	reversed, padEdges bool // of N5
}

var (
	zarr3Target = target{format: "zarr3"}
	zarr2Target = target{format: zarr2.Format}
)

// The formats of copies that are files.
const (
	tiffTarget = "tiff"
	cogTarget  = "cog"
)

// targetOf is what a copy is made as.
func targetOf(opts CopyOptions) (target, error) {
	if opts.Format == n5.Format {
		return target{n5.Format, opts.Reversed, opts.PadEdges}, nil
	}
	t, ok := zarrTarget(opts.Format)
	if !ok {
		return target{}, fmt.Errorf("format %s is not supported here, only zarr3, zarr2, n5, tiff and cog", opts.Format)
	}
	return t, nil
}

// zarrTarget is the version of Zarr with a name.
func zarrTarget(name string) (t target, ok bool) {
	switch name {
	case "", zarr3Target.format:
		return zarr3Target, true
	case zarr2Target.format:
		return zarr2Target, true
	}
	return target{}, false
}

// isN5 reports whether blocks of N5 are written.
func (t target) isN5() bool { return t.format == n5.Format }

// sharded reports whether chunks can lie in shards.
func (t target) sharded() bool { return t == zarr3Target }

// options make nodes of this format.
func (t target) options() []zarr.Option {
	switch {
	case t == zarr2Target:
		return []zarr.Option{zarr.ZarrFormat(2)}
	case !t.isN5():
		return []zarr.Option{zarr.ZarrFormat(3)}
	}
	opts := []zarr.Option{zarr.N5()}
	if t.reversed {
		opts = append(opts, zarr.Reversed())
	}
	if t.padEdges {
		opts = append(opts, zarr.PadEdges())
	}
	return opts
}

// keys are the chunk keys of the copy: as in the source, or as the other format
// has them by itself (nil).
func (t target) keys(a *zarr.Array) (json.RawMessage, error) {
	if _, v2 := a.Metadata().Keys.(grid.V2Keys); t.isN5() || t == zarr2Target && !v2 || t == zarr3Target && a.Format() != t.format {
		return nil, nil
	}
	return a.Metadata().Keys.MarshalJSON()
}

// settle checks that an array can be made. Codecs that came from the source, and
// that readers of the other format do not know, give way to the usual ones.
func (t target) settle(spec zarr.ArraySpec, a *zarr.Array, chosen bool) (zarr.ArraySpec, error) {
	err := t.try(spec)
	// Chunks that are parts of other files have the codecs of those.
	own := a.Format() == t.format && len(a.Metadata().Transformers) == 0
	if own || chosen || spec.Codecs == nil || err == nil && t.knows(spec.Codecs) {
		return spec, err
	}
	usual := spec
	usual.Codecs = zarr.DefaultCodecs(a.DataType())
	if usualErr := t.try(usual); usualErr != nil {
		return spec, err // the source's own codecs may do where no others exist
	}
	return usual, nil
}

// knows reports whether other programs have the codecs of a list.
func (t target) knows(codecs json.RawMessage) bool {
	list, err := meta.ParseCodecs(codecs)
	if err != nil || t != zarr3Target {
		return err == nil
	}
	return !slices.ContainsFunc(list, func(c meta.Extension) bool {
		return !zarr2.Portable(c.Name) || c.Name == tifftile.Name || isBlock(c.Name)
	})
}

// The codecs of blocks of N5.
const (
	n5Codec   = "n5_default"
	ownPrefix = "omnizarr." // of codecs that nobody else has
)

// isBlock reports whether a codec makes blocks of N5.
func isBlock(name string) bool {
	return name == n5Codec || strings.HasPrefix(name, ownPrefix+"n5_")
}
