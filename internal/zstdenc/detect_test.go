package zstdenc

import "unsafe"

func detectLanesIn(b []byte) (uint, bool) {
	return detectLanes(unsafe.Pointer(unsafe.SliceData(b)), 0, uint(len(b)))
}
