package nd

import "encoding/binary"

// line is the length of a cache line.
const line = 64

// turned is a tile after it was turned, a line for every column. Tiles read whole
// cache lines and write whole cache lines, each once. That matters where lines lie
// a power of two apart, since few of those stay in a cache.
type turned [tile * line]byte

// What a plane must have for turning it in such tiles to pay: bytes in all, and
// bytes between its lines if there are no kernels for it.
const (
	minTurn = 512
	farTurn = 4 << 10
)

// turn copies runs whose innermost axis in the source is another than in the
// destination, of at least two axes. It reports whether it did: runs must be as
// long as numbers are, and both axes contiguous.
func (c *copier) turn(d, s int, loops []loop) bool {
	last := len(loops) - 1
	row := loops[last]
	switch c.run {
	case 1, 2, 4, 8:
	default:
		return false
	}
	if row.ds != c.run {
		return false
	}
	for i, col := range loops[:last] {
		if col.ss != c.run {
			continue
		}
		if col.n*row.n < minTurn/c.run || !hasTurn(row.n, col.n, c.run) && !farApart(row, col) {
			return false
		}
		copy(loops[i:], loops[i+1:last])
		loops[last-1] = col
		c.turnAll(d, s, loops)
		return true
	}
	return false
}

// farApart reports whether a plane is neither narrow nor dense.
func farApart(row, col loop) bool {
	return row.n >= tile/8 && col.n >= tile/8 && max(abs(row.ss), abs(col.ds)) >= farTurn
}

// turnAll has the memory for tiles, which should burden no other copy.
//
//go:noinline
func (c *copier) turnAll(d, s int, loops []loop) {
	var t turned
	c.turnLoops(&t, d, s, loops)
}

func (c *copier) turnLoops(t *turned, d, s int, loops []loop) {
	if len(loops) == 2 {
		c.turnPlane(t, d, s, loops[0], loops[1])
		return
	}
	l := loops[0]
	for range l.n {
		c.turnLoops(t, d, s, loops[1:])
		d += l.ds
		s += l.ss
	}
}

// turnPlane copies a plane whose columns are contiguous in the source, and whose
// rows in the destination.
func (c *copier) turnPlane(t *turned, d, s int, col, row loop) {
	size := c.run // what is one run here is one element to the kernels
	out := copier{dst: c.dst, src: t[:], width: c.width}
	for i := 0; i < row.n; {
		// The first tile reaches to where a line of the destination begins.
		next := i + line/size
		if ahead := lineAhead(c.dst, d+i*size); col.ds%line == 0 && ahead%size == 0 {
			next = i + ahead/size
		}
		// Kernels take so many rows at a time: a short tile takes some of its
		// neighbours along.
		at, end := i, min(next, row.n)
		if short := kernelRows(size) - (end - at); short > 0 {
			end = min(row.n, end+short)
			at = max(0, end-kernelRows(size))
		}
		i = next
		for k := 0; k < col.n; k += tile {
			k, m := k, min(tile, col.n-k)
			if short := kernelCols(size) - m; short > 0 {
				k = max(0, k-short)
				m = col.n - k
			}
			turnTile(t, c.src, s+at*row.ss+k*size, row.ss, end-at, m, size)
			out.run = (end - at) * size
			out.row(d+at*size+k*col.ds, 0, loop{m, col.ds, line})
		}
	}
}

// turnTile puts element k of the i-th row at byte i*size of line k. Rows begin at
// byte s of src, and their distance is ss.
func turnTile(t *turned, src []byte, s, ss, rows, cols, size int) {
	if turnFast(t, src, s, ss, rows, cols, size) {
		return
	}
	for i := range rows {
		row, col := src[s+i*ss:][:cols*size], t[i*size:]
		switch size {
		case 1:
			for k, x := range row {
				col[k*line] = x
			}
		case 2:
			for k := range cols {
				binary.NativeEndian.PutUint16(col[k*line:], binary.NativeEndian.Uint16(row[2*k:]))
			}
		case 4:
			for k := range cols {
				binary.NativeEndian.PutUint32(col[k*line:], binary.NativeEndian.Uint32(row[4*k:]))
			}
		case 8:
			for k := range cols {
				binary.NativeEndian.PutUint64(col[k*line:], binary.NativeEndian.Uint64(row[8*k:]))
			}
		}
	}
}
