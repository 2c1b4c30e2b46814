package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	codec "github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
)

// Copy says how copies to N5 are made.
type Copy struct {
	// Reversed makes the dimensions of a dataset those of the array in the opposite
	// order.
	Reversed bool
	// PadEdges stores blocks at the end of a dimension whole.
	PadEdges bool
}

// Format is N5 as a format of copies. N5 fills with zeros only: another fill value
// is written where the source stores nothing. Shards become their chunks, and
// images of OME-NGFF get the attributes that programs for N5 look for as well.
func (c Copy) Format() copying.Nodes {
	f := copying.Nodes{
		Format: n5.Format, Title: "N5", Options: []zarr.Option{zarr.As("n5")}, Forgets: true,
		Headers: "blocks of N5 have their own header, and no other in front of it",
	}
	if c.Reversed {
		f.Options = append(f.Options, zarr.With(n5.Reversed))
	}
	if c.PadEdges {
		f.Options = append(f.Options, zarr.With(n5.PadEdges))
	}
	plain := f // to try arrays with
	f.Fit = func(spec zarr.ArraySpec, from copying.Source, opts copying.Options) (zarr.ArraySpec, error) {
		return blocks(plain, spec, from, opts)
	}
	f.Describe = c.describeLevels
	return f
}

// blocks turns what the copy of an array would be into what N5 can be: blocks of
// one shape without shards, zero for what is missing, at most one compression.
func blocks(f copying.Nodes, spec zarr.ArraySpec, from copying.Source, opts copying.Options) (zarr.ArraySpec, error) {
	if opts.Shards != nil {
		return spec, errors.New("no shards in N5")
	}
	spec.FillValue = nil // another one is written out
	if spec.Chunks = opts.Chunks; spec.Chunks == nil {
		spec.Chunks = from.Chunk
	}
	if opts.Chunks == nil && from.Type.Kind() == dtype.Bytes {
		spec.Chunks = slices.Repeat([]int{1}, len(spec.Shape)) // an object is a block
	}
	if err := copying.CheckRank(spec); err != nil {
		return spec, err
	}
	if opts.Codecs != nil {
		return spec, f.Try(spec)
	}
	usual := zarr.DefaultCodecs(from.Type)
	var err error
	if spec.Codecs, err = compressedAs(from.Array.Metadata().Codecs, usual); err != nil {
		return spec, err
	}
	if f.Try(spec) == nil {
		return spec, nil
	}
	spec.Codecs = usual
	if err = f.Try(spec); err != nil && copying.IsNumber(from.Type) && f.Try(ofBytes(spec)) == nil {
		err = fmt.Errorf("%w: numbers of another type can be had by asking for it (--data-type)", err)
	}
	return spec, err
}

// ofBytes is the same array with the plainest of types.
func ofBytes(spec zarr.ArraySpec) zarr.ArraySpec {
	spec.DataType, spec.Codecs = "uint8", nil
	return spec
}

// compressedAs is a list of codecs that begins as usual does and compresses as the
// source does, as far as a single codec does that.
func compressedAs(codecs []meta.Extension, usual json.RawMessage) (json.RawMessage, error) {
	list, err := meta.ParseCodecs(usual)
	if err != nil {
		return nil, err
	}
	behind, ok := bytesCodecs(codecs, 0)
	if !ok || len(behind) > 1 {
		return usual, nil
	}
	return json.Marshal(append(list[:1:1], behind...))
}

// arrayCodecs are those that say how elements lie, and nothing about how they are
// compressed.
var arrayCodecs = []string{"transpose", "bytes", "vlen-utf8", "vlen-bytes"}

// bytesCodecs are the codecs of a list that work on bytes, those in shards and in
// blocks of N5 too. It reports whether the others say only how elements lie.
func bytesCodecs(codecs []meta.Extension, depth int) (behind []meta.Extension, ok bool) {
	for i, c := range codecs {
		switch {
		case copying.IsShard(c) || isBlock(c.Name):
			var config struct {
				Codecs json.RawMessage `json:"codecs"`
			}
			if i != len(codecs)-1 || depth > maxDepth || json.Unmarshal(c.Configuration, &config) != nil {
				return nil, false
			}
			if string(config.Codecs) == "[]" {
				return nil, true
			}
			inner, err := meta.ParseCodecs(config.Codecs)
			if err != nil {
				return nil, false
			}
			return bytesCodecs(inner, depth+1)
		case !slices.Contains(arrayCodecs, c.Name):
			return codecs[i:], true
		}
	}
	return nil, true
}

// n5Attributes are what programs look for on the levels of an image.
var n5Attributes = []string{"pixelResolution", "downsamplingFactors", "axes", "units", "resolution", "affineTransform"}

// describeLevels gives the datasets of images what programs for N5 look for, as
// the groups above them describe the images. Datasets that say something of the
// kind themselves stay as they are, unless it is for another order of axes.
func (c Copy) describeLevels(groups map[string]*zarr.Group, specs map[string]zarr.ArraySpec) error {
	for at, spec := range specs {
		if err := c.describeAlone(&spec); err != nil {
			return err
		}
		specs[at] = spec
	}
	for _, at := range job.Paths(groups) {
		for _, m := range multiscales(groups[at].Attributes()) {
			if c.Reversed {
				convention.Reverse(&m)
			}
			for i, level := range m.Levels {
				to := path.Join(at, level.Path)
				spec, ok := specs[to]
				if !ok || len(spec.Shape) != len(m.Axes) || describes(spec.Attributes, m.Axes) {
					continue
				}
				attrs, err := convention.Attributes(&m, i)
				if err != nil {
					return &zarr.Error{Op: "copy", URL: groups[at].URL(), Err: fmt.Errorf("image: %w", err)}
				}
				if spec.Attributes == nil {
					spec.Attributes = &meta.Attributes{}
				}
				for _, name := range n5Attributes {
					spec.Attributes.Delete(name)
				}
				for _, name := range attrs.Names() {
					if err := spec.Attributes.Set(name, attrs.Raw(name)); err != nil {
						return err
					}
				}
				specs[to] = spec
			}
		}
	}
	return nil
}

// describeAlone gives a dataset what programs for N5 look for where the array says it
// in the words of all, as a copy from N5 does.
func (c Copy) describeAlone(spec *zarr.ArraySpec) error {
	m := ngff.Described(spec.Attributes, spec.DimensionNames)
	if m == nil {
		return nil
	}
	if c.Reversed {
		convention.Reverse(m)
	}
	m.Levels[0].Path = "0" // any will do
	attrs, err := convention.Attributes(m, 0)
	if err != nil {
		return nil // axes that programs for N5 do not have: it stays as it is said
	}
	for _, name := range []string{"scale", "translation", "units", "axes"} {
		spec.Attributes.Delete(name)
	}
	for _, name := range attrs.Names() {
		if err := spec.Attributes.Set(name, attrs.Raw(name)); err != nil {
			return err
		}
	}
	return nil
}

// describes reports whether attributes say where elements lie along these axes.
func describes(attrs *meta.Attributes, axes []ngff.Axis) bool {
	if !slices.ContainsFunc(n5Attributes, func(name string) bool { return attrs.Raw(name) != nil }) {
		return false
	}
	names := convention.Names(attrs, len(axes))
	return names == nil || slices.EqualFunc(names, axes, func(name string, a ngff.Axis) bool { return name == a.Name })
}

// multiscales are the images that attributes describe as OME-NGFF does, none if they are
// not understood: the attributes are kept as they are anyway.
func multiscales(attrs *meta.Attributes) []ngff.Multiscales {
	images, err := ngff.Images(attrs)
	if err != nil {
		return nil
	}
	return images
}

// isBlock reports whether a codec makes blocks of N5.
func isBlock(name string) bool {
	return name == codec.Name || name == codec.StringsName || name == codec.BlocksName
}

// maxDepth bounds codecs inside each other.
const maxDepth = 64
