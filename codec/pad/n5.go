package pad

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// N5 makes every chunk a block of the N5 format: two bytes of mode (0), two of
// the number of dimensions, and four for the length of the block along each.
//
// N5 runs through its first dimension fastest and is big-endian, so Codecs puts a
// transpose that reverses the axes in front, and sets the byte order, unless the
// list has them. The block then has the axes of the array, and with chunk keys
// "0/1/2" (the encoding "v2" with separator "/") and an attributes.json beside
// zarr.json the array is an N5 dataset of the same dimensions.
//
// The lengths are those of the stored chunk. In a regular grid every chunk is
// stored whole, also at the edge of the array, as tensorstore writes N5; with a
// rectilinear grid whose last chunks are shorter the header says so, as Java
// writes it.
func N5() Format {
	keys := json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`)
	return Format{Name: "n5", Func: fillN5, Keys: keys, plan: planN5}
}

// n5Types are the data types of N5.
var n5Types = []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"}

// n5Compressors are the codecs that are compressions of N5: raw, gzip, gzip with
// useZlib, zstd.
var n5Compressors = []string{"", "gzip", "zlib", "numcodecs.zlib", "zstd"}

func planN5(p *plan) error {
	name := p.array.Type.Name()
	rank := len(p.array.Shape)
	switch {
	case !slices.Contains(n5Types, name):
		return fmt.Errorf("N5 and %s: %w", name, ErrType)
	case rank == 0 || rank > math.MaxUint16:
		return fmt.Errorf("N5 has no blocks of %d dimensions", rank)
	}
	if err := p.reverse(); err != nil {
		return err
	}
	endian, err := p.endian()
	if err != nil {
		return err
	}
	if endian == "little" {
		p.entries[p.at].Configuration = json.RawMessage(`{"endian":"big"}`)
	}
	c, err := p.compressor()
	if err != nil {
		return err
	}
	if !slices.Contains(n5Compressors, c) {
		return fmt.Errorf("codec %s is no compression of N5", c)
	}
	p.header = appendN5(nil, p.bytes.Shape)
	return checkN5(p.bytes.Shape)
}

// reverse makes a transpose that reverses the axes the first codec.
func (p *plan) reverse() error {
	rank := len(p.array.Shape)
	want := make([]int, rank)
	for i := range want {
		want[i] = rank - 1 - i
	}
	var config struct {
		Order codec.Order `json:"order"`
	}
	switch {
	case p.at == 0 && rank == 1:
		return nil
	case p.at == 0:
	case p.at == 1 && p.entries[0].Name == "transpose":
		if err := strictjson.Unmarshal(p.entries[0].Configuration, &config); err != nil {
			return err
		}
		axes := config.Order.Of(rank)
		if slices.Equal(axes, want) {
			return nil
		}
		return fmt.Errorf("transpose %v: N5 reverses the axes", axes)
	default:
		return fmt.Errorf("codec %s: N5 only reverses the axes", p.entries[0].Name)
	}
	config.Order.Axes = want
	raw, err := json.Marshal(config)
	if err != nil {
		return err
	}
	list, err := json.Marshal(append([]entry{{"transpose", raw}}, p.entries...))
	if err != nil {
		return err
	}
	return p.parse(list)
}

// appendN5 appends the header of a block whose elements lie in C order of shape.
func appendN5(dst []byte, shape []int) []byte {
	reversed := slices.Clone(shape)
	slices.Reverse(reversed)
	return n5block.AppendDefault(dst, reversed)
}

func checkN5(shape []int) error {
	if len(shape) > 0 && slices.Max(shape) > math.MaxInt32 {
		return errors.New("the blocks of N5 are not longer than 2³¹-1 along an axis")
	}
	return nil
}

// fillN5 writes the header for a chunk where metadata has one for as many axes.
func fillN5(c *Context) ([]byte, error) {
	h, err := n5block.Parse(c.literal)
	if err != nil || c.Location != Start || h.Mode != n5block.Default || len(h.Shape) != len(c.Shape) || h.Size != c.Size {
		return c.Static(), nil
	}
	return appendN5(c.Room, c.Shape), checkN5(c.Shape)
}
