package tiles

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"

	"github.com/omnizarr/zarr/picture"
	"github.com/omnizarr/zarr/serve/levels"
)

// Paint makes the picture of a rectangle, as its channels say, or red, green and blue, or
// labels in colours of their own. Windows are the values that are shown black and in full
// colour, by the number of the channel; without one it is what the image says, or what most
// values lie between.
func Paint(ctx context.Context, img *levels.Image, r levels.Region, windows map[int][2]float64, labels bool) (out *image.NRGBA, exact bool, err error) {
	size, err := img.Size(r)
	if err != nil {
		return nil, false, err
	}
	data := make([]byte, size)
	if exact, err = img.Read(ctx, r, data); err != nil {
		return nil, false, err
	}
	width, height := r.X[1]-r.X[0], r.Y[1]-r.Y[0]
	out = image.NewNRGBA(image.Rect(0, 0, width, height))
	planes := make([][]float64, max(len(r.Channels), 1))
	for k := range planes {
		planes[k] = make([]float64, width*height)
		img.Floats(planes[k], data[k*len(data)/len(planes):])
	}
	if labels || img.Labels {
		picture.Labels(out, planes[0], img.Colors)
		return out, exact, nil
	}
	channels := img.Complete(img.Shown)
	var layers []picture.Layer
	var opaque []float64 // of each pixel, where the image says
	for k, values := range planes {
		c := 0
		if k < len(r.Channels) {
			c = r.Channels[k]
		}
		if img.RGB && c == 3 {
			opaque = values
			continue
		}
		l := picture.Layer{Values: values, Color: color.NRGBA{255, 255, 255, 255}}
		window, given := windows[c]
		if c < len(channels) {
			if l.Color = *channels[c].Color; !given && channels[c].Window != nil {
				window, given = [2]float64{channels[c].Window.Start, channels[c].Window.End}, true
			}
		}
		switch {
		case given:
			l.Low, l.High = window[0], window[1]
		case img.RGB: // the same for all three
			l.Low, l.High = picture.Between(slices.Concat(planes[:min(len(planes), 3)]...), 0, 99.9)
		default:
			l.Low, l.High = picture.Between(values, 1, 99)
		}
		layers = append(layers, l)
	}
	picture.Blend(out, layers)
	for i, v := range opaque {
		if img.Levels[0].DataType().Name() == "uint8" {
			out.Pix[4*i+3] = uint8(v)
		}
	}
	return out, exact, nil
}

// PNG encodes a picture, quickly.
func PNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&b, img)
	return b.Bytes(), err
}

// mostThumb is how many channels a thumbnail blends.
const mostThumb = 8

// Thumbnail makes a picture of the whole image of at most so many pixels along a side, in
// a bounded time.
func Thumbnail(ctx context.Context, img *levels.Image, side int) (*image.NRGBA, error) {
	at, err := img.Start(ctx)
	if err != nil {
		return nil, err
	}
	level := len(img.Levels) - 1
	for level > 0 {
		if s := img.Levels[level].Shape(); max(s[img.Y], s[img.X]) >= side {
			break
		}
		level--
	}
	shape := img.Levels[level].Shape()
	// A level that is still large has the middle shown, as of an endless strip.
	r := levels.Region{Level: level, At: at, Quick: true}
	r.Y, r.X = middle(shape[img.Y]), middle(shape[img.X])
	if img.Channel >= 0 {
		for k, c := range img.Complete(img.Shown) {
			if (img.RGB || *c.Active) && len(r.Channels) < mostThumb {
				r.Channels = append(r.Channels, k)
			}
		}
		if r.Channels == nil {
			r.Channels = []int{0}
		}
	}
	out, _, err := Paint(ctx, img, r, nil, false)
	if err != nil {
		return nil, err
	}
	return shrink(out, side), nil
}

// mostRead is how many elements along a side a thumbnail is made of.
const mostRead = 1024

func middle(n int) [2]int {
	from := max(n-mostRead, 0) / 2
	return [2]int{from, from + min(n, mostRead)}
}

// shrink makes a picture smaller, each pixel the mean of those that it is made of.
func shrink(img *image.NRGBA, side int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if max(w, h) <= side {
		return img
	}
	width, height := max(w*side/max(w, h), 1), max(h*side/max(w, h), 1)
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var sum [4]int
			y0, y1 := y*h/height, max((y+1)*h/height, y*h/height+1)
			x0, x1 := x*w/width, max((x+1)*w/width, x*w/width+1)
			for v := y0; v < y1; v++ {
				for u := x0; u < x1; u++ {
					p := img.Pix[img.PixOffset(u, v):]
					for k := range 3 { // what is clear has no colour
						sum[k] += int(p[k]) * int(p[3])
					}
					sum[3] += int(p[3])
				}
			}
			if sum[3] > 0 {
				for k := range 3 {
					out.Pix[out.PixOffset(x, y)+k] = uint8((sum[k] + sum[3]/2) / sum[3])
				}
				n := (y1 - y0) * (x1 - x0)
				out.Pix[out.PixOffset(x, y)+3] = uint8((sum[3] + n/2) / n)
			}
		}
	}
	return out
}
