package tiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// COG is how a file keeps to the rules of Cloud Optimized GeoTIFF, as GDAL's validator
// and rio-cogeo have them.
type COG struct {
	Claimed bool // the file says by GDAL's structural metadata that it is one
	// Errors make it none; Warnings are what the rules recommend.
	Errors, Warnings []string
}

// What the rules count with.
const (
	cogUntiled   = 512 // how large an image may be that has no tiles and overviews
	ghostHead    = "GDAL_STRUCTURAL_METADATA_SIZE="
	ghostLine    = len(ghostHead + "000000 bytes\n")
	photoOfMasks = 4
)

// COG holds the file against the rules. It reads where tiles are, and no tile.
func (f *File) COG(ctx context.Context) (COG, error) {
	var c COG
	wrong := func(text string, args ...any) { c.Errors = append(c.Errors, fmt.Sprintf(text, args...)) }
	main, overviews := f.cogPages(ctx)
	if main.err != nil {
		return c, main.err
	}
	first, ghost, err := f.ghost(ctx)
	if err != nil {
		return c, err
	}
	c.Claimed = strings.Contains(ghost, "LAYOUT=IFDS_BEFORE_DATA")
	if strings.Contains(ghost, "KNOWN_INCOMPATIBLE_EDITION=YES") {
		wrong("something has changed the file and says that it is no COG any more (KNOWN_INCOMPATIBLE_EDITION=YES)")
	}
	if main.offset != first {
		wrong("the offset of the main IFD should be %d, it is %d", first, main.offset)
	}
	large := func(k *kind) bool { return k.width > cogUntiled || k.height > cogUntiled }
	if large(main.kind) {
		if !main.kind.tiled {
			wrong("the image has %d x %d pixels, more than %d, and is not tiled", main.kind.width, main.kind.height, cogUntiled)
		}
		if len(overviews) == 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("the image has %d x %d pixels, more than %d: it should have overviews", main.kind.width, main.kind.height, cogUntiled))
		}
	}
	levels := append([]page{main}, overviews...)
	name := func(i int) string {
		if i == 0 {
			return "the main image"
		}
		return fmt.Sprintf("overview %d", i-1)
	}
	starts := make([]uint64, len(levels)) // of the first tile, 0 if it is not stored
	for i, p := range levels {
		if starts[i], err = f.firstTile(ctx, p); err != nil {
			wrong("%s: %v", name(i), err)
		}
		if i == 0 {
			continue
		}
		above := levels[i-1]
		if p.kind.width > above.kind.width || p.kind.height > above.kind.height || p.kind.width*p.kind.height >= above.kind.width*above.kind.height {
			wrong("%s is not smaller than %s", name(i), name(i-1))
		}
		if p.offset < above.offset {
			wrong("the IFD of %s, at offset %d, should be behind that of %s, at offset %d", name(i), p.offset, name(i-1), above.offset)
		}
		if large(p.kind) && !p.kind.tiled {
			wrong("%s has %d x %d pixels, more than %d, and is not tiled", name(i), p.kind.width, p.kind.height, cogUntiled)
		}
		if starts[i] != 0 && starts[i-1] != 0 && starts[i-1] < starts[i] {
			wrong("the first tile of %s, at offset %d, should be behind that of %s, at offset %d", name(i-1), starts[i-1], name(i), starts[i])
		}
	}
	if last := len(levels) - 1; starts[last] != 0 && starts[last] < levels[last].offset {
		wrong("the first tile of %s, at offset %d, should be behind its IFD, at offset %d", name(last), starts[last], levels[last].offset)
	}
	return c, ctx.Err()
}

// cogPages are the first image and its overviews, which may be SubIFDs, without masks.
func (f *File) cogPages(ctx context.Context) (main page, overviews []page) {
	main, err := f.page(ctx, 0, -1)
	if err != nil {
		return page{err: err}, nil
	}
	add := func(p page) {
		if p.kind != nil && p.err == nil && p.reduced && p.kind.photometric != photoOfMasks {
			overviews = append(overviews, p)
		}
	}
	for _, p := range f.pages.from(1) {
		add(p)
	}
	for i := range int(min(main.sub.count, maxLevels)) {
		if p, err := f.page(ctx, 0, i); err == nil {
			add(p)
		}
	}
	return main, overviews
}

// firstTile is where the first tile of a page is, 0 if it is not stored.
func (f *File) firstTile(ctx context.Context, p page) (uint64, error) {
	x, err := f.extent(ctx, &p, 0)
	if errors.Is(err, store.ErrNotExist) {
		return 0, nil
	}
	return x.off, err
}

// ghost reads GDAL's structural metadata, which is between the header and the first
// directory, and tells where that should be.
func (f *File) ghost(ctx context.Context) (first uint64, text string, err error) {
	first = uint64(pick(f.form.big, 16, 8))
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.src.fits(first, uint64(ghostLine)) {
		return first, "", nil
	}
	line, err := f.src.read(ctx, first, ghostLine)
	if err != nil || !bytes.HasPrefix(line, []byte(ghostHead)) {
		return first, "", err
	}
	size, err := strconv.Atoi(string(line[len(ghostHead):][:6]))
	if err != nil || size < 0 || !f.src.fits(first, uint64(ghostLine+size)) {
		return first, "", nil
	}
	all, err := f.src.read(ctx, first, ghostLine+size)
	if err != nil {
		return first, "", err
	}
	first += uint64(len(all))
	return first + first%2, string(all[ghostLine:]), nil
}
