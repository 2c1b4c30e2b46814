package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// layouts says what arrays the copy will have, by path, and what it will not have.
func (f Nodes) layouts(src zarr.Node, arrays map[string]*zarr.Array, cuts map[string][]zarr.Positions, opts Options, header *pad.Format) (specs map[string]zarr.ArraySpec, lost []string, err error) {
	_, alone := src.(*zarr.Array)
	specs = make(map[string]zarr.ArraySpec, len(arrays))
	groups := besides(arrays)
	fitting := false
	for _, at := range slices.Sorted(maps.Keys(arrays)) {
		a, own := arrays[at], opts
		rank := len(a.Shape())
		if cut := cuts[at]; cut != nil {
			rank = len(shapeOf(cut))
		}
		if !alone && (own.Chunks != nil && len(own.Chunks) != rank || own.Shards != nil && len(own.Shards) != rank) {
			own.Chunks, own.Shards = nil, nil
		} else {
			fitting = true
		}
		if !alone && own.DataType != "" && !IsNumber(a.DataType()) {
			own.DataType = ""
		}
		spec, unsaid, err := f.layout(a, cuts[at], own, groups[path.Dir(at)])
		if err == nil && header != nil {
			with, padErr := f.padded(spec, header)
			switch {
			case padErr == nil:
				spec = with
			case alone || !errors.Is(padErr, pad.ErrType):
				err = padErr
			}
		}
		if err != nil {
			return nil, nil, &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
		}
		if unsaid != "" {
			lost = append(lost, at+": "+unsaid)
		}
		specs[at] = spec
	}
	if !fitting && len(arrays) > 0 {
		return nil, nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: fmt.Errorf("no array has as many axes as chunks %v, shards %v", opts.Chunks, opts.Shards)}
	}
	return specs, lost, nil
}

// layout says what the copy of an array is, and what it will not say any more.
func (f Nodes) layout(a *zarr.Array, cut []zarr.Positions, opts Options, beside []*meta.Array) (spec zarr.ArraySpec, lost string, err error) {
	typ, err := TargetType(a.DataType(), opts.DataType)
	if err != nil {
		return spec, "", err
	}
	said, lost, err := f.terms(a, typ, beside)
	if err != nil {
		return spec, "", err
	}
	spec = zarr.ArraySpec{
		Shape: a.Shape(), DimensionNames: names(said.DimensionNames), Attributes: said.Attributes,
		FillValue: said.FillValue, NoFill: said.NoFill, Codecs: opts.Codecs,
	}
	if cut != nil && spec.Attributes != nil {
		gone, err := coordinates.Cut(spec.Attributes, a.DimensionNames(), cut)
		if err != nil {
			return spec, "", err
		}
		if lost != "" {
			gone = append(gone, lost)
		}
		lost = strings.Join(gone, ", ")
	}
	spec, err = f.laid(a, cut, typ, spec, opts)
	return spec, lost, err
}

// laid says how the chunks of a copy are, whose elements are known.
func (f Nodes) laid(a *zarr.Array, cut []zarr.Positions, typ dtype.Type, spec zarr.ArraySpec, opts Options) (zarr.ArraySpec, error) {
	m := a.Metadata()
	var err error
	if err := job.CodecError(a); err != nil && !slices.Contains(m.Grid.Count(), 0) {
		return spec, err
	}
	if f.Keys != nil {
		if spec.Keys, err = f.Keys(a); err != nil {
			return spec, err
		}
	}
	whole := cut == nil
	if !whole {
		spec.Shape = shapeOf(cut)
		spec.DimensionNames = coordinates.Kept(cut, spec.DimensionNames)
	}
	old := m.DataType
	name, err := typ.MarshalJSON()
	if err != nil {
		return spec, err
	}
	spec.DataType = string(name)
	inner := m.Codecs
	sharded, isSharded := sharding(m.Codecs)
	if isSharded {
		inner = sharded.Codecs
	}
	if dtype.Equal(typ, old) && spec.Codecs == nil {
		// The codecs of another type may not fit, but these do.
		if spec.Codecs, err = json.Marshal(inner); err != nil {
			return spec, err
		}
	}
	if !whole && opts.Chunks == nil && opts.Shards == nil {
		// The same chunks along the axes that stay.
		opts.Chunks = coordinates.Kept(cut, inside(m, sharded, isSharded))
		if isSharded && f.Sharded {
			opts.Shards = coordinates.Kept(cut, m.Grid.Uniform())
		}
	}
	switch {
	case f.Fit != nil:
		return f.Fit(spec, Source{a, typ, inside(m, sharded, isSharded)}, opts)
	case !f.Sharded && opts.Shards != nil:
		return spec, fmt.Errorf("no shards in %s", f.Title)
	case !f.Sharded && isSharded && opts.Chunks == nil:
		spec.Chunks = sharded.ChunkShape
	case opts.Chunks != nil || opts.Shards != nil:
		spec.Chunks, spec.Shards = opts.Chunks, opts.Shards
		if err := CheckRank(spec); err != nil {
			return spec, err
		}
		if spec.Chunks == nil && divides(inside(m, sharded, isSharded), spec.Shards) {
			spec.Chunks = inside(m, sharded, isSharded)
		}
	case !whole:
	case isSharded && m.Grid.Uniform() != nil && (opts.Codecs != nil || !dtype.Equal(typ, old)):
		spec.Chunks, spec.Shards = sharded.ChunkShape, m.Grid.Uniform()
		if list, err := meta.ParseCodecs(opts.Codecs); err == nil && slices.ContainsFunc(list, IsShard) {
			spec.Chunks, spec.Shards = m.Grid.Uniform(), nil
		}
	default:
		if spec.Grid, err = m.Grid.MarshalJSON(); err != nil {
			return spec, err
		}
		if opts.Codecs == nil && dtype.Equal(typ, old) {
			if spec.Codecs, err = json.Marshal(m.Codecs); err != nil {
				return spec, err
			}
		}
	}
	return f.settle(spec, a, opts.Codecs != nil, whole)
}

// Try makes an array in memory: whether it can be made at all is known before
// anything is written.
func (f Nodes) Try(spec zarr.ArraySpec) error {
	_, err := f.example(context.Background(), spec)
	var known *zarr.Error
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}

// example makes an array in memory. Those of a design are made once for all arrays that
// are to be the same, and are only looked at.
func (f Nodes) example(ctx context.Context, spec zarr.ArraySpec, opts ...zarr.Option) (*zarr.Array, error) {
	var name string
	if f.made != nil && len(opts) == 0 {
		text, err := json.Marshal(spec)
		if err != nil {
			return nil, err
		}
		if name = string(text); f.made[name] != nil {
			return f.made[name], nil
		}
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec, append(opts[:len(opts):len(opts)], f.Options...)...)
	if err == nil && name != "" {
		f.made[name] = a
	}
	return a, err
}

// CheckRank checks that chunks and shards have the axes of the array.
func CheckRank(s zarr.ArraySpec) error {
	for _, shape := range [][]int{s.Chunks, s.Shards} {
		if shape != nil && len(shape) != len(s.Shape) {
			return fmt.Errorf("chunks or shards %v for an array of shape %v", shape, s.Shape)
		}
		if slices.ContainsFunc(shape, func(n int) bool { return n < 1 }) {
			return fmt.Errorf("chunks or shards %v: lengths must be at least 1", shape)
		}
	}
	return nil
}

// shardConfig is what matters of the configuration of sharding_indexed.
type shardConfig struct {
	ChunkShape []int            `json:"chunk_shape"`
	Codecs     []meta.Extension `json:"-"`
	Raw        json.RawMessage  `json:"codecs"`
}

// IsShard reports whether a codec makes shards.
func IsShard(x meta.Extension) bool { return x.Name == "sharding_indexed" }

// sharding takes apart a codecs list that is nothing but shards.
func sharding(codecs []meta.Extension) (shardConfig, bool) {
	var c shardConfig
	if len(codecs) != 1 || !IsShard(codecs[0]) || json.Unmarshal(codecs[0].Configuration, &c) != nil {
		return c, false
	}
	var err error
	c.Codecs, err = meta.ParseCodecs(c.Raw)
	return c, err == nil
}

// inside is the shape of the smallest chunks of the source, nil if they differ.
func inside(m *meta.Array, s shardConfig, sharded bool) []int {
	if sharded {
		return s.ChunkShape
	}
	return m.Grid.Uniform()
}

// divides reports whether chunks fill shards without a rest.
func divides(chunks, shards []int) bool {
	if len(chunks) != len(shards) {
		return false
	}
	for i, n := range chunks {
		if n < 1 || shards[i]%n != 0 {
			return false
		}
	}
	return true
}

// FillValue is the fill value of an array in another type of numbers.
func FillValue(a *zarr.Array, to dtype.Type) (json.RawMessage, error) {
	from := a.DataType()
	dst, src := nd.Make(to.Size(), 1), nd.Of(a.FillValue(), from.Size(), 1)
	if err := Convert(to, dst, from, src); err != nil {
		return nil, fmt.Errorf("fill value: %w", err)
	}
	return to.AppendFill(nil, dst.Data, nil)
}
