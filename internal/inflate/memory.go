package inflate

import (
	"encoding/binary"
	"unsafe"
)

// memory is a buffer that the fast loop reads and writes in words. Every access
// compares its place with the last that is allowed. The margins of the loop make
// that always hold; an error in them is a panic, not damage. Slices would compare
// too, but cost a third of the speed, since each access cuts them anew.
type memory struct {
	p    unsafe.Pointer
	last uint // where the last eight bytes begin
}

// outside is what a panic says when the margins are wrong.
const outside = "inflate: access outside of the margins"

// memoryOf is b, which has at least eight bytes.
func memoryOf(b []byte) memory {
	return memory{unsafe.Pointer((*[8]byte)(b)), uint(len(b) - 8)}
}

func (m memory) at(i uint) *[8]byte { return (*[8]byte)(unsafe.Add(m.p, i)) }

// load gives the eight bytes at i.
func (m memory) load(i uint) uint64 {
	if i > m.last {
		panic(outside)
	}
	return binary.LittleEndian.Uint64(m.at(i)[:])
}

// store writes eight bytes at i.
func (m memory) store(i uint, v uint64) {
	if i > m.last {
		panic(outside)
	}
	binary.LittleEndian.PutUint64(m.at(i)[:], v)
}

// store2 writes two bytes at i.
func (m memory) store2(i uint, v uint16) {
	if i > m.last {
		panic(outside)
	}
	binary.LittleEndian.PutUint16(m.at(i)[:], v)
}

// copy32 copies 32 bytes forwards, from a place that is 16 or more bytes before
// the other.
func (m memory) copy32(to, from uint) {
	if to+24 > m.last || from > to {
		panic(outside)
	}
	*(*[16]byte)(unsafe.Add(m.p, to)) = *(*[16]byte)(unsafe.Add(m.p, from))
	*(*[16]byte)(unsafe.Add(m.p, to+16)) = *(*[16]byte)(unsafe.Add(m.p, from+16))
}

// repeat fills from at to end with the bytes before it, the last n of which come
// again and again, n being less than 8. It writes up to seven bytes more.
func (m memory) repeat(at, end, n uint) {
	v := m.load(at - n)
	v = v & (1<<(8*n&63) - 1) * repeated[n&7]
	step := uint(repeatSteps[n&7])
	for ; at < end; at += step {
		m.store(at, v)
	}
}

// By how many bytes repeat, what to multiply them with to have as many of them as
// fit into eight, and how many bytes that are, whole.
var (
	repeated = [8]uint64{
		1: 0x0101010101010101, 2: 0x0001000100010001, 3: 0x0001000001000001,
		4: 0x0000000100000001, 5: 0x0000010000000001, 6: 0x0001000000000001, 7: 0x0100000000000001,
	}
	repeatSteps = [8]uint8{1: 8, 2: 8, 3: 6, 4: 8, 5: 5, 6: 6, 7: 7}
)
