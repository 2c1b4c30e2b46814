package nd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// streamFrom is the size of memory from which on rows are copied past the cache:
// it does not stay in any cache until somebody reads it.
const streamFrom = 64 << 20

// longRun is up to which size of runs copying them is not worth a call each.
const longRun = 4 << 10

var canStream = cpu.X86.HasAVX

//go:noescape
func streamRows(dst, src unsafe.Pointer, run, n, ds, ss int)

//go:noescape
func fetchRows(dst, src unsafe.Pointer, run, n, ds, ss int)

func fence()

// copyLines copies n runs that are whole cache lines, and reports whether it did. Into
// large memory it copies past the cache, which saves fetching lines that are only
// overwritten. Else it fetches ahead, which processors do not do themselves where runs
// are short and lie apart: cutting a chunk out of an array takes two thirds of the time.
func copyLines(dst, src []byte, d, s, run int, l loop) bool {
	if !canStream || run < line || run%line != 0 || l.n < 1 || l.ds < 0 || l.ss < 0 {
		return false
	}
	// The last runs must lie in memory too.
	to, from := dst[d:d+(l.n-1)*l.ds+run], src[s:s+(l.n-1)*l.ss+run]
	switch {
	case len(dst) >= streamFrom && (uintptr(unsafe.Pointer(&to[0]))|uintptr(l.ds))%line == 0:
		streamRows(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), run, l.n, l.ds, l.ss)
	case run <= longRun:
		fetchRows(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), run, l.n, l.ds, l.ss)
	default:
		return false
	}
	return true
}

// settle makes what was copied past the cache to mem visible to others before
// anybody is told that the copy is done.
func settle(mem []byte) {
	if canStream && len(mem) >= streamFrom {
		fence()
	}
}
