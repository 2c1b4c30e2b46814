package codectest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// empty is C-ordered memory for elements of the subject's type.
func (s *subject) empty(shape []int) nd.View {
	v := nd.Make(s.typ.Size(), slices.Clone(shape)...)
	v.Heap = &nd.Heap{}
	return v
}

// sample is a chunk, or a part of one, of random values, many of them the fill
// value.
func (s *subject) sample(r *rand.Rand, shape []int) nd.View {
	v := s.empty(shape)
	s.spec.FillView(v)
	dense := r.IntN(3) == 0
	v.Each(func(elem []byte) {
		if dense || r.IntN(2) == 0 {
			s.randomElement(r, elem, v.Heap)
		}
	})
	return v
}

func (s *subject) randomElement(r *rand.Rand, elem []byte, h *nd.Heap) {
	randomOf(r, s.typ, elem, h)
}

// randomOf sets an element of any type.
func randomOf(r *rand.Rand, t dtype.Type, elem []byte, h *nd.Heap) {
	var b []byte
	switch t.Kind() {
	case dtype.String, dtype.Bytes:
		b = randomValue(r, t.Kind())
	case dtype.Object:
		if b = randomJSON(r, nil, 0); string(b) == "null" {
			b = nil
		}
	case dtype.List:
		item := dtype.Inner(t)
		b = make([]byte, r.IntN(5)*item.Size())
		for at := 0; at < len(b); at += item.Size() {
			randomOf(r, item, b[at:at+item.Size()], h)
		}
	case dtype.Struct:
		for _, f := range dtype.Fields(t) {
			randomOf(r, f.Type, elem[f.Offset:f.Offset+f.Type.Size()], h)
		}
		return
	case dtype.Optional:
		clear(elem)
		if r.IntN(3) > 0 {
			elem[0] = 1
			randomOf(r, dtype.Inner(t), elem[1:], h)
		}
		return
	default:
		randomBits(r, t, elem)
		return
	}
	nd.PutRef(elem, h.Add(b), 0, len(b))
}

func randomBits(r *rand.Rand, t dtype.Type, elem []byte) {
	for i := range elem {
		elem[i] = byte(r.Uint32())
	}
	for _, u := range t.Units() {
		if u.Bits == 1 {
			for k := range u.Width * u.Count {
				elem[u.Offset+k] &= 1
			}
		}
	}
	if c, ok := t.(dtype.Canonicaliser); ok {
		if err := c.Canonicalise(nd.Of(elem, len(elem))); err != nil {
			panic(err)
		}
	}
}

// randomJSON appends a value without white space, as elements hold it, with the
// names of objects in order.
func randomJSON(r *rand.Rand, dst []byte, depth int) []byte {
	kinds := 6
	if depth > 3 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return append(dst, []string{"null", "true", "false"}[r.IntN(3)]...)
	case 1:
		return strconv.AppendInt(dst, int64(r.Uint64())>>r.IntN(64), 10)
	case 2:
		return append(dst, []string{"1.5", "-0.25", "1e+16", "NaN", "-Infinity"}[r.IntN(5)]...)
	case 3:
		return append(dst, []string{`""`, `"a"`, `"ß☃𝄞"`, `"\n\u0001\\\""`}[r.IntN(4)]...)
	case 4:
		dst = append(dst, '[')
		for i := range r.IntN(4) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = randomJSON(r, dst, depth+1)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range r.IntN(4) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = randomJSON(r, append(dst, '"', 'a'+byte(i), '"', ':'), depth+1)
	}
	return append(dst, '}')
}

func randomValue(r *rand.Rand, kind dtype.Kind) []byte {
	n := r.IntN(6)
	if r.IntN(8) == 0 {
		n = r.IntN(300)
	}
	var b []byte
	for len(b) < n {
		if kind == dtype.String {
			b = append(b, string([]rune{'a', 'ß', '☃', '𝄞', 0}[r.IntN(5)])...)
		} else {
			b = append(b, byte(r.Uint32()))
		}
	}
	return b
}

// values are what elements stand for, in C order, one after the other: their bytes,
// with those that references lead to in their place.
type values struct {
	bytes []byte
	ends  []int // of each element, nil if all are as long
}

func (s *subject) values(v nd.View) values {
	refs := s.typ.Refs()
	if len(refs) == 0 {
		plain := nd.Make(v.Size, v.Shape...)
		nd.Copy(plain, v)
		return values{bytes: plain.Data}
	}
	var out values
	blobs := v.Heap.Blobs()
	v.Each(func(elem []byte) {
		from := 0
		for _, o := range refs {
			out.bytes = append(out.bytes, elem[from:o]...)
			out.bytes = append(out.bytes, blobs.Value(elem[o:])...)
			from = o + nd.RefSize
		}
		out.bytes = append(out.bytes, elem[from:]...)
		out.ends = append(out.ends, len(out.bytes))
	})
	return out
}

func (v values) equal(w values) bool {
	return bytes.Equal(v.bytes, w.bytes) && slices.Equal(v.ends, w.ends)
}

// element is the bytes of one.
func (v values) element(i, size int) []byte {
	if v.ends == nil {
		return v.bytes[i*size : (i+1)*size]
	}
	from := 0
	if i > 0 {
		from = v.ends[i-1]
	}
	return v.bytes[from:v.ends[i]]
}

func (s *subject) compare(t *testing.T, what string, got, want nd.View) {
	t.Helper()
	if !slices.Equal(got.Shape, want.Shape) {
		t.Fatalf("%s: shape %v, want %v", what, got.Shape, want.Shape)
	}
	g, w := s.values(got), s.values(want)
	if g.equal(w) {
		return
	}
	for i := range got.Len() {
		if a, b := g.element(i, got.Size), w.element(i, want.Size); !bytes.Equal(a, b) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, a, b)
		}
	}
}

// randomBox is a part of shape with at least one element.
func randomBox(r *rand.Rand, shape []int) nd.Box {
	b := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, n := range shape {
		b.Start[i] = r.IntN(n)
		b.Shape[i] = 1 + r.IntN(n-b.Start[i])
	}
	return b
}

// layout is memory of some order, around which nothing may be written.
type layout struct {
	name string
	view nd.View
}

const guard = 0xa5

// layouts gives views of a shape: C and Fortran order, axes that run backwards,
// gaps between elements and rows.
func (s *subject) layouts(shape []int) []layout {
	var out []layout
	for _, name := range []string{"C order", "Fortran order", "backwards", "with gaps", "every other row"} {
		out = append(out, layout{name, s.layout(name, shape)})
	}
	return out
}

func (s *subject) layout(name string, shape []int) nd.View {
	const margin = 3
	v := nd.View{Size: s.typ.Size(), Shape: slices.Clone(shape), Strides: make([]int, len(shape)), Heap: &nd.Heap{}, Offset: margin}
	step := v.Size
	if name == "with gaps" {
		step += 5
	}
	for k := range shape {
		i := len(shape) - 1 - k
		if name == "Fortran order" {
			i = k
		}
		v.Strides[i] = step
		if name == "every other row" && k == 1 {
			v.Strides[i] = 2 * step
		}
		step = v.Strides[i] * shape[i]
	}
	v.Data = bytes.Repeat([]byte{guard}, step+2*margin)
	if name == "backwards" {
		for i, n := range shape {
			v.Offset += (n - 1) * v.Strides[i]
			v.Strides[i] = -v.Strides[i]
		}
	}
	if err := v.Check(); err != nil {
		panic(fmt.Sprintf("%s of %v: %v", name, shape, err))
	}
	return v
}

// checkGuard reports bytes between the elements that were written.
func (l layout) checkGuard(t *testing.T) {
	t.Helper()
	clean := l.view
	clean.Data = bytes.Repeat([]byte{guard}, len(l.view.Data))
	nd.Copy(clean, l.view)
	if bytes.Equal(l.view.Data, clean.Data) {
		return
	}
	for i, b := range l.view.Data {
		if b != clean.Data[i] {
			t.Fatalf("%s: byte %d is outside the view and was written", l.name, i)
		}
	}
}
