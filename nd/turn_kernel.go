//go:build amd64 || arm64

package nd

import "unsafe"

//go:noescape
func turn1Kernel(dst, src unsafe.Pointer, ss, n int)

//go:noescape
func turn2Kernel(dst, src unsafe.Pointer, ss, n int)

//go:noescape
func turn4Kernel(dst, src unsafe.Pointer, ss, n int)

//go:noescape
func turn8Kernel(dst, src unsafe.Pointer, ss, n int)

// kernelRows is how many rows a kernel turns at a time.
func kernelRows(size int) int { return step / size }

// hasTurn reports whether kernels turn planes of so many rows and columns.
func hasTurn(rows, cols, size int) bool {
	return hasKernels && rows >= kernelRows(size) && cols >= kernelCols(size)
}

// turnFast does turnTile, and reports whether it could.
func turnFast(t *turned, src []byte, s, ss, rows, cols, size int) bool {
	if !hasTurn(rows, cols, size) {
		return false
	}
	r, m := kernelRows(size), kernelCols(size)
	// What the kernels rely on: all rows lie in memory, and the tile in t.
	far := s + (rows-1)*ss
	_, _ = src[s:s+cols*size], src[far:far+cols*size]
	_ = t[(cols-1)*line+rows*size-1]
	for i := 0; i < rows; i += r {
		// The last rows and columns may be done twice.
		i := min(i, rows-r)
		from := unsafe.Pointer(&src[s+i*ss])
		turnCols(unsafe.Pointer(&t[i*size]), from, ss, cols/m, size)
		if rest := cols % m; rest > 0 {
			k := cols - m
			turnCols(unsafe.Pointer(&t[k*line+i*size]), unsafe.Pointer(&src[s+i*ss+k*size]), ss, 1, size)
		}
	}
	return true
}

// turnCols turns n times kernelCols columns.
func turnCols(dst, src unsafe.Pointer, ss, n, size int) {
	switch size {
	case 1:
		turn1Kernel(dst, src, ss, n)
	case 2:
		turn2Kernel(dst, src, ss, n)
	case 4:
		turn4Kernel(dst, src, ss, n)
	case 8:
		turn8Kernel(dst, src, ss, n)
	}
}

// lineAhead is how many bytes of mem from byte i on are left until a cache line
// begins, at least one.
func lineAhead(mem []byte, i int) int {
	return line - int(uintptr(unsafe.Pointer(&mem[i]))%line)
}
