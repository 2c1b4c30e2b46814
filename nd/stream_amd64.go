package nd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// streamFrom is the size of memory from which on rows are copied past the cache:
// it does not stay in any cache until somebody reads it.
const streamFrom = 64 << 20

var canStream = cpu.X86.HasAVX

//go:noescape
func streamRows(dst, src unsafe.Pointer, run, n, ds, ss int)

func fence()

// stream copies n runs past the cache, which saves fetching lines that are only
// overwritten. It reports whether it did: the memory must be large, and runs whole
// cache lines.
func stream(dst, src []byte, d, s, run int, l loop) bool {
	if !canStream || len(dst) < streamFrom || run < line || run%line != 0 || l.n < 1 || l.ds < 0 || l.ss < 0 {
		return false
	}
	// The last runs must lie in memory too.
	to, from := dst[d:d+(l.n-1)*l.ds+run], src[s:s+(l.n-1)*l.ss+run]
	if (uintptr(unsafe.Pointer(&to[0]))|uintptr(l.ds))%line != 0 {
		return false
	}
	streamRows(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), run, l.n, l.ds, l.ss)
	return true
}

// settle makes what was copied past the cache to mem visible to others before
// anybody is told that the copy is done.
func settle(mem []byte) {
	if canStream && len(mem) >= streamFrom {
		fence()
	}
}
