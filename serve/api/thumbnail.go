package api

import (
	"context"
	"errors"
	"image"
	"image/color"
	"path"
	"slices"

	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/serve/tiles"
)

// Sizes of thumbnails.
const (
	leastThumb = 16
	mostThumb  = 1024
)

// thumbnail answers with a small picture: of an image, of the course of a series, or of the
// first of these that lies in a group. That a group has none is known only when it was
// looked for: this is an answer without content, and no error.
func (s *server) thumbnail(r *request) error {
	sp, err := r.spot()
	if err != nil {
		return err
	}
	size, err := r.integer("size", 192, leastThumb, mostThumb)
	if err != nil {
		return err
	}
	if s.views(r.Context(), sp)[0] == GroupKind {
		if sp, err = s.pictured(r.Context(), sp); err != nil {
			return err
		}
		if sp == nil {
			return r.nothing()
		}
	}
	draw := s.imageThumb
	switch picture(s.views(r.Context(), sp)) {
	case SeriesKind:
		draw = s.seriesThumb
	case "":
		return sp.fail(notFound("%s has no picture", sp.path))
	}
	tags, err := s.tagsBelow(r.Context(), sp)
	if err != nil {
		return sp.fail(err)
	}
	if r.unchanged(sp, tags) {
		return nil
	}
	body, err := s.cache.Get(r.Context(), sp.key("thumbnail", size, tags), func(ctx context.Context) ([]byte, error) {
		// Others may wait for this one still when the request that began it has gone, and
		// its node with it.
		own, err := open(ctx, sp.source, sp.path)
		if err != nil {
			return nil, err
		}
		img, err := draw(ctx, own, size)
		if err != nil {
			return nil, err
		}
		return tiles.PNG(img)
	})
	if err != nil {
		return sp.fail(err)
	}
	return r.send("image/png", body)
}

// picture says as what a node with these views is pictured: an image, a series, as the
// first of these in a group, or not at all.
func picture(views []Kind) Kind {
	switch {
	case views[0] == GroupKind:
		return GroupKind
	case views[0] == ImageKind, views[0] == ArrayKind && slices.Contains(views, ImageKind):
		return ImageKind
	case slices.Contains(views, SeriesKind):
		return SeriesKind
	}
	return ""
}

// How many nodes are looked at for the picture of a group, and of each group.
const (
	mostLooked = 48
	mostEach   = 16
)

// pictured finds the first image or series in a group, those that lie less deep first;
// nil if there is none.
func (s *server) pictured(ctx context.Context, sp *spot) (*spot, error) {
	at, err := s.cache.Get(ctx, sp.key("pictured"), func(ctx context.Context) ([]byte, error) {
		groups := []string{sp.path}
		for looked := 0; len(groups) > 0 && looked < mostLooked; groups = groups[1:] {
			names, err := sp.source.Names(ctx, groups[0])
			if err != nil {
				continue // others may be listed
			}
			for _, name := range names[:min(len(names), mostEach)] {
				if looked++; looked > mostLooked {
					break
				}
				child, err := open(ctx, sp.source, path.Join(groups[0], name))
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if err != nil {
					continue
				}
				switch s.views(ctx, child)[0] {
				case ImageKind, SeriesKind:
					return []byte(child.path), nil
				case GroupKind:
					groups = append(groups, child.path)
				}
			}
		}
		return nil, nil
	})
	if err != nil {
		return nil, sp.fail(err)
	}
	if len(at) == 0 {
		return nil, nil
	}
	return open(ctx, sp.source, string(at))
}

func (s *server) imageThumb(ctx context.Context, sp *spot, size int) (image.Image, error) {
	info, err := s.imageInfo(ctx, sp)
	if err != nil {
		return nil, err
	}
	o, done, err := s.image(ctx, sp)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := tiles.Thumbnail(ctx, o.image, size)
	if err == nil && info.Up {
		flip(out)
	}
	return out, err
}

// flip turns an image upside down.
func flip(img *image.NRGBA) {
	for top, bottom := 0, img.Rect.Dy()-1; top < bottom; top, bottom = top+1, bottom-1 {
		a, b := img.Pix[top*img.Stride:][:img.Stride], img.Pix[bottom*img.Stride:][:img.Stride]
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
	}
}

// What a thumbnail of a series shows and reads.
const (
	thumbChannels = 6
	thumbBudget   = 32 << 20
)

// seriesThumb draws some channels of a series, one below the other, on nothing.
func (s *server) seriesThumb(ctx context.Context, sp *spot, size int) (image.Image, error) {
	all, err := s.series(ctx, sp, thumbBudget)
	if errors.Is(err, series.ErrNone) {
		return nil, notFound("%s has no picture", sp.path)
	}
	if err != nil {
		return nil, err
	}
	from, to, err := all.Span(ctx)
	if err != nil {
		return nil, err
	}
	ask := series.Request{From: from, To: to, Width: size}
	for k := range min(all.Channels(), thumbChannels) {
		ask.Channels = append(ask.Channels, k)
	}
	v, err := all.View(ctx, ask)
	if err != nil {
		return nil, err
	}
	return course(v, size, size/2), nil
}

// course draws a view: the extremes of every bin as a line.
func course(v *series.View, width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	each := 1
	if v.Mode == series.Envelope {
		each = 2
	}
	for k := range v.Channels {
		values := v.Values[k*v.Bins*each:][:v.Bins*each]
		low, high, some := float32(0), float32(0), false
		for _, x := range values {
			if x-x == 0 && (!some || x < low) {
				low = x
			}
			if x-x == 0 && (!some || x > high) {
				high = x
			}
			some = some || x-x == 0
		}
		top, bottom := k*height/len(v.Channels), (k+1)*height/len(v.Channels)-1
		row := func(x float32) int {
			if high == low {
				return (top + bottom) / 2
			}
			return bottom - int(float32(bottom-top)*(x-low)/(high-low)+0.5)
		}
		last := -1 // the row where the bin before ended
		for b := range v.Bins {
			least, most := values[b*each], values[b*each+each-1]
			if least-least != 0 || most-most != 0 {
				last = -1
				continue
			}
			from, to := row(most), row(least)
			if last >= 0 {
				from, to = min(from, last), max(to, last)
			}
			last = row((least + most) / 2)
			x0, x1 := b*width/v.Bins, max((b+1)*width/v.Bins, b*width/v.Bins+1)
			for x := x0; x < min(x1, width); x++ {
				for y := max(from, 0); y <= min(to, height-1); y++ {
					img.SetNRGBA(x, y, ink)
				}
			}
		}
	}
	return img
}

// ink is seen on light and on dark.
var ink = color.NRGBA{0x4a, 0xa8, 0xff, 255}
