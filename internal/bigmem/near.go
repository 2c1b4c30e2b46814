package bigmem

import (
	"sync"
	"unsafe"
)

// block is by how much the heap grows at once.
const block = 4 << 20

// advised are the blocks of the heap that have large pages.
var advised sync.Map // of uintptr

// Bytes makes n zero bytes which have large pages together with others of their kind, where
// Make would leave each of them to many small ones. It is for what comes often and stays for a
// while, such as what caches keep, and costs no memory beyond: pages that nothing lies in are
// given back as ever.
func Bytes(n int) []byte {
	b := make([]byte, n)
	if n < leastOfMany {
		return b
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for base := at &^ (block - 1); base < at+uintptr(n); base += block {
		if _, known := advised.LoadOrStore(base, struct{}{}); !known {
			adviseRange(base, block)
		}
	}
	return b
}

// leastOfMany is the size from which pieces count.
const leastOfMany = 64 << 10
