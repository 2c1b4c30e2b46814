package writer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/writer"
)

// A COG with one overview, whose tiles are made by several goroutines.
func Example() {
	folder, err := os.MkdirTemp("", "tiff")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	image := func(size uint16) *writer.Image {
		n := int(size / 128)
		return &writer.Image{Tiles: n * n, Fields: []tag.Field{
			tag.Shorts(tag.ImageWidth, size), tag.Shorts(tag.ImageLength, size),
			tag.Shorts(tag.TileWidth, 128), tag.Shorts(tag.TileLength, 128),
			tag.Shorts(tag.BitsPerSample, 8), tag.Shorts(tag.Compression, 1), tag.Shorts(tag.Photometric, 1),
		}}
	}
	full := image(512)
	full.Levels = []*writer.Image{image(256)}

	path := filepath.Join(folder, "image.tif")
	w, err := writer.Create(path, []*writer.Image{full}, writer.Options{COG: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort() // does nothing after Close
	var wg sync.WaitGroup
	for _, img := range []*writer.Image{full, full.Levels[0]} {
		for i := range img.Tiles {
			wg.Go(func() { w.WriteTile(img, i, make([]byte, 128*128)) }) // Close gives the error
		}
	}
	wg.Wait()
	if err := w.Close(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	data, err := os.ReadFile(path)
	fmt.Printf("%q, %d bytes, %v\n", data[:4], len(data), err)
	// Output: "II*\x00", 328432 bytes, <nil>
}
