package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasBMI2 = cpu.X86.HasBMI2

// turnsAtOnce is about how many bytes the kernel writes in one call, in which the
// runtime cannot interrupt it: less than a millisecond.
const turnsAtOnce = 128 << 10

// turns is what the kernel works on.
type turns struct {
	src, dst       unsafe.Pointer // where to read and write next
	srcEnd, dstEnd unsafe.Pointer // behind these no turn begins
	first          unsafe.Pointer // of the output
	lit            *litTable
	off            *offTable
	bb, bn         uint64
}

//go:noescape
func fastBMI2(t *turns)

// turnsFast does turns of fast, up to the first that ends the block or is wrong: it leaves that
// one, and those near the ends of the buffers, as if it had not seen them. Both buffers
// are longer than the margins.
func (d *decoder) turnsFast() {
	if !hasBMI2 {
		return
	}
	src, dst := unsafe.Pointer(unsafe.SliceData(d.src)), unsafe.Pointer(unsafe.SliceData(d.dst))
	last := len(d.dst) - dstMargin
	for d.ip <= len(d.src)-srcMargin && d.op <= last {
		to := min(d.op+turnsAtOnce, last)
		t := turns{
			unsafe.Add(src, d.ip), unsafe.Add(dst, d.op), unsafe.Add(src, len(d.src)-srcMargin), unsafe.Add(dst, to),
			dst, d.lit, d.off, d.bb, uint64(d.bn),
		}
		fastBMI2(&t)
		d.ip, d.op = int(uintptr(t.src)-uintptr(src)), int(uintptr(t.dst)-uintptr(dst))
		d.bb, d.bn = t.bb, uint(t.bn&63)
		if d.op <= to {
			return // not for lack of room
		}
	}
}
