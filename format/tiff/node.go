package tiff

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// node is a node of the hierarchy that stands for a file: an array if level is
// set; else a group, of a series' levels, or of all there is.
type node struct {
	series      *series
	level       *level
	directories bool // the group of all directories
}

// find gives the node at a path.
//
// One image with one resolution is an array at the root, with several a group
// of levels; several images are groups and arrays by number. Beside them, and
// not listed, are all directories as they are.
func (f *File) find(ctx context.Context, path string) (node, error) {
	parts := strings.Split(path, "/")
	if path == "" {
		parts = nil
	}
	if len(parts) > 0 && parts[0] == directories {
		return f.directory(ctx, parts[1:])
	}
	if len(f.series) > 1 {
		if len(parts) == 0 {
			return node{}, nil
		}
		i, ok := number(parts[0])
		if !ok || i >= len(f.series) {
			return node{}, store.ErrNotExist
		}
		return f.series[i].find(parts[1:])
	}
	return f.series[0].find(parts)
}

// find gives the node at a path below a series.
func (s *series) find(parts []string) (node, error) {
	if s.err != nil {
		return node{}, s.err
	}
	if len(s.levels) == 1 && len(parts) == 0 {
		return node{series: s, level: &s.levels[0]}, nil
	}
	if len(s.levels) == 1 || len(parts) > 1 {
		return node{}, store.ErrNotExist
	}
	if len(parts) == 0 {
		return node{series: s}, nil
	}
	i, ok := number(parts[0])
	if !ok || i >= len(s.levels) {
		return node{}, store.ErrNotExist
	}
	return node{series: s, level: &s.levels[i]}, nil
}

// directory gives a directory, or the group of all.
func (f *File) directory(ctx context.Context, parts []string) (node, error) {
	if len(parts) == 0 {
		return node{directories: true}, nil
	}
	n, ok := number(parts[0])
	if !ok || len(parts) > 2 {
		return node{}, store.ErrNotExist
	}
	sub := -1
	if len(parts) == 2 {
		if sub, ok = number(parts[1]); !ok {
			return node{}, store.ErrNotExist
		}
	}
	p, err := f.page(ctx, n, sub)
	if err == nil {
		err = p.err
	}
	if err != nil {
		return node{}, fmt.Errorf("IFD %s: %w", strings.Join(parts, "/"), err)
	}
	l := level{kind: p.kind, pages: []int32{int32(n)}, sub: sub}
	s := &series{how: "pages", bare: true, levels: []level{l}}
	s.settle()
	return node{series: s, level: &s.levels[0]}, nil
}

// children are the names of the nodes below a group that are listed.
func (f *File) children(n node) []string {
	switch {
	case n.level != nil:
		return nil
	case n.directories:
		return numbers(f.pages.n)
	case n.series != nil:
		return numbers(len(n.series.levels))
	}
	return numbers(len(f.series))
}

func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
