package levels

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// What a Quick answer may cost: so many chunks of the level that is stored, and so many
// bytes that they are decoded to.
const (
	quickChunks = 1024
	quickBytes  = 64 << 20
	leastChunks = 4 // of chunks that are larger
)

// base is the coarsest level that is stored, of which all others are made.
func (img *Image) base() *zarr.Array { return img.Levels[img.Stored-1].Array }

// factor is how many elements of the coarsest stored level one of a level is.
func (img *Image) factor(level, axis int) int {
	return int(math.Round(img.Levels[level].Scale[axis] / img.Levels[img.Stored-1].Scale[axis]))
}

// baseChunks are the chunks of the coarsest stored level.
func (img *Image) baseChunks() []int {
	a := img.base()
	if c := a.ChunkShape(); c != nil {
		return c
	}
	// They differ: about as long as all are on the whole.
	out := make([]int, len(a.Shape()))
	for i := range out {
		out[i] = small
	}
	return out
}

// budget is how many chunks of the coarsest stored level a Quick answer may read.
func (img *Image) budget() int {
	n, ok := nd.Bytes(img.baseChunks(), img.base().DataType().Size())
	if !ok {
		return leastChunks
	}
	return min(max(quickBytes/max(n, 1), leastChunks), quickChunks)
}

// cheap reports whether the true answer costs no more than a Quick one.
func (img *Image) cheap(r Region) bool {
	chunks, count := img.baseChunks(), 1.0
	// Of a chunk that is not compressed, a part can be read.
	bytes := float64(img.base().DataType().Size()*r.planes()*img.factor(r.Level, img.Y)*(r.Y[1]-r.Y[0])) * float64(img.factor(r.Level, img.X)*(r.X[1]-r.X[0]))
	for i, c := range chunks {
		n := 1
		switch i {
		case img.Y:
			n = chunksOver(r.Y, img.factor(r.Level, i), c)
		case img.X:
			n = chunksOver(r.X, img.factor(r.Level, i), c)
		case img.Channel:
			n = min(r.planes(), (img.base().Shape()[i]+c-1)/c)
		}
		count *= float64(n)
	}
	return count <= float64(img.budget()) && bytes <= quickBytes
}

// chunksOver is over how many chunks of the stored level a side of a region goes.
func chunksOver(side [2]int, factor, chunk int) int {
	return (side[1]*factor-1)/chunk - side[0]*factor/chunk + 1
}

// sample answers quickly. Some chunks of the coarsest stored level are chosen, evenly over
// the rectangle; of these the elements in the middle of every element of the level are
// read, and what lies between is interpolated.
func (img *Image) sample(ctx context.Context, r Region, dst []byte) error {
	tags, err := img.Tags(ctx, r)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("quick/%s/%+v/%s", img.key, r, tags)
	value, err := img.cache.Get(ctx, key, func(ctx context.Context) ([]byte, error) {
		out := make([]byte, len(dst))
		return out, img.sampleNow(ctx, r, out)
	})
	copy(dst, value)
	return err
}

func (img *Image) sampleNow(ctx context.Context, r Region, dst []byte) error {
	a, chunks := img.base(), img.baseChunks()
	planes := r.planes()
	if img.Channel >= 0 {
		planes = min(planes, (a.Shape()[img.Channel]+chunks[img.Channel]-1)/chunks[img.Channel])
	}
	ys := newSamples(r.Y, img.factor(r.Level, img.Y), a.Shape()[img.Y], chunks[img.Y])
	xs := newSamples(r.X, img.factor(r.Level, img.X), a.Shape()[img.X], chunks[img.X])
	share(ys, xs, max(img.budget()/planes, 1))
	rows, columns := ys.read(), xs.read()
	t := a.DataType()
	found := make([]byte, r.planes()*len(rows)*len(columns)*t.Size())
	read := img.readBox
	if img.ranged(columns) {
		read = img.readRows
	}
	if err := read(ctx, img.Stored-1, r, list(rows), list(columns), found); err != nil {
		return err
	}
	spread(t, img.missing, img.how, dst, found, r.planes(), ys, xs)
	return nil
}

// ranged reports whether chunks are large and not compressed, so that rows of them can be
// read by themselves.
func (img *Image) ranged(columns []int) bool {
	a, chunks := img.base(), img.baseChunks()
	b, err := a.Codec()
	n, ok := nd.Bytes(chunks, a.DataType().Size())
	if err != nil || ok && n < quickBytes/quickChunks {
		return false
	}
	for b.Inner() != nil { // a shard is always read by ranges
		b = b.Inner()
	}
	row := nd.Box{Start: make([]int, len(chunks)), Shape: make([]int, len(chunks))}
	for i := range chunks {
		row.Shape[i] = 1
	}
	row.Shape[img.X] = min(columns[len(columns)-1]-columns[0]+1, chunks[img.X])
	return b.Ranges(row)
}

// readRows is readBox that reads one row after the other, and all columns between.
func (img *Image) readRows(ctx context.Context, level int, r Region, ys, xs along, dst []byte) error {
	size := img.base().DataType().Size()
	first, last := xs.at(0), xs.at(xs.n-1)
	between := span(first, last+1)
	row := make([]byte, r.planes()*between.n*size)
	for y := range ys.n {
		if err := img.readBox(ctx, level, r, span(ys.at(y), ys.at(y)+1), between, row); err != nil {
			return err
		}
		for p := range r.planes() {
			for x := range xs.n {
				copy(dst[((p*ys.n+y)*xs.n+x)*size:][:size], row[(p*between.n+xs.at(x)-first)*size:])
			}
		}
	}
	return nil
}

// samples are the elements along a side of a region, and which of them are read.
type samples struct {
	at    []int // where each lies in the stored level
	chunk []int // which chunk that is, counted from the first one
	n     int   // how many chunks there are
	keep  int   // of how many of them elements are read

	low, high []int     // of every element, which of those that are read it lies between
	part      []float32 // and how far from the first to the second
}

func newSamples(side [2]int, factor, length, chunk int) *samples {
	s := &samples{}
	last := -1
	for k := side[0]; k < side[1]; k++ {
		at := min(k*factor+factor/2, length-1)
		if c := at / chunk; c != last {
			last = c
			s.n++
		}
		s.at, s.chunk = append(s.at, at), append(s.chunk, s.n-1)
	}
	s.keep = s.n
	return s
}

// share says how many chunks are read along either side, so that together they are no
// more than a budget.
func share(y, x *samples, budget int) {
	if y.n*x.n <= budget {
		return
	}
	ratio := math.Sqrt(float64(budget) / (float64(y.n) * float64(x.n)))
	y.keep = min(max(int(float64(y.n)*ratio), 1), budget)
	x.keep = min(max(budget/y.keep, 1), x.n)
	y.keep = min(max(budget/x.keep, 1), y.n)
}

// read chooses the chunks, and gives the positions that are read.
func (s *samples) read() (out []int) {
	chosen := make([]bool, s.n)
	for k := range s.keep {
		chosen[(2*k+1)*s.n/(2*s.keep)] = true
	}
	s.low, s.high, s.part = make([]int, len(s.at)), make([]int, len(s.at)), make([]float32, len(s.at))
	var from []int // which element every position is of
	for i, at := range s.at {
		if chosen[s.chunk[i]] {
			out, from = append(out, at), append(from, i)
		}
	}
	k := 0
	for i := range s.at {
		for k+1 < len(from) && from[k+1] <= i {
			k++
		}
		switch {
		case i <= from[k] || k+1 == len(from):
			s.low[i], s.high[i] = k, k
		default:
			s.low[i], s.high[i] = k, k+1
			s.part[i] = float32(i-from[k]) / float32(from[k+1]-from[k])
		}
	}
	return out
}

// nearest is the element that is read nearest to one.
func (s *samples) nearest(i int) int {
	if s.part[i] < 0.5 {
		return s.low[i]
	}
	return s.high[i]
}
