package hdf5

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/store"
)

// mosaic is an array that datasets of the same shape make together, each of which is
// one position along the axes in front. Its chunks are theirs.
type mosaic struct {
	lead []uint64 // how many positions there are along each axis in front
	// path of the dataset at a position
	path func(at []uint64) string
	// extent is the shape of each without what is behind the edge, nil for all.
	extent   []uint64
	unsigned bool // integers of 16 bits have no sign, whatever their type says
	names    []string
}

// composed makes the node of a mosaic, which is as its first dataset is.
func (s *Store) composed(m *mosaic, path string) (*node, error) {
	first, err := s.node(m.path(make([]uint64, len(m.lead))))
	if err != nil {
		return nil, err
	}
	if first.d == nil || len(first.extent)+len(m.lead) != len(m.names) {
		return nil, store.ErrNotExist
	}
	n := &node{o: first.o, d: first.d, element: first.element, plain: first.plain, path: path, mosaic: m}
	if m.unsigned && n.element.kind == asStored && n.element.data.Name() == "int16" {
		n.element.data = dtype.MustParse("uint16")
	}
	extent := slices.Clone(first.extent)
	for i, k := range m.extent {
		if i < len(extent) && k > 0 && k < extent[i] {
			extent[i] = k
		}
	}
	n.extent = slices.Concat(m.lead, extent)
	for range m.lead {
		n.chunk = append(n.chunk, 1)
	}
	n.chunk = append(n.chunk, first.chunk...)
	n.cut()
	return n, nil
}

// partAt finds the dataset that has a chunk, and which of its chunks that is.
func (s *Store) partAt(n *node, index []uint64) (*node, []uint64, error) {
	lead := len(n.mosaic.lead)
	at := n.mosaic.path(index[:lead])
	x, err := s.node(at)
	if err != nil {
		return nil, nil, err
	}
	if !alike(n, x) {
		return nil, nil, fmt.Errorf("/%s is stored in another way than the dataset of the first position", at)
	}
	return x, index[lead:], nil
}

// alike reports whether a dataset is stored as the first one of a mosaic is.
func alike(n, x *node) bool {
	return x.d != nil && x.plain == n.plain && x.d.Layout.Class == n.d.Layout.Class && x.d.Type.Class == n.d.Type.Class &&
		x.d.Type.Size == n.d.Type.Size && x.d.Type.Order == n.d.Type.Order && slices.Equal(x.chunk, n.chunk[len(n.mosaic.lead):]) &&
		slices.EqualFunc(x.d.Filters, n.d.Filters, func(a, b hdf5.Filter) bool { return a.ID == b.ID && slices.Equal(a.Values, b.Values) })
}

// maxLooked is how many datasets of a mosaic are looked through for what differs.
const maxLooked = 256

// parts calls do for the first datasets of a mosaic.
func (s *Store) parts(n *node, do func(d *hdf5.Dataset) error) error {
	looked := 0
	return n.mosaic.each(func(at []uint64) (bool, error) {
		x, err := s.node(n.mosaic.path(at))
		if errors.Is(err, store.ErrNotExist) {
			err = nil
		} else if err == nil && alike(n, x) {
			err = do(x.d)
		}
		looked++
		return looked < maxLooked, err
	})
}

// each calls do for all positions, until it says that these are enough.
func (m *mosaic) each(do func(at []uint64) (more bool, err error)) error {
	if slices.Contains(m.lead, 0) {
		return nil
	}
	at := make([]uint64, len(m.lead))
	for {
		if more, err := do(at); err != nil || !more {
			return err
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < m.lead[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// keysOfParts are the keys of all stored chunks of a mosaic.
func (s *Store) keysOfParts(ctx context.Context, n *node) ([]store.Entry, error) {
	var keys []store.Entry
	lead := len(n.mosaic.lead)
	looked := 0
	err := n.mosaic.each(func(at []uint64) (bool, error) {
		if looked++; looked > maxKeys {
			return false, fmt.Errorf("the array has more than %d positions", maxKeys)
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		x, err := s.node(n.mosaic.path(at))
		if errors.Is(err, store.ErrNotExist) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !alike(n, x) {
			return true, nil // reading it tells
		}
		own, err := s.keys(ctx, x)
		if err != nil {
			return false, err
		}
		front := chunkPrefix
		for _, k := range at {
			front += "/" + strconv.FormatUint(k, 10)
		}
		for _, e := range own {
			rest := strings.TrimPrefix(e.Key, chunkPrefix)
			if !inside(rest, n.grid[lead:]) {
				continue
			}
			if keys = append(keys, store.Entry{Key: front + rest, Size: e.Size}); len(keys) > maxKeys {
				return false, fmt.Errorf("the array has more than %d chunks", maxKeys)
			}
		}
		return true, nil
	})
	return keys, err
}

// inside reports whether the rest of a key, such as "/1/2", is within a grid.
func inside(rest string, grid []uint64) bool {
	i := 0
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		k, err := strconv.ParseUint(part, 10, 64)
		if err != nil || i >= len(grid) || k >= grid[i] {
			return false
		}
		i++
	}
	return i == len(grid)
}
