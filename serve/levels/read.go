package levels

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Region is a rectangle of a level.
type Region struct {
	Level int
	Y, X  [2]int // from, and up to, not including
	// At is where the rectangle lies on the other axes, as a position of level 0 for each;
	// nil is the first of all.
	At []int
	// Channels are those that are read. Nil is the one that At says.
	Channels []int
	// Quick asks for an answer that reads a bounded number of chunks.
	Quick bool
}

// planes is how many rectangles are read.
func (r *Region) planes() int { return max(len(r.Channels), 1) }

// Size is how many bytes Read fills.
func (img *Image) Size(r Region) (int, error) {
	if err := img.check(&r); err != nil {
		return 0, err
	}
	n, ok := nd.Bytes([]int{r.planes(), r.Y[1] - r.Y[0], r.X[1] - r.X[0]}, img.Levels[0].DataType().Size())
	if !ok {
		return 0, zarr.ErrTooLarge
	}
	return n, nil
}

// check says what is wrong with a region.
func (img *Image) check(r *Region) error {
	if r.Level < 0 || r.Level >= len(img.Levels) {
		return fmt.Errorf("level %d of %d: %w", r.Level, len(img.Levels), zarr.ErrRange)
	}
	shape := img.Levels[r.Level].Shape()
	for _, side := range []struct {
		axis int
		span [2]int
	}{{img.Y, r.Y}, {img.X, r.X}} {
		if side.span[0] < 0 || side.span[1] < side.span[0] || side.span[1] > shape[side.axis] {
			return fmt.Errorf("%s %d to %d of %d: %w", img.AxisName(side.axis), side.span[0], side.span[1], shape[side.axis], zarr.ErrRange)
		}
	}
	if r.At != nil && len(r.At) != len(shape) {
		return fmt.Errorf("%d positions for %d axes: %w", len(r.At), len(shape), zarr.ErrRange)
	}
	finest := img.Levels[0].Shape()
	for i, p := range r.At {
		if i != img.Y && i != img.X && (p < 0 || p >= finest[i]) {
			return fmt.Errorf("position %d of %s, which has %d: %w", p, img.AxisName(i), finest[i], zarr.ErrRange)
		}
	}
	for _, c := range r.Channels {
		if img.Channel < 0 && c != 0 || img.Channel >= 0 && (c < 0 || c >= finest[img.Channel]) {
			return fmt.Errorf("there is no channel %d: %w", c, zarr.ErrRange)
		}
	}
	return nil
}

// Position is where a position of level 0 lies in a level.
func (img *Image) Position(level, axis, at int) int {
	l := img.Levels[level]
	return max(min(int(math.Floor(float64(at)/l.Scale[axis])), l.Shape()[axis]-1), 0)
}

// Read reads a rectangle as elements in memory: those of a channel after the other, row by
// row, into dst, which has the Size of the region. It reports whether they are what the
// level holds: a Quick answer may be interpolated.
func (img *Image) Read(ctx context.Context, r Region, dst []byte) (exact bool, err error) {
	size, err := img.Size(r)
	if err == nil && size != len(dst) {
		err = fmt.Errorf("%d bytes of memory for %d: %w", len(dst), size, zarr.ErrSelection)
	}
	if err != nil {
		return false, &zarr.Error{Op: "read", URL: img.Node.URL(), Err: err}
	}
	if size == 0 {
		return true, nil
	}
	if r.Quick && img.Made(r.Level) && !img.cheap(r) && !img.have(ctx, r) {
		return false, img.sample(ctx, r, dst)
	}
	return true, img.readBox(ctx, r.Level, r, span(r.Y[0], r.Y[1]), span(r.X[0], r.X[1]), dst)
}

// along are positions of an axis.
type along struct {
	first, n int
	list     []int // nil for a run
}

func span(from, to int) along { return along{first: from, n: to - from} }

// list gives positions as a run where they are one, which is faster to read.
func list(at []int) along {
	for k, p := range at {
		if p != at[0]+k {
			return along{n: len(at), list: at}
		}
	}
	return span(at[0], at[0]+len(at))
}

func (a along) at(k int) int {
	if a.list != nil {
		return a.list[k]
	}
	return a.first + k
}

func (a along) axis() zarr.Axis {
	if a.list != nil {
		return zarr.List(a.list...)
	}
	return zarr.Span(a.first, a.first+a.n)
}

// readBox reads rows and columns of a level.
func (img *Image) readBox(ctx context.Context, level int, r Region, ys, xs along, dst []byte) error {
	l := img.Levels[level]
	axes := make([]zarr.Axis, len(l.Shape()))
	size := l.DataType().Size()
	v := nd.View{Data: dst, Size: size}
	add := func(i int, a along, stride int) {
		axes[i] = a.axis()
		v.Shape, v.Strides = append(v.Shape, a.n), append(v.Strides, stride)
	}
	for i := range axes {
		switch {
		case i == img.Y:
			add(i, ys, xs.n*size)
		case i == img.X:
			add(i, xs, size)
		case i == img.Channel && r.Channels != nil:
			at := make([]int, len(r.Channels))
			for k, c := range r.Channels {
				at[k] = img.Position(level, i, c)
			}
			add(i, list(at), ys.n*xs.n*size)
		default:
			at := 0
			if r.At != nil {
				at = img.Position(level, i, r.At[i])
			}
			axes[i] = zarr.At(at)
		}
	}
	return l.ReadInto(ctx, zarr.Select(axes...), v)
}

// have reports whether all chunks of a level that is made, as far as a region needs them,
// are there.
func (img *Image) have(ctx context.Context, r Region) bool {
	m := img.store.made[img.Levels[r.Level].Name]
	all := true
	img.eachChunk(m.chunks, r, func(index []int) bool {
		tags, err := m.tags(ctx, index)
		if all = err == nil; all {
			_, all = img.cache.Peek(m.cacheKey(index, tags))
		}
		return all
	})
	return all
}

// eachChunk calls f with the chunks of a region, until it says no.
func (img *Image) eachChunk(chunks []int, r Region, f func(index []int) bool) {
	from, n := make([]int, len(chunks)), make([]int, len(chunks))
	for i, c := range chunks {
		switch i {
		case img.Y:
			from[i], n[i] = r.Y[0]/c, (r.Y[1]-1)/c-r.Y[0]/c+1
		case img.X:
			from[i], n[i] = r.X[0]/c, (r.X[1]-1)/c-r.X[0]/c+1
		default:
			if n[i] = 1; r.At != nil {
				from[i] = img.Position(r.Level, i, r.At[i]) / c
			}
		}
	}
	channels := r.Channels
	if channels == nil || img.Channel < 0 {
		channels = []int{-1}
	}
	index, at := make([]int, len(chunks)), make([]int, len(chunks))
	for _, c := range channels {
		if c >= 0 {
			from[img.Channel] = c / chunks[img.Channel]
		}
		clear(at)
		for more := true; more; more = nd.Next(at, n) {
			for i := range index {
				index[i] = from[i] + at[i]
			}
			if !f(index) {
				return
			}
		}
	}
}
