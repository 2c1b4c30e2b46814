package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// imageEntry is a TIFF file that others must read.
type imageEntry struct {
	Name    string        `json:"name"`
	Path    string        `json:"path"`
	COG     bool          `json:"cog"`
	BigTIFF bool          `json:"bigtiff"`
	Images  []imageSeries `json:"images"`
	// Of GeoTIFFs; the value of what is missing as Zarr spells it.
	CRS    int             `json:"crs"`
	Place  []float64       `json:"transform"`
	NoData json.RawMessage `json:"nodata"`
}

// imageSeries is one image, in several resolutions.
type imageSeries struct {
	Axes   string       `json:"axes"` // as tifffile names them
	Type   string       `json:"type"`
	Levels []imageLevel `json:"levels"`
	Made   string       `json:"made,omitempty"` // how levels but the first were made of it
}

type imageLevel struct {
	Shape  []int  `json:"shape"` // samples, if there are several, before rows
	SHA256 string `json:"sha256"`
}

// writeImages copies arrays to TIFF files.
func writeImages(ctx context.Context, dir string) error {
	var out []imageEntry
	var failed error
	for _, c := range imageCases() {
		e, err := c.write(ctx, dir)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("image %s: %w", c.name, err))
		}
		out = append(out, e)
	}
	if failed != nil {
		return failed
	}
	text, err := json.MarshalIndent(map[string]any{"cases": out}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(manifestIn(dir), append(text, '\n'), 0o666)
}

// recopy copies the files of a folder, of every kind but what cannot be read: to
// COGs those that hold one image with one resolution.
func recopy(ctx context.Context, format, from, to string) error {
	m, err := loadManifest(manifestIn(from))
	if err != nil {
		return err
	}
	var out manifest
	for _, e := range m.Cases {
		file, inside, _ := strings.Cut(e.Path, ".tif")
		last := len(out.Cases) - 1
		if strings.Contains(file, "lerc") || !copied(file) || last >= 0 && out.Cases[last].Name == file || format == "cog" && inside != "" {
			continue
		}
		e = entry{Name: file, Path: file + ".tif"}
		if err := copyFile(ctx, format, filepath.Join(from, e.Path), filepath.Join(to, e.Path)); err != nil {
			return err
		}
		out.Cases = append(out.Cases, e)
	}
	return out.save(manifestIn(to))
}

func copyFile(ctx context.Context, format, from, to string) error {
	src, err := zarr.Open(ctx, from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	_, err = copying.Copy(ctx, src, to, copying.Options{To: export.Format{COG: format == "cog"}, Chunks: []int{64, 64}})
	return errors.Join(err, src.Close())
}

func (c *imageCase) write(ctx context.Context, dir string) (imageEntry, error) {
	e := imageEntry{Name: c.name, Path: c.name + ".tif", COG: c.format.COG, BigTIFF: c.format.BigTIFF, CRS: c.crs, Place: c.place}
	source, arrays, err := c.source(ctx, filepath.Join(dir, "source", c.name+".zarr"))
	if err != nil {
		return e, err
	}
	defer source.Close()
	path := filepath.Join(dir, e.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return e, err
	}
	c.options.To, c.options.Lossy = c.format, true // some are JPEG
	if _, err := copying.Copy(ctx, source, path, c.options); err != nil {
		return e, err
	}
	if fill := arrays[0].FillValue(); !bytes.Equal(fill, make([]byte, len(fill))) {
		e.NoData = arrays[0].Metadata().FillValue
	}
	for i, a := range arrays {
		level, err := levelOf(ctx, a)
		if err != nil {
			return e, err
		}
		if i > 0 && c.group != "" {
			e.Images[0].Levels = append(e.Images[0].Levels, level)
			continue
		}
		axes := c.axes
		if axes == "" {
			axes = tifffileAxes(a)
		}
		e.Images = append(e.Images, imageSeries{Axes: axes, Type: a.DataType().Name(), Levels: []imageLevel{level}})
	}
	return e, c.readBack(ctx, path, &e)
}

// source makes the arrays, and the node that is copied: the only array, or the
// group of all.
func (c *imageCase) source(ctx context.Context, path string) (zarr.Node, []*zarr.Array, error) {
	root, err := zarr.CreateGroup(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if c.group != "" {
		attrs, err := meta.ParseAttributes([]byte(c.group))
		if err == nil {
			err = root.SetAttributes(ctx, attrs)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if _, err := writeAll(ctx, root, c.sources); err != nil {
		return nil, nil, err
	}
	var arrays []*zarr.Array
	for _, s := range c.sources {
		a, err := root.Array(ctx, s.name)
		if err != nil {
			return nil, nil, err
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 1 && c.group == "" {
		return arrays[0], arrays, nil
	}
	return root, arrays, nil
}

// readBack reads with Omnizarr what was written: what loses something, or was
// made, is right if others read the same, everything else must be the source's.
func (c *imageCase) readBack(ctx context.Context, path string, e *imageEntry) error {
	for i := range e.Images {
		img := &e.Images[i]
		base := path
		if len(e.Images) > 1 {
			base = fmt.Sprintf("%s/%d", path, i)
		}
		levels, err := levelsAt(ctx, base)
		if err != nil {
			return err
		}
		first := 0
		switch {
		case c.options.DataType != "":
			img.Type = c.options.DataType
		case c.format.Compression != "jpeg":
			if first = len(img.Levels); len(levels) < first || !slices.EqualFunc(levels[:first], img.Levels, imageLevel.equal) {
				return errors.New("other levels come back")
			}
		}
		if n := len(img.Levels); len(levels) > n && c.format.Compression != "jpeg" {
			if img.Made = c.format.Resampling; img.Made == "" {
				img.Made = "average"
			}
		}
		img.Levels = append(img.Levels[:first], levels[first:]...)
	}
	return nil
}

func (l imageLevel) equal(m imageLevel) bool {
	return slices.Equal(l.Shape, m.Shape) && l.SHA256 == m.SHA256
}

// levelsAt reads the levels of an image in a file.
func levelsAt(ctx context.Context, url string) ([]imageLevel, error) {
	n, err := zarr.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if a, ok := n.(*zarr.Array); ok {
		l, err := levelOf(ctx, a)
		return []imageLevel{l}, err
	}
	var out []imageLevel
	for i := 0; ; i++ {
		a, err := n.(*zarr.Group).Array(ctx, fmt.Sprint(i))
		if errors.Is(err, zarr.ErrNoNode) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		l, err := levelOf(ctx, a)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
}

// levelOf reads an array, with samples before rows, and a row as an image.
func levelOf(ctx context.Context, a *zarr.Array) (imageLevel, error) {
	v, err := read(ctx, a, zarr.All(), a.Shape())
	if err != nil {
		return imageLevel{}, err
	}
	if n := len(v.Shape); samplesLast(a) {
		v = v.Permute([]int{n - 1, n - 3, n - 2})
	}
	out := nd.Make(v.Size, slices.Clone(v.Shape)...)
	nd.Copy(out, v)
	l := imageLevel{Shape: out.Shape, SHA256: digest(a.DataType(), out)}
	if len(l.Shape) == 1 {
		l.Shape = []int{1, l.Shape[0]}
	}
	return l, nil
}

func samplesLast(a *zarr.Array) bool {
	names := strings.Join(a.DimensionNames(), "")
	return names == "yxs" || names == "yxc"
}

// tifffileAxes are the names of the axes in tifffile's way.
func tifffileAxes(a *zarr.Array) string {
	letters := strings.ToUpper(strings.Join(a.DimensionNames(), ""))
	if len(letters) < 2 {
		return "YX"
	}
	if rest, ok := strings.CutSuffix(letters, "SYX"); ok {
		return rest + "YXS"
	}
	return letters
}
