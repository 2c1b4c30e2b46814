package picture

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/raster"
)

// view is which part of an image is shown, and how large.
type view struct {
	*raster.Image
	raster.Shown
	at            []zarr.Positions // in the finest level
	picked        []int            // which channels, as positions of the finest level
	width, height int              // of the picture
	use           int              // the level
}

// mostChannels is how many channels are blended.
const mostChannels = 8

// look chooses axes and channels.
func look(img *raster.Image, at []zarr.Positions) (*view, error) {
	shown, err := img.Show(at)
	if err != nil {
		return nil, err
	}
	v := &view{Image: img, Shown: shown, at: at}
	v.pick()
	return v, nil
}

// pick chooses the channels that are shown.
func (v *view) pick() {
	if v.Channel < 0 {
		return
	}
	p := v.at[v.Channel]
	for k := range p.Count {
		c := p.At(k)
		hidden := !v.RGB && c < len(v.Channels) && v.Channels[c].Active != nil && !*v.Channels[c].Active && p.Count > 1
		if !hidden && len(v.picked) < mostChannels {
			v.picked = append(v.picked, c)
		}
	}
	if v.picked == nil { // all are hidden
		v.picked = []int{p.At(0)}
	}
}

// fit chooses the size of the picture and the level.
func (v *view) fit(opt Options) {
	across, down := float64(v.at[v.X].Count), float64(v.at[v.Y].Count)
	aspect := down / across / opt.Stretch // of the picture
	if sx, sy := math.Abs(v.Axes[v.X].Scale), math.Abs(v.Axes[v.Y].Scale); v.Axes[v.X].Type == v.Axes[v.Y].Type && sx > 0 && sy > 0 {
		// Pixels that are hundreds of times as long as wide would leave nothing to see.
		aspect *= min(max(sy/sx, 0.05), 20)
	}
	width := float64(opt.Width)
	if !opt.Fill {
		width = min(width, max(across, down/aspect))
	}
	if width*aspect > float64(opt.Height) {
		width = float64(opt.Height) / aspect
	}
	v.width = min(max(int(width+0.5), 1), opt.Width)
	v.height = min(max(int(width*aspect+0.5), 1), opt.Height)
	for i, level := range v.Levels {
		l := level.Array
		if v.count(l, v.X) >= min(v.width, v.at[v.X].Count) && v.count(l, v.Y) >= min(v.height, v.at[v.Y].Count) {
			v.use = i
		}
	}
}

func (v *view) level() *zarr.Array { return v.Levels[v.use].Array }

// ratio is how much shorter an axis is in a level.
func (v *view) ratio(l *zarr.Array, axis int) float64 {
	return float64(l.Shape()[axis]) / float64(max(v.Levels[0].Shape()[axis], 1))
}

// count is about how many positions of a level are shown along an axis.
func (v *view) count(l *zarr.Array, axis int) int {
	return max(int(float64(v.at[axis].Count)*v.ratio(l, axis)), 1)
}

// position is that in the level of one of the finest.
func (v *view) position(axis, p int) int {
	l := v.level()
	return min(int((float64(p)+0.5)*v.ratio(l, axis)), l.Shape()[axis]-1)
}

// mostRead is how many elements are read at most: what is shown is the mean of them.
const mostRead = 1 << 23

// planes are what was read: values of every channel, row by row.
type planes struct {
	width, height int
	values        [][]float64
}

// read reads what is shown, in about the size of the picture.
func (v *view) read(ctx context.Context, opt Options) (*planes, error) {
	l := v.level()
	channels := max(len(v.picked), 1)
	stepX, stepY := 1, 1
	nx, ny := v.along(v.X), v.along(v.Y)
	if v.Labels { // the mean of two labels is another one
		stepX, stepY = max(len(nx)/v.width, 1), max(len(ny)/v.height, 1)
	}
	for len(nx)/stepX*(len(ny)/stepY) > mostRead/channels && (len(nx)/stepX > v.width || len(ny)/stepY > v.height) {
		if len(nx)/stepX*v.height > len(ny)/stepY*v.width {
			stepX++
		} else {
			stepY++
		}
	}
	xs, ys := every(nx, stepX), every(ny, stepY)
	axes := make([]zarr.Axis, len(v.at))
	for i, p := range v.at {
		switch i {
		case v.X:
			axes[i] = zarr.List(xs...)
		case v.Y:
			axes[i] = zarr.List(ys...)
		case v.Channel:
			axes[i] = zarr.List(v.picked...)
		default:
			axes[i] = zarr.At(v.position(i, p.At(p.Count/2)))
		}
	}
	all, err := readNumbers(ctx, l, zarr.Select(axes...), opt.Stored)
	if err != nil {
		return nil, err
	}
	// Strides of the axes that are left, which are in the order of the array.
	stride := map[int]int{}
	n := 1
	for i := len(axes) - 1; i >= 0; i-- {
		if i == v.X || i == v.Y || i == v.Channel {
			stride[i] = n
			n *= map[int]int{v.X: len(xs), v.Y: len(ys), v.Channel: channels}[i]
		}
	}
	out := &planes{width: v.width, height: v.height}
	for c := range channels {
		at := func(y, x int) float64 { return all[y*stride[v.Y]+x*stride[v.X]+c*stride[v.Channel]] }
		out.values = append(out.values, resample(at, len(ys), len(xs), v.height, v.width, v.Labels))
	}
	return out, nil
}

// along are the positions of an axis in the level, of those that are selected.
func (v *view) along(axis int) []int {
	p, l := v.at[axis], v.level()
	if l.Shape()[axis] == v.Levels[0].Shape()[axis] {
		out := make([]int, p.Count)
		for k := range out {
			out[k] = p.At(k)
		}
		return out
	}
	out := make([]int, v.count(l, axis))
	for k := range out {
		out[k] = v.position(axis, p.At(min(int((float64(k)+0.5)*float64(p.Count)/float64(len(out))), p.Count-1)))
	}
	return out
}

// every gives the middle of each step of positions.
func every(at []int, step int) []int {
	if step == 1 {
		return at
	}
	var out []int
	for k := step / 2; k < len(at); k += step {
		out = append(out, at[k])
	}
	return out
}

// readNumbers reads numbers as they are meant.
func readNumbers(ctx context.Context, a *zarr.Array, sel zarr.Selection, stored bool) ([]float64, error) {
	d, ok := cf.Of(a)
	if !ok || stored || d.Kind() != cf.Numbers {
		out, err := zarr.ReadAs[float64](ctx, a, sel)
		return out.Data, err
	}
	shape, err := a.ResultShape(sel)
	if err != nil {
		return nil, err
	}
	v, err := a.Make(shape...)
	if err != nil {
		return nil, err
	}
	if err := a.ReadInto(ctx, sel, v); err != nil {
		return nil, err
	}
	n, _ := nd.Len(shape)
	out := make([]float64, n)
	d.Floats(out, v.Data)
	return out, nil
}

// resample makes rows and columns of others: means of those that lie under each, or
// the nearest. NaN is left out of means.
func resample(at func(y, x int) float64, rows, columns, height, width int, nearest bool) []float64 {
	out := make([]float64, height*width)
	span := func(k, n, of int) (from, to int) {
		if nearest || n >= of {
			from = min((2*k+1)*of/(2*n), of-1)
			return from, from + 1
		}
		return k * of / n, max((k+1)*of/n, k*of/n+1)
	}
	for r := range height {
		y0, y1 := span(r, height, rows)
		for c := range width {
			x0, x1 := span(c, width, columns)
			sum, n := 0.0, 0
			for y := y0; y < y1; y++ {
				for x := x0; x < x1; x++ {
					if value := at(y, x); value == value {
						sum += value
						n++
					}
				}
			}
			out[r*width+c] = sum / float64(n) // NaN of none
		}
	}
	return out
}

// words say which positions were taken of the axes that are not shown.
func (v *view) words() (out []string) {
	for i, p := range v.at {
		if i == v.X || i == v.Y || i == v.Channel || v.Levels[0].Shape()[i] == 1 {
			continue
		}
		out = append(out, fmt.Sprintf("%s=%d", v.AxisName(i), p.At(p.Count/2)))
	}
	return out
}
