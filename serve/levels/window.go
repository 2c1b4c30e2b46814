package levels

import (
	"context"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
)

// Coarse reads one channel of the coarsest level, quickly: what its numbers mean, and
// whether they are those of the level. At is as that of a Region. Of a level that is still
// large, as that of a very long image, the middle is taken.
func (img *Image) Coarse(ctx context.Context, at []int, channel int) (values []float64, exact bool, err error) {
	data, exact, err := img.coarse(ctx, at, channel)
	if err != nil {
		return nil, false, err
	}
	values = make([]float64, len(data)/img.Levels[0].DataType().Size())
	img.Floats(values, data)
	return values, exact, nil
}

// coarse is Coarse for elements as they are stored.
func (img *Image) coarse(ctx context.Context, at []int, channel int) (data []byte, exact bool, err error) {
	r, exact := img.coarsest(at, channel)
	size, err := img.Size(r)
	if err != nil {
		return nil, false, err
	}
	data = make([]byte, size)
	ok, err := img.Read(ctx, r, data)
	return data, exact && ok, err
}

// coarsest is the region that Coarse reads, and whether that is all of the level.
func (img *Image) coarsest(at []int, channel int) (r Region, exact bool) {
	last := len(img.Levels) - 1
	shape := img.Levels[last].Shape()
	r = Region{Level: last, At: at, Channels: []int{channel}, Quick: true}
	exact = true
	for _, side := range []struct {
		axis int
		span *[2]int
	}{{img.Y, &r.Y}, {img.X, &r.X}} {
		n := min(shape[side.axis], mostCoarse)
		from := (shape[side.axis] - n) / 2
		*side.span = [2]int{from, from + n}
		exact = exact && n == shape[side.axis]
	}
	return r, exact
}

// mostCoarse is how many elements along a side are looked at.
const mostCoarse = 1024

// Start is a good place to begin on every axis: the middle of a stack, the first of times,
// and of images with missing values a plane that has others. It is there also with an
// error of reading such a plane.
func (img *Image) Start(ctx context.Context) ([]int, error) {
	shape := img.Levels[0].Shape()
	at := make([]int, len(shape))
	along := -1 // the axis on which something is looked for
	for i, a := range img.Axes {
		if i == img.Y || i == img.X || i == img.Channel {
			continue
		}
		if a.Type == "space" {
			at[i] = shape[i] / 2
		}
		if along < 0 || a.Type == "space" {
			along = i
		}
	}
	if along < 0 || shape[along] < 2 || !img.Packed() && img.Levels[0].DataType().Kind() != dtype.Float {
		return at, nil
	}
	n, first := shape[along], at[along]
	for _, p := range []int{first, n / 4, 3 * n / 4, 0, n - 1, n / 2} {
		at[along] = p
		values, _, err := img.Coarse(ctx, at, 0)
		if err != nil {
			at[along] = first
			return at, err
		}
		if slices.ContainsFunc(values, func(v float64) bool { return v-v == 0 }) {
			return at, nil
		}
	}
	at[along] = first
	return at, nil
}

// mostWindows is of how many channels windows are found.
const mostWindows = 16

// windows completes the channels with what is shown of them where nothing is said. A chunk
// that cannot be read leaves a channel without.
func (img *Image) windows(ctx context.Context) ([]ngff.Channel, error) {
	out := img.Complete(img.Shown)
	at, err := img.Start(ctx)
	t := img.Levels[0].DataType()
	for k := range out {
		if out[k].Window != nil || k >= mostWindows || err != nil {
			continue
		}
		var data []byte
		if data, _, err = img.coarse(ctx, at, k); err != nil {
			continue
		}
		// Other programs show what is stored.
		values := make([]float64, len(data)/t.Size())
		if !dtype.Floats(t, values, data) {
			continue // complex ones
		}
		values = slices.DeleteFunc(values, func(v float64) bool { return v-v != 0 })
		slices.Sort(values)
		w := &ngff.Window{Start: 0, End: 1, Min: 0, Max: 1}
		if n := len(values); n > 0 {
			w = &ngff.Window{Start: values[n/1000], End: values[n-1-n/1000], Min: values[0], Max: values[n-1]}
		}
		if !(w.Start < w.End) { // all the same
			w.End, w.Max = w.Start+1, max(w.Max, w.Start+1)
		}
		out[k].Window = w
	}
	return out, ctx.Err()
}
