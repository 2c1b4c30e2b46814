package levels

import (
	"context"

	"github.com/omnizarr/zarr/nd"
)

// tags tell which stored chunks a box of a level is made of; "" where nobody knows.
func (img *Image) tags(ctx context.Context, level int, box nd.Box) (string, error) {
	a := img.Levels[min(level, img.Stored-1)].Array
	if img.Made(level) {
		shape, wide := a.Shape(), nd.Box{Start: make([]int, len(box.Start)), Shape: make([]int, len(box.Start))}
		for i := range shape {
			f := img.factor(level, i)
			wide.Start[i] = min(box.Start[i]*f, shape[i]-1)
			wide.Shape[i] = min(box.Shape[i]*f, shape[i]-wide.Start[i])
		}
		box = wide
	}
	now, err := img.chunks.Of(ctx, a, box)
	return now.Tags, err
}

// Tags tell which stored values a region is made of: others than before are others in the
// image, too. They are "" where nobody knows without asking another machine.
func (img *Image) Tags(ctx context.Context, r Region) (string, error) {
	if err := img.check(&r); err != nil {
		return "", err
	}
	shape := img.Levels[r.Level].Shape()
	box := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i := range shape {
		box.Shape[i] = 1
		switch {
		case i == img.Y:
			box.Start[i], box.Shape[i] = r.Y[0], r.Y[1]-r.Y[0]
		case i == img.X:
			box.Start[i], box.Shape[i] = r.X[0], r.X[1]-r.X[0]
		case i == img.Channel && r.Channels != nil:
			box.Shape[i] = shape[i]
		case r.At != nil:
			box.Start[i] = img.Position(r.Level, i, r.At[i])
		}
	}
	return img.tags(ctx, r.Level, box)
}

// CoarseTags are the Tags of what Coarse reads, for any channel.
func (img *Image) CoarseTags(ctx context.Context, at []int) (string, error) {
	r, _ := img.coarsest(at, 0)
	return img.Tags(ctx, r)
}

// AllTags are the Tags of all of the image.
func (img *Image) AllTags(ctx context.Context) (string, error) {
	all := ""
	for _, l := range img.Levels[:img.Stored] {
		now, err := img.chunks.Whole(ctx, l.Array)
		if err != nil {
			return "", err
		}
		all += now.Tags + " "
	}
	return all, nil
}
