package pco

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// file decodes a whole file.
func (d *decoder) file(dst, src []byte, t Type) (int, error) {
	if !t.Valid() || len(dst)%t.Size() != 0 {
		return 0, fmt.Errorf("%d bytes cannot hold numbers of %v", len(dst), t)
	}
	d.t = t
	r := &d.r
	r.reset(src)
	if err := d.header(); err != nil {
		return 0, err
	}
	want, have := len(dst)/t.Size(), 0
	for {
		if r.left() < 8 {
			return 0, errShort
		}
		k := Type(r.read(8))
		if k == 0 {
			break
		}
		if k != t {
			return 0, fmt.Errorf("holds numbers of %v, want %v", k, t)
		}
		n := int(r.read(24)) + 1
		if n > want-have {
			return 0, fmt.Errorf("holds at least %d numbers, want %d", have+n, want)
		}
		if err := d.chunk(dst[have*t.Size():(have+n)*t.Size()], n); err != nil {
			return 0, err
		}
		have += n
	}
	if have != want {
		return 0, fmt.Errorf("holds %d numbers, want %d", have, want)
	}
	return r.offset(), nil
}

// chunk decodes n numbers into dst, which has room for just these.
func (d *decoder) chunk(dst []byte, n int) error {
	if err := d.chunkMeta(); err != nil {
		return err
	}
	if err := d.pageMeta(n); err != nil {
		return err
	}
	size := d.t.Size()
	for left := n; left > 0; left -= batchLen {
		k := min(left, batchLen)
		if err := d.batch(dst[:k*size], k, left); err != nil {
			return err
		}
		dst = dst[k*size:]
	}
	if !d.r.align() {
		return errors.New("bits behind the numbers of a chunk are not zero")
	}
	return nil
}

// batch decodes the next k of the left numbers of a chunk.
func (d *decoder) batch(dst []byte, k, left int) error {
	var backs []uint64
	if d.delta == lookback {
		n := min(k, max(0, left-d.primary.stateLen))
		if err := d.latents(&d.backs, n); err != nil {
			return err
		}
		backs = d.backs.out[:n]
	}
	if err := d.undone(&d.primary, k, left, backs); err != nil {
		return err
	}
	if d.two() {
		if err := d.undone(&d.secondary, k, left, backs); err != nil {
			return err
		}
	}
	if err := d.combine(k); err != nil {
		return err
	}
	store(dst, d.primary.out[:k], d.t)
	return nil
}

// undone reads k latents of a variable and undoes the differences.
func (d *decoder) undone(v *variable, k, left int, backs []uint64) error {
	if err := d.latents(v, min(k, max(0, left-v.stateLen))); err != nil {
		return err
	}
	return d.undo(v, k, backs)
}

// latents reads n numbers of bins and as many offsets into v.out.
func (d *decoder) latents(v *variable, n int) error {
	if n == 0 {
		return nil
	}
	r := &d.r
	r.ensure()
	out, offsetBits := v.out[:n], d.offsetBits[:n]
	switch {
	case v.bins <= 1:
		for i := range out {
			out[i] = v.nodes[0].lower
			offsetBits[i] = v.widest
		}
	case n == batchLen:
		r.pos = v.fullBins(r.b, r.pos, &d.offsetBits)
	default:
		r.pos = v.someBins(r.b, r.pos, offsetBits)
	}
	switch {
	case v.widest == 0:
	case v.widest <= 57:
		r.pos = addOffsets(out, r.b, r.pos, offsetBits)
	default:
		for i, k := range offsetBits {
			out[i] += r.at(r.pos, uint(k))
			r.pos += uint(k)
		}
	}
	if r.pos > r.end {
		return errShort
	}
	return nil
}

// fullBins reads the bins of a whole batch. One load of eight bytes holds what
// all four states can read, 14 bits each.
func (v *variable) fullBins(b []byte, pos uint, offsetBits *[batchLen]uint8) uint {
	s0, s1, s2, s3 := v.states[0], v.states[1], v.states[2], v.states[3]
	nodes, out := v.nodes, &v.out
	for i := 0; i < batchLen; i += 4 {
		w := binary.LittleEndian.Uint64(b[pos>>3:]) >> (pos & 7)
		n0, n1, n2, n3 := nodes[s0], nodes[s1], nodes[s2], nodes[s3]
		out[i], out[i+1], out[i+2], out[i+3] = n0.lower, n1.lower, n2.lower, n3.lower
		offsetBits[i], offsetBits[i+1], offsetBits[i+2], offsetBits[i+3] = n0.offsetBits, n1.offsetBits, n2.offsetBits, n3.offsetBits
		s0 = uint32(n0.next) + uint32(w)&(1<<(n0.bits&31)-1)
		w >>= n0.bits & 63
		s1 = uint32(n1.next) + uint32(w)&(1<<(n1.bits&31)-1)
		w >>= n1.bits & 63
		s2 = uint32(n2.next) + uint32(w)&(1<<(n2.bits&31)-1)
		w >>= n2.bits & 63
		s3 = uint32(n3.next) + uint32(w)&(1<<(n3.bits&31)-1)
		pos += uint(n0.bits) + uint(n1.bits) + uint(n2.bits) + uint(n3.bits)
	}
	v.states = [states]uint32{s0, s1, s2, s3}
	return pos
}

// someBins reads the bins of the last batch.
func (v *variable) someBins(b []byte, pos uint, offsetBits []uint8) uint {
	for i := range offsetBits {
		s := &v.states[i%states]
		n := v.nodes[*s]
		v.out[i], offsetBits[i] = n.lower, n.offsetBits
		w := binary.LittleEndian.Uint32(b[pos>>3:]) >> (pos & 7)
		*s = uint32(n.next) + w&(1<<(n.bits&31)-1)
		pos += uint(n.bits)
	}
	return pos
}

// addOffsets adds offsets of at most 57 bits, for which one load is enough.
func addOffsets(out []uint64, b []byte, pos uint, offsetBits []uint8) uint {
	offsetBits = offsetBits[:len(out)]
	for i := range out {
		k := uint(offsetBits[i])
		out[i] += binary.LittleEndian.Uint64(b[pos>>3:]) >> (pos & 7) & (1<<(k&63) - 1)
		pos += k
	}
	return pos
}
