package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"pgregory.net/rapid"
)

// drawImage makes an image of any shape with any fields, at most as large as
// the given one.
func drawImage(t *rapid.T, strips bool, width, height int) (img *Image, w, h int) {
	w, h = rapid.IntRange(1, width).Draw(t, "width"), rapid.IntRange(1, height).Draw(t, "height")
	img = &Image{Strips: strips, Fields: []tag.Field{tag.Longs(tag.ImageWidth, uint32(w)), tag.Shorts(tag.ImageLength, uint16(h))}}
	if strips {
		rows := rapid.IntRange(1, 200).Draw(t, "rows")
		img.Fields = append(img.Fields, tag.Shorts(tag.RowsPerStrip, uint16(rows)))
		img.Tiles = (h + rows - 1) / rows
	} else {
		tw, th := 16*rapid.IntRange(1, 4).Draw(t, "tw"), 16*rapid.IntRange(1, 4).Draw(t, "th")
		img.Fields = append(img.Fields, tag.Shorts(tag.TileWidth, uint16(tw)), tag.Longs(tag.TileLength, uint32(th)))
		img.Tiles = ((w + tw - 1) / tw) * ((h + th - 1) / th)
	}
	samples := rapid.IntRange(1, 4).Draw(t, "samples")
	img.Fields = append(img.Fields, tag.Shorts(tag.SamplesPerPixel, uint16(samples)))
	if rapid.Bool().Draw(t, "planar") {
		img.Fields = append(img.Fields, tag.Shorts(tag.PlanarConfiguration, 2))
		img.Tiles *= samples
	}
	ids := rapid.SliceOfNDistinct(rapid.Uint16Range(60000, 65535), 0, 6, rapid.ID).Draw(t, "ids")
	for _, id := range append(ids, 270, 3, 329)[:rapid.IntRange(0, len(ids)+3).Draw(t, "fields")] {
		typ := rapid.SampledFrom([]tag.Type{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17}).Draw(t, "type")
		n := rapid.IntRange(1, 9).Draw(t, "values") * typ.Size()
		img.Fields = append(img.Fields, tag.Field{ID: tag.ID(id), Type: typ, Raw: rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "raw")})
	}
	img.Fields = rapid.Permutation(img.Fields).Draw(t, "order")
	return img, w, h
}

// job is a tile that is to be written.
type job struct {
	img   *Image
	index int
	data  []byte
}

// Whatever is written is found again by a reader that knows nothing of the
// writer, nothing overlaps, and nothing is lost.
func TestAnyFile(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		opt := Options{COG: rapid.Bool().Draw(t, "cog"), BigTIFF: rapid.SampledFrom([]Mode{Auto, Always}).Draw(t, "mode")}
		opt.limit = uint64(rapid.SampledFrom([]int{1 << 32, 1000, 5000}).Draw(t, "limit"))
		var images []*Image
		var jobs []job
		add := func(img *Image) {
			for i := range img.Tiles {
				if n := rapid.IntRange(0, 90).Draw(t, "size"); n > 5 {
					jobs = append(jobs, job{img, i, bytes.Repeat([]byte{byte(len(jobs)), byte(i), byte(n)}, n)[:n]})
				}
			}
		}
		count := 1
		if !opt.COG {
			count = rapid.IntRange(1, 4).Draw(t, "images")
		}
		for range count {
			img, w, h := drawImage(t, !opt.COG && rapid.Bool().Draw(t, "strips"), 300, 200)
			add(img)
			for range rapid.IntRange(0, 3).Draw(t, "levels") {
				var level *Image
				level, w, h = drawImage(t, img.Strips, w, h)
				add(level)
				img.Levels = append(img.Levels, level)
			}
			images = append(images, img)
		}
		path := filepath.Join(folder, "a.tif")
		w, err := Create(path, images, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		jobs = rapid.Permutation(jobs).Draw(t, "arrival")
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				for i := k; i < len(jobs); i += 3 {
					if err := w.WriteTile(jobs[i].img, jobs[i].index, jobs[i].data); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		f := readFile(t, path)
		if err := errorsOf(f, images, jobs, opt); err != nil {
			t.Fatal(err)
		}
	})
	leftovers(t, folder, "a.tif")
}

func errorsOf(f *tiff, images []*Image, jobs []job, opt Options) error {
	if err := f.check(); err != nil {
		return err
	}
	if opt.BigTIFF == Always && !f.big || !f.big && uint64(len(f.data)) > opt.limit {
		return fmt.Errorf("BigTIFF %v with %d bytes", f.big, len(f.data))
	}
	found := map[*Image]*ifd{}
	if opt.COG {
		if len(f.chain) != 1+len(images[0].Levels) {
			return fmt.Errorf("%d directories", len(f.chain))
		}
		for i, d := range f.chain {
			found[append([]*Image{images[0]}, images[0].Levels...)[i]] = d
		}
	} else {
		if len(f.chain) != len(images) {
			return fmt.Errorf("%d directories", len(f.chain))
		}
		for i, d := range f.chain {
			found[images[i]] = d
			if len(d.subs) != len(images[i].Levels) {
				return fmt.Errorf("%d SubIFDs", len(d.subs))
			}
			for k, level := range images[i].Levels {
				found[level] = d.subs[k]
			}
		}
	}
	written := 0
	for img, d := range found {
		for _, field := range img.Fields {
			id := uint16(field.ID)
			if !bytes.Equal(d.raw[id], field.Raw) || d.types[id] != uint16(field.Type) || d.counts[id] != uint64(field.Len()) {
				return fmt.Errorf("tag %d is %x of type %d, not %+v", id, d.raw[id], d.types[id], field)
			}
			if !f.big && (field.Type == tag.Long8 || field.Type == tag.SLong8) {
				return fmt.Errorf("a classic TIFF with %+v", field)
			}
		}
		at, size := d.tiles()
		if len(at) != img.Tiles || len(size) != img.Tiles {
			return fmt.Errorf("%d tiles, not %d", len(at), img.Tiles)
		}
		for i := range at {
			if at[i] > 0 {
				written++
			}
		}
		own := 2
		if len(img.Levels) > 0 && !opt.COG {
			own++
		}
		if !slices.Contains(images, img) {
			own++ // NewSubfileType
		}
		if len(d.tags) != len(img.Fields)+own {
			return fmt.Errorf("tags %d", d.tags)
		}
	}
	if written != len(jobs) {
		return fmt.Errorf("%d tiles instead of %d", written, len(jobs))
	}
	for _, j := range jobs {
		at, size := found[j.img].tiles()
		if got := f.data[at[j.index] : at[j.index]+size[j.index]]; !bytes.Equal(got, j.data) {
			return fmt.Errorf("tile %d is %x, not %x", j.index, got, j.data)
		}
	}
	if !opt.COG {
		return nil
	}
	last := f.chain[len(f.chain)-1].at
	for _, d := range slices.Backward(f.chain) {
		at, size := d.tiles()
		for i := range at {
			if at[i] == 0 {
				continue
			}
			if leader := binary.LittleEndian.Uint32(f.data[at[i]-4:]); at[i] <= last || uint64(leader) != size[i] {
				return fmt.Errorf("tile %d of the directory at %d is at %d after %d and has leader %d", i, d.at, at[i], last, leader)
			}
			last = at[i]
		}
	}
	return nil
}
