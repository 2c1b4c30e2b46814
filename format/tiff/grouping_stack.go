package tiff

import (
	"context"
	"math"
	"slices"

	"github.com/omnizarr/zarr/format/tiff/imagej"
	"github.com/omnizarr/zarr/format/tiff/tag"
)

// imageJ groups the pages of a hyperstack as ImageJ describes it.
func (f *File) imageJ(ctx context.Context, text string) ([]*series, error) {
	first := f.pages.at(0)
	if !imagej.Is(text) || first.kind == nil {
		return nil, nil
	}
	d, err := imagej.Parse(text)
	if err != nil {
		return nil, nil
	}
	stack, err := d.Stack(first.kind.samples, first.kind.planar == 2, f.pages.n)
	if err != nil {
		return nil, nil
	}
	s := &series{how: "imagej", space: [2]axis{{letter: 'y', unit: d.Unit}, {letter: 'x', unit: d.Unit}}}
	measured := map[byte]axis{'z': {scale: d.Spacing, unit: d.Unit}, 't': {scale: d.Interval, unit: "s"}}
	planes := 1
	for i, n := range stack.Shape {
		if planes > maxPages/n {
			return nil, nil
		}
		planes *= n
		if n > 1 {
			letter := lower(stack.Axes[i])
			a := measured[letter]
			s.axes = append(s.axes, axis{letter, n, a.scale, a.unit})
		}
	}
	s.sample = lower(stack.Samples)
	l, err := f.stack(ctx, 0, planes, false)
	if l == nil || err != nil {
		return nil, err
	}
	s.levels = []level{*l}
	if err := f.resolution(ctx, s); err != nil {
		return nil, err
	}
	_, err = f.addSubIFDs(ctx, s)
	return []*series{s}, err
}

// resolution reads how large pixels are, in the unit that the series has.
func (f *File) resolution(ctx context.Context, s *series) error {
	all, err := f.fields(ctx, 0, -1, 64, func(id tag.ID) bool { return id != tag.XResolution && id != tag.YResolution })
	if err != nil {
		return err
	}
	for _, x := range all {
		if v, err := x.Floats(); err == nil && len(v) == 1 && v[0] > 0 && !math.IsInf(v[0], 0) {
			switch x.ID {
			case tag.YResolution:
				s.space[0].scale = 1 / v[0]
			case tag.XResolution:
				s.space[1].scale = 1 / v[0]
			}
		}
	}
	return nil
}

// stack takes planes pages from page first on for an image. Where only the first
// has a directory, which the file may say itself, it takes the data behind that
// of the first. It gives nil if neither is possible.
func (f *File) stack(ctx context.Context, first, planes int, alone bool) (*level, error) {
	p := f.pages.at(first)
	l := &level{kind: p.kind, sub: -1}
	if !alone || planes == 1 {
		n := 0
		for _, q := range f.pages.from(first) {
			if n == planes || q.kind != l.kind {
				break
			}
			n++
		}
		if n == planes {
			l.pages = make([]int32, planes)
			for i := range l.pages {
				l.pages[i] = int32(first + i)
			}
			return l, nil
		}
	}
	k := l.kind
	n := k.tiles()
	if k.compression != 1 || k.tiled || k.bits%8 != 0 || n == 0 || n > maxStrips {
		return nil, nil
	}
	start, err := f.extent(ctx, &p, 0)
	if err != nil {
		return nil, passOver(ctx)
	}
	end := start.off
	for i := range n {
		x, err := f.extent(ctx, &p, i)
		if err != nil || x.off != end {
			return nil, passOver(ctx)
		}
		end += x.length
	}
	bytes := product(k.rowBytes(k.width), k.height, k.planes())
	if end-start.off < bytes || uint64(planes) > (1<<62)/bytes || !f.src.fits(start.off, bytes*uint64(planes)) {
		return nil, nil
	}
	// Neither this directory nor the next page may be among the data.
	start.length = bytes * uint64(planes)
	if start.has(p.offset) {
		return nil, nil
	}
	if first+1 < f.pages.n {
		next := f.pages.at(first + 1)
		if start.has(next.offset) {
			return nil, nil
		}
		if next.kind != nil {
			if x, err := f.extent(ctx, &next, 0); err == nil && start.has(x.off) {
				return nil, nil
			}
		}
	}
	l.pages, l.stride = []int32{int32(first)}, bytes
	return l, nil
}

// maxStrips is in how many strips the first page of a stack without directories
// may be cut.
const maxStrips = 1 << 16

// passOver leaves what cannot be read to those who read it, unless time is up.
func passOver(ctx context.Context) error { return ctx.Err() }

// shaped groups pages as tifffile describes its own files: in every image's
// first page.
func (f *File) shaped(ctx context.Context, text string) ([]*series, error) {
	var out []*series
	for at := 0; at < f.pages.n; {
		if at > 0 {
			var err error
			if text, err = f.description(ctx, at); err != nil {
				return nil, err
			}
		}
		k := f.pages.at(at).kind
		if !imagej.IsShaped(text) || k == nil {
			return nil, nil
		}
		d, err := imagej.ParseShaped(text)
		if err != nil {
			return nil, nil
		}
		s, planes := k.leading(d)
		if s == nil {
			return nil, nil
		}
		l, err := f.stack(ctx, at, planes, d.Truncated)
		if l == nil || err != nil {
			return nil, err
		}
		s.levels = []level{*l}
		if _, err := f.addSubIFDs(ctx, s); err != nil {
			return nil, err
		}
		out = append(out, s)
		at += len(l.pages)
	}
	return f.pyramids(out, true), nil
}

// leading gives the axes of a described shape that are before those of a page,
// and how many planes they make; nil if the shape does not end in that of a
// page.
func (k *kind) leading(d *imagej.Shaped) (*series, int) {
	shape := d.Shape
	page, sample := []int{k.height, k.width}, -1
	switch {
	case k.samples > 1 && k.planar == 2:
		page, sample = []int{k.samples, k.height, k.width}, len(shape)-3
	case k.samples > 1:
		page, sample = append(page, k.samples), len(shape)-1
	case len(shape) > 2 && shape[len(shape)-1] == 1 && !slices.Equal(shape[len(shape)-2:], page):
		shape = shape[:len(shape)-1] // one sample
	}
	n := len(shape) - len(page)
	if n < 0 || !slices.Equal(shape[n:], page) {
		return nil, 0
	}
	s, planes := &series{how: "shaped", name: d.Name, more: d.Attributes}, 1
	named := len(d.Axes) == len(d.Shape)
	if named && sample >= 0 {
		s.sample = lower(d.Axes[sample])
	}
	for i, length := range shape[:n] {
		if length < 1 || planes > maxPages/length {
			return nil, 0
		}
		letter := byte('q')
		if named {
			letter = lower(d.Axes[i])
		}
		planes *= length
		s.axes = append(s.axes, axis{letter: letter, length: length})
	}
	return s, planes
}
