// Package bigmem makes large pieces of fresh memory cheap to fill.
package bigmem

import "unsafe"

// least is the size from which asking for large pages pays.
const least = 8 << 20

// Make returns n zero values. Where the system offers large pages, big results
// are backed by them: a read that fills fresh memory spends most of its time in
// page faults otherwise.
func Make[T any](n int) []T {
	s := make([]T, n)
	var t T
	if size := n * int(unsafe.Sizeof(t)); size >= least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}

// fallback is taken for the machine's memory where it cannot be asked.
const fallback = 64 << 30
