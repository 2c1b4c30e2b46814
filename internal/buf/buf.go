// Package buf lends byte buffers, so that coding a chunk allocates nothing
// once the process has warmed up.
package buf

import (
	"math/bits"
	"sync"
)

// Buffer is a lent slice. B may be cut and grown by appending; Free takes it
// back.
type Buffer struct {
	B   []byte
	own []byte // what was lent, whole

	idle uint8 // collections that it has lain on a shelf
}

// Buffers are kept by the power of two that their capacity reaches, from 512
// bytes to 1 GiB; larger ones are left to the garbage collector. Every buffer
// has some room beyond, since chunks have sizes that are powers of two, and
// want a checksum or a margin behind them.
const (
	minClass = 9
	large    = 18 // from which class on they are kept on a shelf
	maxClass = 30
	extra    = 1 << 10
)

var (
	pools   [large]sync.Pool
	shelves [maxClass + 1 - large]shelf
)

// Get lends a buffer of length 0 with room for at least n bytes.
func Get(n int) *Buffer {
	c := max(bits.Len(uint(max(n-extra, 1)-1)), minClass)
	if c > maxClass {
		b := make([]byte, 0, n)
		return &Buffer{B: b, own: b}
	}
	if b := kept(c); b != nil {
		b.B = b.own
		return b
	}
	b := make([]byte, 0, 1<<c+extra)
	return &Buffer{B: b, own: b}
}

// kept gives a buffer of a class, or nil if none is left.
func kept(class int) *Buffer {
	if class >= large {
		return shelves[class-large].get()
	}
	b, _ := pools[class].Get().(*Buffer)
	return b
}

// Free takes the buffer back; the caller must not use it or its bytes again.
func (b *Buffer) Free() {
	if b == nil {
		return
	}
	// A buffer that was grown may have any capacity: it serves the class that
	// it surely covers.
	if cap(b.B) > cap(b.own) {
		b.own = b.B[:0]
	}
	c := bits.Len(uint(max(cap(b.own)-extra, 0))) - 1
	switch {
	case c < minClass || c > maxClass:
	case c >= large:
		shelves[c-large].put(b)
	default:
		pools[c].Put(b)
	}
}
