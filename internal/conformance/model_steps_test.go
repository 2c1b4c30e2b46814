package conformance_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// run is an array, the model of it, and what happens to both.
type run struct {
	*rapid.T
	drawn
	a     *zarr.Array
	s     store.Store
	m     *model
	cache *codec.Cache
}

func (r *run) step() {
	switch rapid.IntRange(0, 11).Draw(r.T, "step") {
	case 0, 1, 2, 3:
		r.write()
	case 4, 5, 6:
		r.read()
	case 7:
		r.resize()
	case 8:
		r.append()
	case 9:
		r.deleteChunk()
	default:
		n, err := zarr.OpenStore(ctx, r.s, r.a.Path(), drawOptions(r.T, r.cache)...)
		if err != nil {
			r.Fatal(err)
		}
		r.a = n.(*zarr.Array)
	}
}

func (r *run) write() {
	p := drawSelection(r.T, r.a, r.m)
	vals := r.values(r.T, len(p.at), r.m.fill)
	if rapid.IntRange(0, 4).Draw(r.T, "clear") == 0 {
		for i := range vals {
			vals[i] = r.m.fill
		}
	}
	src := view(r.typ, p.shape, vals, rapid.Bool().Draw(r.T, "fortran"))
	if err := r.a.WriteFrom(ctx, p.sel, src); err != nil {
		r.Fatalf("write %s: %v", p.name, err)
	}
	ordered := values(r.typ, src)
	for i, k := range p.at {
		r.m.values[k] = string(ordered[i])
	}
	r.compare("after a write of "+p.name, zarr.All(), nil)
}

func (r *run) read() {
	p := drawSelection(r.T, r.a, r.m)
	r.compare(p.name, p.sel, &p)
}

// compare reads a selection and looks it up in the model; nil stands for all.
func (r *run) compare(what string, sel zarr.Selection, p *picked) {
	r.Helper()
	shape, at := r.m.shape, []int(nil)
	if p != nil {
		shape, at = p.shape, p.at
	} else {
		for k := range r.m.values {
			at = append(at, k)
		}
	}
	got, err := r.a.ResultShape(sel)
	if err != nil || !slices.Equal(got, shape) {
		r.Fatalf("%s: shape %v, want %v, %v", what, got, shape, err)
	}
	v := view(r.typ, shape, nil, p != nil && rapid.Bool().Draw(r.T, "fortran"))
	if err := r.a.ReadInto(ctx, sel, v); err != nil {
		r.Fatalf("read %s: %v", what, err)
	}
	for i, b := range values(r.typ, v) {
		if want := r.m.values[at[i]]; string(b) != want {
			r.Fatalf("%s: element %d is %q, want %q\n%s", what, i, b, want, r.spec.Codecs)
		}
	}
}

func (r *run) resize() {
	shape := make([]int, len(r.m.shape))
	for i := range shape {
		shape[i] = rapid.IntRange(0, 11).Draw(r.T, "length")
	}
	if err := r.a.Resize(ctx, shape...); err != nil {
		r.Fatalf("resize from %v to %v: %v", r.m.shape, shape, err)
	}
	r.m.resize(shape)
	r.compare("after a resize", zarr.All(), nil)
}

// append adds layers; the values come as a Go type.
func (r *run) append() {
	if len(r.m.shape) == 0 {
		return
	}
	axis := rapid.IntRange(0, len(r.m.shape)-1).Draw(r.T, "axis")
	layer := 1
	for i, n := range r.m.shape {
		if i != axis {
			layer *= n
		}
	}
	if layer == 0 || r.m.shape[axis] > 20 {
		return
	}
	more := rapid.IntRange(0, 3).Draw(r.T, "layers")
	vals := r.values(r.T, more*layer, r.m.fill)
	var err error
	switch r.typ.Name() {
	case "uint8":
		err = zarr.Append(ctx, r.a, axis, convert(vals, func(s string) uint8 { return s[0] }))
	case "bool":
		err = zarr.Append(ctx, r.a, axis, convert(vals, func(s string) bool { return s[0] == 1 }))
	case "int16":
		err = zarr.Append(ctx, r.a, axis, convert(vals, func(s string) int16 { return int16(s[0]) | int16(s[1])<<8 }))
	case "float32":
		err = zarr.Append(ctx, r.a, axis, convert(vals, func(s string) float32 {
			return math.Float32frombits(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
		}))
	case "string":
		err = zarr.Append(ctx, r.a, axis, vals)
	case "bytes":
		err = zarr.Append(ctx, r.a, axis, convert(vals, func(s string) []byte { return []byte(s) }))
	default:
		return
	}
	if err != nil {
		r.Fatalf("append to axis %d of %v: %v", axis, r.m.shape, err)
	}
	from := r.m.shape[axis]
	shape := slices.Clone(r.m.shape)
	shape[axis] += more
	r.m.resize(shape)
	part := slices.Clone(shape)
	part[axis] = more
	k := 0
	forEach(part, func(idx []int) {
		at := slices.Clone(idx)
		at[axis] += from
		r.m.values[r.m.at(at)] = vals[k]
		k++
	})
	r.compare("after an append", zarr.All(), nil)
}

func convert[T any](in []string, f func(string) T) []T {
	out := make([]T, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}

func (r *run) deleteChunk() {
	var all []zarr.ChunkInfo
	for c := range r.a.Grid() {
		all = append(all, c)
	}
	if len(all) == 0 {
		return
	}
	c := all[rapid.IntRange(0, len(all)-1).Draw(r.T, "chunk")]
	if err := r.a.DeleteChunk(ctx, c.Index...); err != nil {
		r.Fatal(err)
	}
	forEach(c.Box.Shape, func(idx []int) {
		at := slices.Clone(idx)
		for i := range at {
			at[i] += c.Box.Start[i]
		}
		r.m.values[r.m.at(at)] = r.m.fill
	})
	r.compare("after a chunk was deleted", zarr.All(), nil)
}

// finish compares every other way to see the array.
func (r *run) finish() {
	n, err := zarr.OpenStore(ctx, r.s, r.a.Path())
	if err != nil {
		r.Fatal(err)
	}
	r.a = n.(*zarr.Array)
	r.compare("opened anew", zarr.All(), nil)
	var streamed [][]byte
	for v, err := range r.a.Stream(ctx, zarr.All(), rapid.IntRange(1, 200).Draw(r.T, "part")) {
		if err != nil {
			r.Fatal(err)
		}
		streamed = append(streamed, values(r.typ, v)...)
	}
	if len(streamed) != len(r.m.values) {
		r.Fatalf("%d values were streamed, want %d", len(streamed), len(r.m.values))
	}
	for i, b := range streamed {
		if string(b) != r.m.values[i] {
			r.Fatalf("streamed value %d is %q, want %q", i, b, r.m.values[i])
		}
	}
	r.finishChunks()
}

// finishChunks checks that chunks cover the array once, and that all that are
// stored can be decoded.
func (r *run) finishChunks() {
	seen := 0
	for c := range r.a.Grid() {
		n, _ := nd.Len(c.Box.Shape)
		seen += n
	}
	if seen != len(r.m.values) {
		r.Fatalf("chunks hold %d of %d elements", seen, len(r.m.values))
	}
	for c, err := range r.a.Stored(ctx) {
		if err != nil {
			r.Fatal(err)
		}
		if err := r.a.CheckChunk(ctx, c); err != nil {
			r.Fatal(err)
		}
	}
	if dtype.IsReference(r.typ) && r.typ.Kind() == dtype.String {
		i := 0
		for c, err := range zarr.Chunks[string](ctx, r.a) {
			if err != nil {
				r.Fatal(err)
			}
			i += len(c.Data)
		}
		if i != len(r.m.values) {
			r.Fatalf("%d values came by chunk", i)
		}
	}
}
