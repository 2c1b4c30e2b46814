package job

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

// target is the format of a copy.
type target string

const (
	zarr3Target target = "zarr3"
	zarr2Target target = "zarr2"
)

// The formats of copies that are files.
const (
	tiffTarget = "tiff"
	cogTarget  = "cog"
)

func targetOf(name string) (target, error) {
	switch t := target(name); t {
	case "":
		return zarr3Target, nil
	case zarr2Target, zarr3Target:
		return t, nil
	}
	return "", fmt.Errorf("format %s is not supported here, only zarr3, zarr2, tiff and cog", name)
}

// option makes nodes of this format.
func (t target) option() zarr.Option {
	if t == zarr2Target {
		return zarr.ZarrFormat(2)
	}
	return zarr.ZarrFormat(3)
}

// keys are the chunk keys of the copy: as in the source, or as the other format
// has them by itself (nil).
func (t target) keys(a *zarr.Array) (json.RawMessage, error) {
	if _, v2 := a.Metadata().Keys.(grid.V2Keys); t == zarr2Target && !v2 || t == zarr3Target && a.Format() != string(t) {
		return nil, nil
	}
	return a.Metadata().Keys.MarshalJSON()
}

// settle checks that an array can be made. Codecs that came from the source, and
// that readers of the other format do not know, give way to the usual ones.
func (t target) settle(spec zarr.ArraySpec, a *zarr.Array, chosen bool) (zarr.ArraySpec, error) {
	err := t.try(spec)
	// Chunks that are parts of other files have the codecs of those.
	own := a.Format() == string(t) && len(a.Metadata().Transformers) == 0
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
	for _, c := range list {
		if !zarr2.Portable(c.Name) || c.Name == tifftile.Name {
			return false
		}
	}
	return true
}
