// Package reshape holds the codecs that give a chunk other axes and leave the
// order of its elements as it is: "reshape", and "zarrs.squeeze", which drops
// axes of length 1.
//
// Where only axes of length 1 come and go, the codec behind sees the caller's
// memory under other axes and nothing is copied. Other shapes cannot be had by
// strides alone; there elements are copied, in one go for any box.
//
// # What the text of reshape leaves open
//
//   - An empty list of input dimensions stands for the product of nothing, 1.
//   - The first product that a list of input dimensions must fulfil is that of
//     the dimensions before the first of them.
//   - The schema allows a size of 0, the text wants a positive one: 0 is
//     refused.
package reshape

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Length is the length of an axis of the encoded chunk.
type Length struct {
	Size int   // if Dims is nil; -1 is what is left
	Dims []int // the product of the lengths of these axes of the chunk
}

// Codec is a parsed entry of "reshape".
type Codec struct {
	Shape []Length
}

// Parse reads the configuration of "reshape".
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var conf struct {
		Shape json.RawMessage `json:"shape"`
	}
	if err := codec.ParseConfig(raw, &conf); err != nil {
		return nil, err
	}
	if conf.Shape == nil {
		return nil, fmt.Errorf("configuration lacks shape")
	}
	out := Codec{Shape: []Length{}}
	open, last := -1, -1
	err := strictjson.Each(conf.Shape, func(i int, elem json.RawMessage) error {
		if i >= nd.MaxRank {
			return fmt.Errorf("more than %d axes", nd.MaxRank)
		}
		var l Length
		var err error
		if elem[0] == '[' {
			if l.Dims, err = strictjson.Lengths(elem, 0, nd.MaxRank); err == nil && l.Dims == nil {
				l.Dims = []int{}
			}
			for _, d := range l.Dims {
				if d <= last {
					return fmt.Errorf("axis %d behind axis %d: the axes of the input must be in order", d, last)
				}
				last = d
			}
		} else if l.Size, err = strictjson.Length(elem, -1); err == nil && l.Size == 0 {
			err = fmt.Errorf("must be positive, -1 or a list of axes")
		}
		if err == nil && l.Size == -1 {
			if open >= 0 {
				return fmt.Errorf("a second -1")
			}
			open = i
		}
		out.Shape = append(out.Shape, l)
		return err
	})
	if err != nil {
		return nil, strictjson.At("shape", err)
	}
	return out, nil
}

// Name is "reshape".
func (Codec) Name() string { return "reshape" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	shape := make([]any, len(c.Shape))
	for i, l := range c.Shape {
		shape[i] = l.Size
		if l.Dims != nil {
			shape[i] = l.Dims
		}
	}
	return codec.MarshalEntry("reshape", struct {
		Shape []any `json:"shape"`
	}{shape})
}

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	shape, err := c.shape(in.Shape)
	if err != nil {
		return nil, err
	}
	out := in
	out.Shape = shape
	if from, ok := renamed(in.Shape, shape); ok {
		return &renaming{out, from}, nil
	}
	return newCopying(in.Shape, out), nil
}

// shape is the shape of the encoded chunk.
func (c Codec) shape(in []int) ([]int, error) {
	total, ok := nd.Len(in)
	if !ok || total == 0 {
		return nil, fmt.Errorf("cannot reshape a chunk of shape %v", in)
	}
	out := make([]int, len(c.Shape))
	known, open := 1, -1
	for i, l := range c.Shape {
		out[i] = l.Size
		if l.Dims != nil {
			out[i] = 1
			for _, d := range l.Dims {
				if d >= len(in) {
					return nil, fmt.Errorf("shape[%d]: no axis %d in a chunk of shape %v", i, d, in)
				}
				out[i] *= in[d] // at most total, since axes come once
			}
		}
		switch {
		case out[i] == -1:
			open = i
		case out[i] > math.MaxInt/known:
			return nil, fmt.Errorf("more elements than can be counted")
		default:
			known *= out[i]
		}
	}
	if open >= 0 && total%known == 0 {
		out[open] = total / known
		known = total
	}
	if known != total {
		return nil, fmt.Errorf("a chunk of shape %v has %d elements, which do not fit shape %v", in, total, out)
	}
	return out, c.checkDims(in, out)
}

// checkDims makes sure that an axis that is said to be made of axes of the
// chunk really is.
func (c Codec) checkDims(in, out []int) error {
	for i, l := range c.Shape {
		k := len(l.Dims)
		if k == 0 {
			continue
		}
		if product(out[:i]) != product(in[:l.Dims[0]]) || product(out[i+1:]) != product(in[l.Dims[k-1]+1:]) {
			return fmt.Errorf("shape[%d] is not made of axes %v of a chunk of shape %v, since the whole shape is %v", i, l.Dims, in, out)
		}
	}
	return nil
}

// product is the number of elements of a part of a shape that can be counted.
func product(shape []int) int {
	n, _ := nd.Len(shape)
	return n
}
