package tiff

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/ome"
)

// ome groups pages as OME-XML says. What OME-XML gets wrong about the file, and
// what would need other files, is an error of the images, not of the file: its
// directories can be read all the same.
func (f *File) ome(ctx context.Context, text string) ([]*series, error) {
	if !ome.IsOME(text) {
		return nil, nil
	}
	md, err := ome.Parse(text)
	if err != nil {
		return nil, nil
	}
	if md.Companion != "" {
		return []*series{{err: fmt.Errorf("OME-TIFF: the metadata of this file is in %q, which is not looked at: open that file's images, or the directories of this one below %q", md.Companion, directories)}}, nil
	}
	var out []*series
	room := max(1<<16, min(16*f.pages.n, 1<<20), 2*f.pages.n)
	for i := range md.Images {
		s, err := f.omeImage(&md.Images[i], &room)
		if err != nil {
			out = append(out, &series{err: fmt.Errorf("OME-TIFF: image %d: %w", i, err)})
			continue
		}
		if s == nil {
			continue
		}
		if _, err := f.addSubIFDs(ctx, s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// omeImage makes a series of an image, nil if none of its planes is here or they
// are not what the description says. Room is how many planes all images together
// may still claim.
func (f *File) omeImage(img *ome.Image, room *int) (*series, error) {
	letters, lengths := strings.ToLower(img.Axes()), img.Shape()
	planes := 1
	for _, n := range lengths {
		if n < 1 || n > *room/planes {
			return nil, fmt.Errorf("OME-XML declares %d planes along %q, the file has %d IFDs", lengths, letters, f.pages.n)
		}
		planes *= n
	}
	*room -= planes
	l := level{sub: -1, pages: make([]int32, planes)}
	for i := range l.pages {
		l.pages[i] = -1
	}
	work := 0
	for _, r := range img.Planes() {
		if r.FileName != "" && !f.isCalled(r.FileName) {
			return nil, fmt.Errorf("planes are in another file, %q, which is not looked at", r.FileName)
		}
		n := r.Count
		if n == 0 {
			n = f.pages.n
		}
		n = min(n, planes-r.First, f.pages.n-r.IFD)
		for i := range n {
			l.pages[r.First+i] = int32(r.IFD + i)
		}
		if work += max(n, 0); work > 4*planes+maxLevels {
			return nil, fmt.Errorf("OME-XML lists %d planes again and again", planes)
		}
	}
	for _, n := range l.pages {
		if n >= 0 {
			if l.kind = f.pages.at(int(n)).kind; l.kind != nil { // others are errors when they are read
				break
			}
		}
	}
	if l.kind == nil || l.kind.samples != img.Samples || l.kind.width != img.SizeX || l.kind.height != img.SizeY {
		return nil, nil
	}
	s := &series{name: img.Name, how: "ome", levels: []level{l}, channels: omeChannels(img)}
	scale := map[byte]ome.Quantity{'x': img.PhysicalX, 'y': img.PhysicalY, 'z': img.PhysicalZ, 't': img.TimeIncrement}
	measured := func(letter byte, length int) axis {
		q := scale[letter]
		return axis{letter, length, q.Value, q.Unit}
	}
	for i, n := range lengths {
		if n > 1 {
			s.axes = append(s.axes, measured(letters[i], n))
		}
	}
	s.space = [2]axis{measured('y', 0), measured('x', 0)}
	return s, nil
}

// isCalled reports whether this is the file of a name.
func (f *File) isCalled(name string) bool {
	own := path.Base(strings.ReplaceAll(f.url, "\\", "/"))
	if u, err := url.PathUnescape(own); err == nil && strings.Contains(f.url, "://") {
		own = u
	}
	return strings.EqualFold(own, name)
}
