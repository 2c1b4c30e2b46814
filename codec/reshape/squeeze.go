package reshape

import (
	"encoding/json"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// Squeeze is the codec "zarrs.squeeze", which drops the axes of length 1. Of a
// chunk that has no other, or no axis at all, one such axis is left.
type Squeeze struct{}

// ParseSqueeze reads the configuration of "zarrs.squeeze", which is empty.
func ParseSqueeze(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	return Squeeze{}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "zarrs.squeeze".
func (Squeeze) Name() string { return "zarrs.squeeze" }

// MarshalJSON gives the entry for metadata.
func (Squeeze) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("zarrs.squeeze", nil) }

// BindArray fits the codec to chunks.
func (Squeeze) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	out := in
	out.Shape = nil
	var from []int
	for i, n := range in.Shape {
		if n != 1 {
			from, out.Shape = append(from, i), append(out.Shape, n)
		}
	}
	if len(from) == 0 {
		from, out.Shape = []int{len(in.Shape) - 1}, []int{1} // -1 is a new axis
	}
	return &renaming{out, from}, nil
}

// renaming is a bound codec that adds and drops axes of length 1.
type renaming struct {
	out  codec.Spec
	from []int // the axis of the chunk that axis i is, or -1 if it is new
}

// renamed finds out where the axes of out come from if they are, but for those
// of length 1, the axes of in.
func renamed(in, out []int) (from []int, ok bool) {
	from = make([]int, len(out))
	k := 0
	for i, n := range out {
		from[i] = -1
		if n == 1 {
			continue
		}
		for k < len(in) && in[k] == 1 {
			k++
		}
		if k == len(in) || in[k] != n {
			return nil, false
		}
		from[i] = k
		k++
	}
	return from, true // what is left of in is of length 1, since as many elements came in
}

// Out is the same under other axes.
func (r *renaming) Out() codec.Spec { return r.out }

// View is v under other axes.
func (r *renaming) View(v nd.View) nd.View {
	size := v.Size
	rank := len(r.from)
	mem := make([]int, 2*rank)
	shape, strides := mem[:rank:rank], mem[rank:]
	for i, k := range r.from {
		shape[i], strides[i] = 1, size
		if k >= 0 {
			shape[i], strides[i] = v.Shape[k], v.Strides[k]
		}
	}
	r.empty(v.Shape, shape)
	v.Shape, v.Strides = shape, strides
	return v
}

// Box is b under other axes.
func (r *renaming) Box(b nd.Box) nd.Box {
	rank := len(r.from)
	mem := make([]int, 2*rank)
	out := nd.Box{Start: mem[:rank:rank], Shape: mem[rank:]}
	for i, k := range r.from {
		out.Shape[i] = 1
		if k >= 0 {
			out.Start[i], out.Shape[i] = b.Start[k], b.Shape[k]
		}
	}
	r.empty(b.Shape, out.Shape)
	return out
}

// empty makes shape one of nothing if in is, also when that is so because of an
// axis that was dropped.
func (r *renaming) empty(in, shape []int) {
	for _, n := range in {
		if n == 0 {
			clear(shape)
			return
		}
	}
}
