// Package picture makes pictures of arrays: of two dimensions of any array of numbers,
// with the channels that there are, in the size that is wanted. No more is read than
// that takes: of an image with several resolutions the level that fits, of a large
// array every n-th element.
//
//	p, err := picture.Of(ctx, node, picture.Options{Width: 800})
//	err = png.Encode(file, p.Image)
//
// A picture can also be shown in a terminal: as Kitty, ITerm, Sixel, or by Blocks of
// characters.
package picture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/raster"
)

// Options says how a picture is made; the zero value is fine.
type Options struct {
	// Slice is which part is shown, in the syntax of package coordinates; positions are
	// those of the finest level. Of an axis that is neither shown nor selected, the
	// middle is taken.
	Slice string
	// Width and Height are the most pixels that the picture has; the default is 1024 each.
	// A smaller array is not made larger, unless Fill says so.
	Width, Height int
	// Fill makes the picture as large as it may be.
	Fill bool
	// Stretch is how much wider than high pixels are shown, 0 is 1.
	Stretch float64
	// Low and High are the percentiles that are shown black and in full colour; the
	// default is 1 and 99, or what the image itself says.
	Low, High float64
	// Map is the name of the colours of a single channel; the default is gray.
	Map string
	// Labels says that numbers are labels, of which each has a colour of its own. It is
	// found out for images that say so.
	Labels bool
	// Stored shows numbers as they are stored, though they are packed.
	Stored bool
	// Coordinates says where coordinates are looked for, besides those of any array.
	Coordinates []coordinates.Option
	// Raster says how the image is looked at.
	Raster []raster.Option
}

// Picture is one that was made.
type Picture struct {
	Image *image.NRGBA
	// Level is the array that was read, and Axes which of its axes are down and across.
	Level *zarr.Array
	Axes  [2]string
	// At says which positions were taken of the other axes, such as "z=16".
	At []string
	// Low and High are the values that are shown black and in full colour, of every
	// channel; nil where they do not matter.
	Low, High []float64
	// Channels are their names, nil if there is one without.
	Channels []string
}

// defaultSize is the most pixels along a side.
const defaultSize = 1024

// ErrLine says that an array has one dimension, or none.
var ErrLine = raster.ErrLine

// Of makes a picture of an array, or of the image that a group is.
func Of(ctx context.Context, n zarr.Node, opt Options) (*Picture, error) {
	fail := func(err error) (*Picture, error) {
		var known *zarr.Error
		if errors.As(err, &known) {
			return nil, err
		}
		return nil, &zarr.Error{Op: "show", URL: n.URL(), Err: err}
	}
	if opt.Width <= 0 {
		opt.Width = defaultSize
	}
	if opt.Height <= 0 {
		opt.Height = defaultSize
	}
	if opt.Stretch <= 0 {
		opt.Stretch = 1
	}
	if opt.Low == 0 && opt.High == 0 {
		opt.Low, opt.High = -1, -1 // what the image says, or the default
	} else if !(opt.Low >= 0 && opt.Low < opt.High && opt.High <= 100) {
		return fail(fmt.Errorf("contrast from percentile %v to %v: they must ascend, between 0 and 100", opt.Low, opt.High))
	}
	if opt.Map == "" {
		opt.Map = "gray"
	}
	if !slices.Contains(Maps(), opt.Map) {
		return fail(fmt.Errorf("no colour map is called %s, only %s", opt.Map, strings.Join(Maps(), ", ")))
	}
	img, err := raster.Within(ctx, n, opt.Raster...)
	if err == nil {
		err = img.Numbers()
	}
	if err != nil {
		return fail(err)
	}
	img.Labels = img.Labels || opt.Labels
	finest := img.Levels[0].Array
	sel, err := coordinates.Select(ctx, finest, opt.Slice, opt.Coordinates...)
	if err != nil {
		return fail(err)
	}
	if _, err := finest.ResultShape(sel); err != nil {
		return nil, err
	}
	at, err := zarr.Resolve(sel, finest.Shape())
	if err != nil {
		return fail(err)
	}
	v, err := look(img, at)
	if err != nil {
		return fail(err)
	}
	v.fit(opt)
	planes, err := v.read(ctx, opt)
	if err != nil {
		return fail(err)
	}
	p := &Picture{Level: v.level(), Axes: [2]string{img.AxisName(v.Y), img.AxisName(v.X)}, At: v.words()}
	v.paint(p, planes, opt)
	return p, nil
}
