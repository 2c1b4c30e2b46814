package api

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/serve/levels"
	"github.com/omnizarr/zarr/serve/tiles"
)

// How large a tile may be.
const (
	mostSide     = 4096
	mostTile     = 64 << 20 // bytes
	mostChannels = 64
)

// tile answers with a rectangle of a level: numbers, or a picture with as=png.
func (s *server) tile(r *request) error {
	sp, img, done, err := s.imageOf(r)
	if err != nil {
		return err
	}
	defer done()
	region, err := r.region(img)
	if err != nil {
		return err
	}
	tags, err := img.Tags(r.Context(), region)
	if err != nil {
		return sp.fail(err)
	}
	as := r.text("as")
	switch as {
	case "", "raw":
	case "png":
		return s.tilePNG(r, sp, img, region, tags)
	default:
		return wrong("as=%s: must be raw or png", short(as))
	}
	if !region.Quick && r.unchanged(sp, tags) {
		return nil
	}
	t, err := tiles.Read(r.Context(), img, region, r.has("labels"))
	if err != nil {
		return sp.fail(err)
	}
	r.told(t.Shape, t.DataType, t.Exact)
	return r.send("application/octet-stream", t.Data)
}

// told says in headers what a tile is. One that is not exact is not to be kept: another
// answer comes.
func (r *request) told(shape [3]int, dataType string, exact bool) {
	h := r.w.Header()
	h.Set("X-Shape", fmt.Sprintf("%d,%d,%d", shape[0], shape[1], shape[2]))
	h.Set("X-Data-Type", dataType)
	h.Set("X-Exact", strconv.FormatBool(exact))
	if !exact {
		h.Set("Cache-Control", "no-store")
	}
}

func (s *server) tilePNG(r *request, sp *spot, img *levels.Image, region levels.Region, tags string) error {
	windows, err := r.windows()
	if err != nil {
		return err
	}
	if !img.RGB && !img.Labels { // windows may be found by what all of the plane holds
		plane, err := img.CoarseTags(r.Context(), region.At)
		if err != nil {
			return sp.fail(err)
		}
		tags += plane
	}
	if !region.Quick && r.unchanged(sp, tags) {
		return nil
	}
	if region.Channels == nil && img.Channel >= 0 {
		for k, c := range img.Complete(img.Shown) {
			if (img.RGB || *c.Active) && len(region.Channels) < mostChannels {
				region.Channels = append(region.Channels, k)
			}
		}
	}
	// Pictures without a window are seen by what they hold, which differs from tile to tile.
	if err := s.spread(r.Context(), img, region, windows); err != nil {
		return sp.fail(err)
	}
	picture, exact, err := tiles.Paint(r.Context(), img, region, windows, r.has("labels"))
	if err != nil {
		return sp.fail(err)
	}
	body, err := tiles.PNG(picture)
	if err != nil {
		return err
	}
	r.told([3]int{1, picture.Rect.Dy(), picture.Rect.Dx()}, "png", exact)
	return r.send("image/png", body)
}

// spread finds the windows of channels for which nobody says one, the same for all tiles.
func (s *server) spread(ctx context.Context, img *levels.Image, region levels.Region, windows map[int][2]float64) error {
	channels := region.Channels
	if channels == nil {
		channels = []int{0}
	}
	said := img.Complete(img.Shown)
	for _, c := range channels {
		if _, ok := windows[c]; ok || img.RGB || img.Labels || c < len(said) && said[c].Window != nil {
			continue
		}
		st, err := tiles.Of(ctx, img, region.At, c)
		if err != nil {
			return err
		}
		if low, high := st.Percentiles[1], st.Percentiles[7]; low < high {
			windows[c] = [2]float64{low, high}
		} else if st.Min < st.Max {
			windows[c] = [2]float64{st.Min, st.Max}
		}
	}
	return nil
}

// region is the rectangle that a request asks for. What lies outside of the level is cut.
func (r *request) region(img *levels.Image) (out levels.Region, err error) {
	if out.Level, err = r.integer("level", 0, 0, len(img.Levels)-1); err != nil {
		return out, err
	}
	shape := img.Levels[out.Level].Shape()
	if out.X, err = r.side("x", shape[img.X]); err != nil {
		return out, err
	}
	if out.Y, err = r.side("y", shape[img.Y]); err != nil {
		return out, err
	}
	if out.At, err = r.place(img); err != nil {
		return out, err
	}
	if out.Channels, err = r.integers("channels"); err != nil {
		return out, err
	}
	n := 1
	if img.Channel >= 0 {
		n = img.Levels[0].Shape()[img.Channel]
	}
	if len(out.Channels) > mostChannels {
		return out, tooLarge("%d channels: at most %d at once", len(out.Channels), mostChannels)
	}
	for _, c := range out.Channels {
		if c >= n {
			return out, wrong("channels=%s: there are %d", short(r.text("channels")), n)
		}
	}
	out.Quick = r.has("quick")
	size, err := img.Size(out)
	if err != nil {
		return out, err
	}
	// Elements of one byte may become numbers of four.
	if size = max(size, 4*size/img.Levels[0].DataType().Size()); size > mostTile {
		return out, tooLarge("the tile would have %d bytes: at most %d", size, mostTile)
	}
	return out, nil
}

// side is a parameter FROM,TO that is cut to a length.
func (r *request) side(name string, length int) (out [2]int, err error) {
	text := r.text(name)
	if text == "" {
		text = "0," + strconv.Itoa(min(length, mostSide))
	}
	left, right, ok := strings.Cut(text, ",")
	from, err := strconv.Atoi(left)
	to, err2 := strconv.Atoi(right)
	if !ok || err != nil || err2 != nil || to < from {
		return out, wrong("%s=%s: must be FROM,TO in indices of the level", name, short(text))
	}
	out = [2]int{min(max(from, 0), length), min(max(to, 0), length)}
	if out[1]-out[0] > mostSide {
		return out, tooLarge("%s=%s: at most %d at once", name, short(text), mostSide)
	}
	return out, nil
}

// place is the parameter at: a position of level 0 on every axis, 0 where none is said.
func (r *request) place(img *levels.Image) ([]int, error) {
	at, err := r.positions("at", img.Levels[0].Shape())
	for i, p := range at {
		at[i] = max(p, 0)
	}
	return at, err
}

// windows is the parameter window: CHANNEL:LOW:HIGH with commas between them.
func (r *request) windows() (map[int][2]float64, error) {
	out := map[int][2]float64{}
	text := r.text("window")
	if text == "" {
		return out, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		fields := strings.Split(part, ":")
		if len(fields) != 3 {
			return nil, wrong("window=%s: must be CHANNEL:LOW:HIGH with commas between them", short(text))
		}
		c, err := strconv.Atoi(fields[0])
		low, err1 := strconv.ParseFloat(fields[1], 64)
		high, err2 := strconv.ParseFloat(fields[2], 64)
		if err != nil || err1 != nil || err2 != nil || c < 0 || low-low != 0 || high-high != 0 {
			return nil, wrong("window=%s: must be CHANNEL:LOW:HIGH with commas between them", short(text))
		}
		out[c] = [2]float64{low, high}
	}
	return out, nil
}
