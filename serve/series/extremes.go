package series

import (
	"math"

	"github.com/omnizarr/zarr/internal/numeric"
)

// layout says where the samples of a part lie in memory, and how they are cut into
// blocks.
type layout struct {
	rows, channels int // of the part
	row, channel   int // how far apart neighbours are, in elements
	block          int // rows in one
}

func (l layout) blocks() int { return (l.rows + l.block - 1) / l.block }

// pair are the types that extremes are kept in: float32 where it holds every sample
// exactly.
type pair interface{ float32 | float64 }

// extremes finds the least and the greatest sample of every block of every channel, in
// [channels][blocks][2]. What is no finite number is passed over; both are NaN if there
// is nothing else.
func extremes[T numeric.Integer | numeric.Float, F pair](dst []F, src []T, l layout, least, greatest T) {
	blocks := l.blocks()
	none := F(math.NaN())
	put := func(c, b int, low, high T) {
		at := dst[(c*blocks+b)*2:]
		if at[0], at[1] = F(low), F(high); low > high {
			at[0], at[1] = none, none
		}
	}
	if l.row == 1 { // time runs through memory
		for c := range l.channels {
			line := src[c*l.channel:][:l.rows]
			for b := range blocks {
				low, high := greatest, least
				for _, x := range line[b*l.block : min((b+1)*l.block, l.rows)] {
					if x < low && x >= least {
						low = x
					}
					if x > high && x <= greatest {
						high = x
					}
				}
				put(c, b, low, high)
			}
		}
		return
	}
	low, high := make([]T, l.channels), make([]T, l.channels)
	for b := range blocks {
		for c := range low {
			low[c], high[c] = greatest, least
		}
		for r := b * l.block; r < min((b+1)*l.block, l.rows); r++ {
			row := src[r*l.row:][:l.channels]
			lows, highs := low[:len(row)], high[:len(row)]
			for c, x := range row {
				if x < lows[c] && x >= least {
					lows[c] = x
				}
				if x > highs[c] && x <= greatest {
					highs[c] = x
				}
			}
		}
		for c := range low {
			put(c, b, low[c], high[c])
		}
	}
}

// join joins extremes of blocks into those of larger ones, each of so many.
func join[F pair](dst, src []F, channels, blocks, each int) {
	larger := (blocks + each - 1) / each
	for c := range channels {
		for b := range larger {
			low, high := F(math.NaN()), F(math.NaN())
			for k := b * each; k < min((b+1)*each, blocks); k++ {
				at := (c*blocks + k) * 2
				low, high = widen(low, high, src[at], src[at+1])
			}
			at := (c*larger + b) * 2
			dst[at], dst[at+1] = low, high
		}
	}
}

// widen makes a range hold another; NaN is none.
func widen[F pair](low, high, l, h F) (F, F) {
	if !(low <= l) && l == l {
		low = l
	}
	if !(high >= h) && h == h {
		high = h
	}
	return low, high
}

// kernel finds the extremes of elements in memory.
type kernel struct {
	narrow bool // pairs are float32
	run    func(pairs, elems []byte, l layout)
}

// size is that of the two extremes of a block.
func (k kernel) size() int {
	if k.narrow {
		return 8
	}
	return 16
}

func made[T numeric.Integer | numeric.Float, F pair](least, greatest T) kernel {
	var f F
	_, narrow := any(f).(float32)
	return kernel{narrow, func(pairs, elems []byte, l layout) {
		extremes(numeric.Slice[F](pairs), numeric.Slice[T](elems), l, least, greatest)
	}}
}

// kernels are those of the types that Go has.
var kernels = map[string]kernel{
	"int8":    made[int8, float32](math.MinInt8, math.MaxInt8),
	"uint8":   made[uint8, float32](0, math.MaxUint8),
	"int16":   made[int16, float32](math.MinInt16, math.MaxInt16),
	"uint16":  made[uint16, float32](0, math.MaxUint16),
	"int32":   made[int32, float64](math.MinInt32, math.MaxInt32),
	"uint32":  made[uint32, float64](0, math.MaxUint32),
	"int64":   made[int64, float64](math.MinInt64, math.MaxInt64),
	"uint64":  made[uint64, float64](0, math.MaxUint64),
	"float32": made[float32, float32](-math.MaxFloat32, math.MaxFloat32),
	"float64": made[float64, float64](-math.MaxFloat64, math.MaxFloat64),
}

// pairsAt reads the extremes of blocks that were kept.
type pairsAt struct {
	narrow []float32
	wide   []float64
}

func (k kernel) pairs(b []byte) pairsAt {
	if k.narrow {
		return pairsAt{narrow: numeric.Slice[float32](b)}
	}
	return pairsAt{wide: numeric.Slice[float64](b)}
}

// at is block i.
func (p pairsAt) at(i int) (low, high float64) {
	if p.narrow != nil {
		return float64(p.narrow[2*i]), float64(p.narrow[2*i+1])
	}
	return p.wide[2*i], p.wide[2*i+1]
}

// join is join for what was kept.
func (k kernel) join(fine []byte, channels, blocks, each int) []byte {
	out := make([]byte, channels*((blocks+each-1)/each)*k.size())
	if k.narrow {
		join(numeric.Slice[float32](out), numeric.Slice[float32](fine), channels, blocks, each)
	} else {
		join(numeric.Slice[float64](out), numeric.Slice[float64](fine), channels, blocks, each)
	}
	return out
}
