// Package levels gives every image the smaller versions of itself that viewers need:
// those that are stored, and below them others that are made when somebody looks, each
// of the one above it, by two along y and x, down to 256 elements.
//
//	img, err := levels.Of(ctx, node, levels.Options{Cache: cache, Key: "em@3"})
//	data, exact, err := img.Read(ctx, levels.Region{Level: 6, Y: [2]int{0, 256}, X: [2]int{0, 256}, Quick: true})
//
// Levels are arrays like any other: Store shows them as a hierarchy of OME-NGFF. Blocks
// of them are kept, so that each is made once. The coarsest level of a huge image is made
// of all of it, which takes its time; who cannot wait asks for a Quick answer, which reads
// a bounded number of chunks and interpolates what lies between.
package levels

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/serve/fresh"
	"github.com/omnizarr/zarr/serve/kept"
)

// Options says where levels are kept.
type Options struct {
	// Cache keeps what was made; nil keeps nothing.
	Cache *kept.Cache
	// Key names the image, and the state that it is in, among all that the cache holds.
	Key string
	// Chunks looks at what is stored; nil is one of the image's own.
	Chunks *fresh.Chunks
	// Raster says how the image is looked at.
	Raster []raster.Option
}

// Image is an image with all its levels.
type Image struct {
	// Image has the stored levels first, and then those that are made.
	*raster.Image
	raster.Shown
	// Stored is how many of the levels are.
	Stored int

	how     downsample.Method
	missing []byte // what stands for a missing value, nil if nothing does
	store   *madeStore
	cache   *kept.Cache
	chunks  *fresh.Chunks
	key     string
}

// small is how long the sides of the coarsest level are at most.
const small = 256

// mostLevels bounds how many are made; 2^40 elements become fewer than small by 32.
const mostLevels = 40

// ErrEmpty says that an array has no elements, and so no picture.
var ErrEmpty = errors.New("it has no elements")

// Of gives the levels of the image that a node is: an array of numbers with two axes or
// more, or a group of levels. Nothing is read but documents.
func Of(ctx context.Context, n zarr.Node, o Options) (*Image, error) {
	fail := func(err error) (*Image, error) {
		return nil, &zarr.Error{Op: "show", URL: n.URL(), Err: err}
	}
	found, err := raster.Of(ctx, n, o.Raster...)
	if err != nil {
		return nil, err
	}
	finest := found.Levels[0]
	switch t := finest.DataType(); t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex:
	default:
		return fail(notNumbers(t.Name()))
	}
	if slices.Contains(finest.Shape(), 0) {
		return fail(ErrEmpty)
	}
	img := &Image{Image: found, Stored: len(found.Levels), cache: o.Cache, chunks: o.Chunks, key: o.Key}
	if img.chunks == nil {
		img.chunks = &fresh.Chunks{}
	}
	if img.Shown, err = found.Show(nil); err != nil {
		return fail(err)
	}
	if img.cache == nil {
		img.cache = &kept.Cache{}
	}
	if d, ok := cf.Of(finest.Array); ok {
		img.missing = d.Missing()
	}
	img.how = downsample.Average
	if _, err := downsample.NewSampler(finest.DataType().Name(), img.how, img.factors(finest.Shape()), img.missing); err != nil || img.Labels {
		img.how = downsample.Nearest
	}
	img.store = newStore(img)
	for k := img.Stored; k < mostLevels; k++ {
		above := img.Levels[k-1]
		if shape := above.Shape(); shape[img.Y] <= small && shape[img.X] <= small {
			break
		}
		next, err := img.below(ctx, above, k)
		if err != nil {
			return fail(err)
		}
		img.Levels = append(img.Levels, next)
	}
	return img, nil
}

// notNumbers is the error of elements that have no picture.
type notNumbers string

func (t notNumbers) Error() string { return "elements of " + string(t) + " are no numbers" }

func (t notNumbers) Is(target error) bool { return target == zarr.ErrType }

// Made reports whether a level is made, and not stored.
func (img *Image) Made(level int) bool { return level >= img.Stored }

// factors are how many elements of a level become one of the next.
func (img *Image) factors(shape []int) []int {
	out := make([]int, len(shape))
	for i := range out {
		if out[i] = 1; (i == img.Y || i == img.X) && shape[i] > 1 {
			out[i] = 2
		}
	}
	return out
}

// below is the level that is made of another.
func (img *Image) below(ctx context.Context, above raster.Level, number int) (raster.Level, error) {
	name := fmt.Sprint(number)
	if slices.ContainsFunc(img.Levels, func(l raster.Level) bool { return l.Name == name }) {
		name = "level" + name
	}
	made, err := newMade(img, above.Array, number, name)
	if err != nil {
		return raster.Level{}, err
	}
	img.store.made[name] = made
	if made.array, err = made.open(ctx, img.store); err != nil {
		return raster.Level{}, err
	}
	scale := slices.Clone(above.Scale)
	for i, f := range made.factors {
		scale[i] *= float64(f)
	}
	return raster.Level{Array: made.array, Name: made.name, Scale: scale}, nil
}

// chunkBytes is about how large chunks of levels are at most that are made.
const chunkBytes = 4 << 20

// chunksOf are the chunks of a level that is made of an array: as many elements along y
// and x as whole chunks above become, at least a tile, and along the other axes what a
// chunk has. So a chunk above is decoded for one of these alone.
func (img *Image) chunksOf(a *zarr.Array, shape []int) []int {
	from := a.ChunkShape()
	if from == nil { // they differ
		from = make([]int, len(shape))
	}
	out := make([]int, len(shape))
	size := a.DataType().Size()
	for i, n := range shape {
		if out[i] = from[i]; i == img.Y || i == img.X {
			for out[i] = max(from[i]/2, 1); out[i] < small; out[i] *= 2 {
			}
		}
		out[i] = max(min(out[i], n), 1)
		size *= out[i]
	}
	// What is too large is cut, rather where no chunk above comes to be shared, then
	// along the axes that are not shown.
	rank := func(i int) (int, int) {
		switch {
		case i != img.Y && i != img.X:
			return 1, out[i]
		case out[i] >= from[i]:
			return 2, out[i]
		}
		return 0, out[i]
	}
	for size > chunkBytes && slices.Max(out) > 1 {
		cut, best, length := 0, -1, 0
		for i, n := range out {
			if r, l := rank(i); n > 1 && (r > best || r == best && l > length) {
				cut, best, length = i, r, l
			}
		}
		size /= out[cut]
		out[cut] = (out[cut] + 1) / 2
		size *= out[cut]
	}
	return out
}
