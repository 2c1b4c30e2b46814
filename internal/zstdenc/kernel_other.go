//go:build !amd64

package zstdenc

import "unsafe"

// Here all is done in Go.

func (e *encoder) candidatesFast(p unsafe.Pointer, first, n uint) uint { return 0 }

func (sc *laneScratch) parseFast(first, n uint) {}

func (w *sequenceWriter) writeFast() {}
