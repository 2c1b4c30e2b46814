package jobs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/pyramid"
)

const (
	// smallEnough is how long rows, columns and stacks of the last level are at most.
	smallEnough = 256
	// notCoarser is how much farther apart planes may be than rows and columns to become
	// fewer with them.
	notCoarser = 1.5
	maxLevels  = 32
)

// level is a resolution that is to be made.
type level struct {
	ngff.Level
	factors []int // of the level before; nil for the first
	shape   []int
	spec    zarr.ArraySpec
}

// steps are the levels of an image: their shapes, and where their elements are.
func (img *image) steps(o *Pyramid) ([]level, downsample.Method, error) {
	how, err := o.method(img)
	if err != nil {
		return nil, 0, err
	}
	if o.Factors != nil && len(o.Factors) != 1 && len(o.Factors) != len(img.axes) {
		return nil, 0, fmt.Errorf("factors %v for the axes %s", o.Factors, img.names())
	}
	first := level{Level: ngff.Level{Path: "0"}, shape: img.from.size}
	moved := slices.ContainsFunc(img.axes, func(a axis) bool { return a.translation != 0 })
	for _, a := range img.axes {
		first.Scale = append(first.Scale, a.scale)
		if moved {
			first.Translation = append(first.Translation, a.translation)
		}
	}
	out := []level{first}
	for o.Levels == 0 && len(out) < maxLevels || len(out) < o.Levels {
		last := &out[len(out)-1]
		factors := img.factors(last, o)
		long, shrinks := false, false
		for i, f := range factors {
			long = long || f > 1 && last.shape[i] > smallEnough
			shrinks = shrinks || f > 1 && last.shape[i] > 1
		}
		if !shrinks || o.Levels == 0 && !long {
			break
		}
		next := level{Level: pyramid.Below(last.Level, strconv.Itoa(len(out)), factors, how), factors: factors}
		for i, n := range last.shape {
			next.shape = append(next.shape, (n+factors[i]-1)/factors[i])
		}
		out = append(out, next)
	}
	if o.Levels > len(out) {
		return nil, 0, fmt.Errorf("%d levels: the image is one pixel after %d", o.Levels, len(out))
	}
	return out, how, nil
}

// factors say how many elements along each axis become one in the level below another:
// rows and columns, and planes that are about as close to each other.
func (img *image) factors(last *level, o *Pyramid) []int {
	if len(o.Factors) == len(img.axes) {
		return o.Factors
	}
	factor := 2
	if len(o.Factors) == 1 {
		factor = o.Factors[0]
	}
	n := len(img.axes)
	out := slices.Repeat([]int{1}, n)
	out[n-2], out[n-1] = factor, factor
	if n < 3 || img.axes[n-3].Name != "z" {
		return out
	}
	// Of unknown distances all are the same, unless those within planes are known.
	z, y, x := &img.axes[n-3], &img.axes[n-2], &img.axes[n-1]
	far, alike := unitOf(z.Unit, y.Unit, x.Unit)
	if alike && z.known == y.known && last.Scale[n-3]*far[0] <= notCoarser*min(last.Scale[n-2]*far[1], last.Scale[n-1]*far[2]) {
		out[n-3] = factor
	}
	return out
}

// unitOf makes lengths in some units comparable, if they are.
func unitOf(units ...string) (factors []float64, ok bool) {
	for _, u := range units {
		m, metric := ngff.Meters(u)
		if !metric {
			return slices.Repeat([]float64{1}, len(units)), !slices.ContainsFunc(units, func(other string) bool { return other != u })
		}
		factors = append(factors, m)
	}
	return factors, true
}

// method says how elements become one.
func (o *Pyramid) method(img *image) (downsample.Method, error) {
	switch o.Method {
	case "":
		if img.label != nil || img.from.typ.Name() == "bool" {
			return downsample.Mode, nil
		}
		return downsample.Average, nil
	case "mean":
		return downsample.Average, nil
	}
	for how := downsample.Nearest; how <= downsample.Min; how++ {
		if how.String() == o.Method {
			return how, nil
		}
	}
	return 0, fmt.Errorf("method %s: must be one of mean, mode, max, min, nearest", o.Method)
}

func (img *image) names() string {
	axes := make([]ngff.Axis, len(img.axes))
	for i, a := range img.axes {
		axes[i] = a.Axis
	}
	return axisNames(axes)
}

const (
	planeChunk  = 512 // rows and columns of a chunk that is a part of a plane
	volumeChunk = 64  // of one that is a part of a volume, in all directions
	// shardBytes is how large shards are at most, and how large a level is at least that
	// has some.
	shardBytes = 16 << 20
	// Chunks of the source that are neither stripes nor too large are good for pictures too.
	leastSide, mostBytes = 32, 16 << 20
)

// layout says how the levels are stored.
func (img *image) layout(levels []level, opts copying.Options, version string) error {
	sharded := version != ngff.Old
	rank := len(img.axes)
	size := img.from.typ.Size()
	chunks := opts.Chunks
	if chunks != nil && len(chunks) != rank || opts.Shards != nil && len(opts.Shards) != rank {
		return fmt.Errorf("chunks %v, shards %v: the image has the axes %s", chunks, opts.Shards, img.names())
	}
	if chunks == nil {
		chunks = img.chunks(levels, size)
		if opts.Shards != nil {
			for i, n := range opts.Shards {
				if n%chunks[i] != 0 {
					chunks = opts.Shards
					break
				}
			}
		}
	}
	name, err := img.from.typ.MarshalJSON()
	if err != nil {
		return err
	}
	fill, err := img.fill()
	if err != nil {
		return err
	}
	for i := range levels {
		l := &levels[i]
		l.spec = zarr.ArraySpec{Shape: l.shape, DataType: string(name), FillValue: fill, Chunks: chunks, Shards: opts.Shards, Codecs: opts.Codecs}
		if l.spec.Codecs == nil {
			l.spec.Codecs = zarr.DefaultCodecs(img.from.typ)
		}
		if !sharded {
			l.spec.Keys = json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`) // which version 0.4 demands
		}
		for _, a := range img.axes {
			l.spec.DimensionNames = append(l.spec.DimensionNames, a.Name)
		}
		if n, ok := nd.Bytes(l.shape, size); opts.Chunks == nil && opts.Shards == nil && sharded && (!ok || n > shardBytes) {
			l.spec.Shards = shards(l.shape, chunks, size)
		}
	}
	levels[0].spec.Attributes = img.first
	for i := range levels[1:] {
		for _, name := range elementAttributes {
			if raw := img.first.Raw(name); raw != nil {
				if levels[i+1].spec.Attributes == nil {
					levels[i+1].spec.Attributes = only(img.first, name)
				} else if err := levels[i+1].spec.Attributes.Set(name, raw); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// elementAttributes say what single elements mean, which holds for those of every level.
var elementAttributes = []string{"_FillValue", "missing_value", "scale_factor", "add_offset", "units"}

// chunks are the shape of chunks: as in the source where that is good to look at, else
// squares of planes, or cubes of volumes. Times and channels are apart in any case.
func (img *image) chunks(levels []level, size int) []int {
	rank := len(img.axes)
	out := slices.Repeat([]int{1}, rank)
	cube := rank >= 3 && slices.ContainsFunc(levels, func(l level) bool { return l.factors != nil && l.factors[rank-3] > 1 && img.axes[rank-3].Name == "z" })
	side := planeChunk
	if cube {
		side = volumeChunk
	}
	from := img.from.chunks()
	keep := from != nil
	bytes := size
	for i, a := range img.axes {
		if a.Type == "space" {
			out[i] = side
			if a.Name == "z" && !cube {
				out[i] = 1
			}
			if from != nil {
				bytes *= from[i]
				keep = keep && (a.Name == "z" || from[i] >= min(leastSide, img.from.size[i]))
			}
		}
	}
	if keep && bytes <= mostBytes {
		for i, a := range img.axes {
			if a.Type == "space" {
				out[i] = from[i]
			}
		}
	}
	for i, n := range img.from.size {
		out[i] = min(out[i], n)
	}
	return out
}

// shards are the shape of shards of a level: chunks are doubled along the axes of space
// in turn as long as they are not too large.
func shards(shape, chunks []int, size int) []int {
	out := slices.Clone(chunks)
	bytes, _ := nd.Bytes(chunks, size)
	for grown := true; grown; {
		grown = false
		for i := len(out) - 1; i >= max(0, len(out)-3); i-- {
			if out[i] < shape[i] && 2*bytes <= shardBytes {
				out[i], bytes, grown = 2*out[i], 2*bytes, true
			}
		}
	}
	return out
}

// fill is the fill value of the source in the type of the copy.
func (img *image) fill() (json.RawMessage, error) {
	a := img.from.a
	switch same := a.DataType().Name() == img.from.typ.Name(); {
	case !same:
		return copying.FillValue(a, img.from.typ)
	case img.fillValue != nil:
		return img.fillValue, nil
	}
	return a.Metadata().FillValue, nil
}
