package zfp

import "fmt"

// Array is strided memory of one to four axes, the slowest first. Numbers are
// little-endian.
type Array struct {
	Elem    Elem
	Data    []byte
	Offset  int
	Shape   []int
	Strides []int // in bytes
}

// Append appends the stream of src to dst, behind a header if one is wanted.
func Append(dst []byte, src Array, p Params, header bool) ([]byte, error) {
	w := writer{dst: dst}
	if header {
		if err := writeHeader(&w, src.Elem.Type, src.Shape, p); err != nil {
			return dst, err
		}
	}
	var err error
	if src.Elem.Type.precision() == 32 {
		b := pool32.Get().(*work[int32])
		err = encode(&w, b, src, p)
		pool32.Put(b)
	} else {
		b := pool64.Get().(*work[int64])
		err = encode(&w, b, src, p)
		pool64.Put(b)
	}
	if err != nil {
		return dst, err
	}
	return w.flush(), nil
}

func encode[T integer](w *writer, b *work[T], src Array, p Params) error {
	b.set(src.Elem.Type, len(src.Shape), p)
	g := newGrid(src.Shape)
	for ok := true; ok; ok = g.next() {
		if err := gather(b.ints[:b.n], &src, &g); err != nil {
			return err
		}
		b.encode(w)
	}
	return nil
}

// Stream is an encoded array.
type Stream struct {
	Data   []byte
	Start  int   // where the blocks start, in bits
	Shape  []int // slowest axis first
	Params Params
}

// Decode fills dst with the box of the array that begins at start. Where that is
// the whole array, it also checks that the stream ends where its blocks do. With
// strict set it always does, and checks that the last word is filled up with
// zeros.
func (s Stream) Decode(start []int, dst Array, strict bool) error {
	if dst.Elem.Type.precision() == 32 {
		b := pool32.Get().(*work[int32])
		defer pool32.Put(b)
		return decode(b, s, start, dst, strict)
	}
	b := pool64.Get().(*work[int64])
	defer pool64.Put(b)
	return decode(b, s, start, dst, strict)
}

func decode[T integer](b *work[T], s Stream, start []int, dst Array, strict bool) error {
	b.set(dst.Elem.Type, len(s.Shape), s.Params)
	g := newGrid(s.Shape)
	whole, last := g.cut(start, dst.Shape)
	r := reader{data: s.Data, pos: s.Start}
	fixed := s.Params.fixed(b.typ)
	for i, ok := 0, true; ok; i, ok = i+1, g.next() {
		if i > last && !strict {
			return nil
		}
		wanted := g.wanted()
		if fixed > 0 && !wanted {
			r.pos += fixed
		} else {
			b.parse(&r)
		}
		if r.over() {
			return fmt.Errorf("data ends in block %d of %d, after %d bytes", i, g.blocks(), len(s.Data))
		}
		if wanted {
			b.finish()
			scatter(&dst, b.ints[:b.n], &g)
		}
	}
	if !whole && !strict {
		return nil
	}
	if n := words(r.pos); n != len(s.Data) {
		return fmt.Errorf("blocks end at byte %d, the data at byte %d", n, len(s.Data))
	}
	if end := len(s.Data)*8 - r.pos; strict && r.get(end) != 0 {
		return fmt.Errorf("the last %d bits are not zero", end)
	}
	return nil
}

// gather reads a block. Values that it has beyond the edge of the array are
// copies of others.
func gather[T integer](block []T, src *Array, g *grid) error {
	var at [4][4]int // where values lie, along each axis
	rank := len(src.Shape)
	for a := range rank {
		n, stride := g.n[a]-4*g.at[a], src.Strides[rank-1-a]
		for i, k := range edge[min(n, 4)] {
			at[a][i] = (4*g.at[a] + k) * stride
		}
	}
	i := 0
	for _, w := range at[3][:g.per[3]] {
		for _, z := range at[2][:g.per[2]] {
			for _, y := range at[1][:g.per[1]] {
				row := src.Offset + w + z + y
				if err := load(block[i:i+4:i+4], src.Elem, src.Data, row, &at[0]); err != nil {
					return err
				}
				i += 4
			}
		}
	}
	return nil
}

// edge tells which of the n values that are inside the four of a block are.
var edge = [5][4]int{1: {0, 0, 0, 0}, 2: {0, 1, 1, 0}, 3: {0, 1, 2, 0}, 4: {0, 1, 2, 3}}

// scatter writes the part of a block that is wanted.
func scatter[T integer](dst *Array, block []T, g *grid) {
	rank := len(dst.Shape)
	var lo, hi, stride [4]int
	offset := dst.Offset
	for a := range 4 {
		var at int
		lo[a], hi[a], at = g.part(a)
		if a < rank {
			stride[a] = dst.Strides[rank-1-a]
			offset += (at - lo[a]) * stride[a]
		}
	}
	for w := lo[3]; w < hi[3]; w++ {
		for z := lo[2]; z < hi[2]; z++ {
			for y := lo[1]; y < hi[1]; y++ {
				i := 64*w + 16*z + 4*y
				o := offset + w*stride[3] + z*stride[2] + y*stride[1] + lo[0]*stride[0]
				store(dst.Elem, dst.Data, o, stride[0], block[i+lo[0]:i+hi[0]])
			}
		}
	}
}
