package nd

import (
	"encoding/binary"
	"sync"
)

// RefSize is the size in bytes of a reference to a value of variable length.
const RefSize = 16

// Heap holds the bytes of values that have no fixed length. A view's elements
// refer to them by (blob, offset, length), so a decoder hands over the buffer
// it decoded and nothing is allocated per element. The zero reference is the
// empty value. A Heap may be used by several goroutines.
type Heap struct {
	mu    sync.RWMutex
	blobs [][]byte
}

// Add keeps blob and returns its number for PutRef. The caller must not change
// it afterwards.
func (h *Heap) Add(blob []byte) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.blobs = append(h.blobs, blob)
	return len(h.blobs) - 1
}

// Blobs returns all blobs added so far; reading many references through it
// takes the lock only once.
func (h *Heap) Blobs() Blobs {
	if h == nil {
		return nil
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.blobs[:len(h.blobs):len(h.blobs)]
}

// Compact copies blobs that lie in much larger buffers, so that these can go,
// and returns the number of bytes in all blobs.
func (h *Heap) Compact() int {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for i, b := range h.blobs {
		if cap(b) > 2*len(b) {
			h.blobs[i] = append(make([]byte, 0, len(b)), b...)
		}
		n += len(b)
	}
	return n
}

// Import adds all blobs of other and returns what must be added to the blob
// numbers of references into it.
func (h *Heap) Import(other *Heap) int {
	blobs := other.Blobs()
	h.mu.Lock()
	defer h.mu.Unlock()
	base := len(h.blobs)
	h.blobs = append(h.blobs, blobs...)
	return base
}

// Fork gives a heap that has the same blobs and takes others: references into h
// are references into it too.
func (h *Heap) Fork() *Heap {
	if h == nil {
		return nil
	}
	return &Heap{blobs: h.Blobs()}
}

// Blobs resolves references.
type Blobs [][]byte

// Value returns the bytes that the reference in ref stands for.
func (b Blobs) Value(ref []byte) []byte {
	lo, hi := binary.LittleEndian.Uint64(ref), binary.LittleEndian.Uint64(ref[8:])
	n := refLength(lo, hi)
	if n == 0 {
		return nil
	}
	off := int(hi & offsetBits)
	return b[uint32(lo)][off : off+n : off+n]
}

// A reference is two words of 64 bits: the blob's number and the low half of the
// length, then the offset and the rest of the length. Offsets and lengths have 48
// bits, which is more than any machine has memory.
const offsetBits = 1<<48 - 1

func refLength(lo, hi uint64) int { return int(lo>>32 | hi>>48<<32) }

// PutRef writes a reference to length bytes at offset of a blob.
func PutRef(ref []byte, blob, offset, length int) {
	if length == 0 {
		clear(ref[:RefSize])
		return
	}
	binary.LittleEndian.PutUint64(ref, uint64(length)<<32|uint64(uint32(blob)))
	binary.LittleEndian.PutUint64(ref[8:], uint64(length)>>32<<48|uint64(offset))
}

// Rebase adds base to the blob numbers of the references that stand at the
// given offsets of every element of v, after v's bytes were copied from memory
// that refers to another heap.
func Rebase(v View, offsets []int, base int) {
	if base == 0 {
		return
	}
	v.Each(func(elem []byte) {
		for _, o := range offsets {
			ref := elem[o:]
			if refLength(binary.LittleEndian.Uint64(ref), binary.LittleEndian.Uint64(ref[8:])) != 0 {
				binary.LittleEndian.PutUint32(ref, binary.LittleEndian.Uint32(ref)+uint32(base))
			}
		}
	})
}

// Each calls f with the bytes of every element in C order.
func (v View) Each(f func(elem []byte)) {
	for _, n := range v.Shape {
		if n == 0 {
			return
		}
	}
	var at [MaxRank]int
	idx := at[:len(v.Shape)]
	for o := v.Offset; ; o = v.Offset + v.Dot(idx) {
		f(v.Data[o : o+v.Size : o+v.Size])
		if !Next(idx, v.Shape) {
			return
		}
	}
}
