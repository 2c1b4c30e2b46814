package plain

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/zstdenc"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// made gives a chunk that is written anew, and a tag that changes when it does. A chunk
// that holds nothing but the fill value is not there.
func (s *Store) made(ctx context.Context, c chunkOf) (data []byte, tag string, err error) {
	version, err := s.nodes.Version(ctx, c.path)
	if err != nil {
		return nil, "", err
	}
	box := c.box()
	now, err := s.chunks.Of(ctx, c.array, box)
	if err != nil {
		return nil, "", err
	}
	if !now.Stored && !c.doc.NoFill {
		return nil, "", store.ErrNotExist
	}
	name := c.name(version)
	key := name(c.index) + now.Tags
	data, err = s.opt.Cache.Get(ctx, key, func(ctx context.Context) ([]byte, error) {
		// The source is held as long as the work goes on.
		v, err := s.array(ctx, c.base())
		if err != nil {
			return nil, err
		}
		if v.tag != c.tag {
			return nil, store.ErrChanged
		}
		again := chunkOf{v, c.index}
		if v.whole {
			return s.share(ctx, again, func(index []int) string { return name(index) + now.Tags })
		}
		return again.make(ctx, box)
	})
	if err == nil && len(data) == 0 {
		err = store.ErrNotExist
	}
	return data, hash(key), err
}

// name gives the names that chunks have in the cache.
func (c chunkOf) name(version string) func(index []int) string {
	return func(index []int) string {
		return strings.Join([]string{"plain", c.array.URL(), c.identity, c.path, version, c.tag, fmt.Sprint(index), ""}, "\x00")
	}
}

// box is the part of the array that a chunk holds.
func (c chunkOf) box() nd.Box {
	b := nd.Box{Start: make([]int, len(c.index)), Shape: make([]int, len(c.index))}
	for i, k := range c.index {
		start, length := c.doc.Grid.Span(i, k)
		b.Start[i], b.Shape[i] = start, min(length, c.doc.Shape[i]-start)
	}
	return b
}

// make reads a box of the source and writes it as a chunk, with no bytes if it holds
// nothing but the fill value.
func (c chunkOf) make(ctx context.Context, box nd.Box) ([]byte, error) {
	shape := c.doc.Grid.Uniform()
	spec := c.from.Spec()
	if n, ok := nd.Bytes(shape, spec.Type.Size()); ok && n <= mostInPlace && c.asIs && spec.Type.Size() == 1 {
		frame := zstdenc.NewStored(n)
		view := nd.Of(frame.Content(), 1, shape...)
		if err := c.read(ctx, box, view); err != nil {
			return nil, err
		}
		if !c.doc.NoFill && spec.IsFill(view) {
			return []byte{}, nil
		}
		return frame.Frame(), nil
	}
	view, mem, err := (&codec.Chunk{}).LendView(spec.Type.Size(), shape)
	if err != nil {
		return nil, &zarr.Error{Op: "show", URL: c.array.URL(), Err: err}
	}
	defer mem.Free()
	if len(spec.Type.Refs()) > 0 {
		view.Heap = &nd.Heap{}
	}
	if err := c.read(ctx, box, view); err != nil {
		return nil, err
	}
	return c.encode(ctx, view, box.Shape)
}

// mostInPlace is the largest chunk that is decoded into the bytes that are kept.
const mostInPlace = 8 << 20

// read reads a box of the source to the beginning of a view; what is behind it becomes the
// fill value.
func (c chunkOf) read(ctx context.Context, box nd.Box, view nd.View) error {
	if !slices.Equal(box.Shape, view.Shape) {
		c.from.Spec().FillView(view)
	}
	return c.array.ReadInto(ctx, zarr.Box(box.Start, box.Shape), view.Box(nd.Whole(box.Shape)))
}

// encode writes elements of the source as a chunk.
func (c chunkOf) encode(ctx context.Context, view nd.View, extent []int) ([]byte, error) {
	spec := c.from.Spec()
	if !c.doc.NoFill && spec.IsFill(view) {
		return []byte{}, nil
	}
	fail := func(err error) ([]byte, error) {
		return nil, &zarr.Error{Op: "show", URL: c.array.URL(), Key: string(c.doc.Keys.Append(nil, c.index)), Err: err}
	}
	ck := &codec.Chunk{Index: c.index, Extent: extent}
	if c.change != nil {
		to := c.to.Spec().Type
		changed, mem, err := ck.LendView(to.Size(), view.Shape)
		if err != nil {
			return fail(err)
		}
		defer mem.Free()
		if len(to.Refs()) > 0 {
			changed.Heap = &nd.Heap{}
		}
		if err := c.change(changed, view); err != nil {
			return fail(err)
		}
		view = changed
	}
	if raw, ok := view.Contiguous(); ok && c.asIs {
		frame := zstdenc.NewStored(len(raw))
		copy(frame.Content(), raw)
		return frame.Frame(), nil
	}
	if raw, ok := c.to.Place(view); ok {
		return bytes.Clone(raw), nil
	}
	n, _ := nd.Bytes(view.Shape, view.Size)
	b := buf.Get(n/2 + 1024)
	defer func() { b.Free() }()
	out, err := c.to.Encode(ctx, ck, b.B, view)
	if err != nil {
		return fail(err)
	}
	b.B = out
	return bytes.Clone(out), nil
}

// share decodes a chunk of the source that is cut, and makes all parts of it, since each of
// them would take as long; one of those who want parts at the same time does it for all.
func (s *Store) share(ctx context.Context, c chunkOf, name func(index []int) string) ([]byte, error) {
	first, count := make([]int, len(c.index)), make([]int, len(c.index))
	whole := nd.Box{Start: make([]int, len(c.index)), Shape: make([]int, len(c.index))}
	chunk := c.doc.Grid.Uniform()
	own := 0 // its number among the parts
	for i, k := range c.index {
		start, _ := c.doc.Grid.Span(i, k)
		at, length := c.meta.Grid.Span(i, c.meta.Grid.Find(i, start))
		length = min(length, c.meta.Shape[i]-at)
		first[i] = at / chunk[i]
		count[i] = (length + chunk[i] - 1) / chunk[i]
		whole.Start[i], whole.Shape[i] = at, length
		own = own*count[i] + k - first[i]
		if at%chunk[i] != 0 || length%chunk[i] != 0 && at+length != c.meta.Shape[i] {
			return c.make(ctx, c.box()) // some parts lie in two chunks
		}
	}
	all, err := s.groups.Get(ctx, name(first), func(ctx context.Context) ([]byte, error) {
		v, err := s.array(ctx, c.base()) // which is held as long as this goes on
		if err != nil {
			return nil, err
		}
		return s.parts(ctx, v, whole, first, count, name)
	})
	if err != nil {
		return nil, err
	}
	ends, start := all[:8*product(count)], 0
	if own > 0 {
		start = int(binary.LittleEndian.Uint64(ends[8*(own-1):]))
	}
	return bytes.Clone(all[len(ends)+start : len(ends)+int(binary.LittleEndian.Uint64(ends[8*own:]))]), nil
}

func product(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

// parts makes all parts of a chunk of the source, and has them kept. It gives where each
// of them ends, and all of them.
func (s *Store) parts(ctx context.Context, v *shown, whole nd.Box, first, count []int, name func(index []int) string) ([]byte, error) {
	elements, mem, err := (&codec.Chunk{}).LendView(v.from.Spec().Type.Size(), whole.Shape)
	if err != nil {
		return nil, &zarr.Error{Op: "show", URL: v.array.URL(), Err: err}
	}
	defer mem.Free()
	if err := v.array.ReadInto(ctx, zarr.Box(whole.Start, whole.Shape), elements); err != nil {
		return nil, err
	}
	out, n := make([]byte, 8*product(count)), 0
	for at := make([]int, len(first)); ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		index := make([]int, len(first))
		for i := range at {
			index[i] = first[i] + at[i]
		}
		data, err := chunkOf{v, index}.piece(ctx, elements, whole)
		if err != nil {
			return nil, err
		}
		s.opt.Cache.Keep(name(index), data)
		out = append(out, data...)
		binary.LittleEndian.PutUint64(out[8*n:], uint64(len(out)-8*product(count)))
		if !nd.Next(at, count) {
			return out, nil
		}
	}
}

// piece writes a part of a chunk of the source that is in memory.
func (c chunkOf) piece(ctx context.Context, all nd.View, whole nd.Box) ([]byte, error) {
	box := c.box()
	shape := c.doc.Grid.Uniform()
	at := nd.Box{Start: make([]int, len(shape)), Shape: box.Shape}
	for i := range shape {
		at.Start[i] = box.Start[i] - whole.Start[i]
	}
	spec := c.from.Spec()
	view, mem, err := (&codec.Chunk{}).LendView(spec.Type.Size(), shape)
	if err != nil {
		return nil, err
	}
	defer mem.Free()
	if !slices.Equal(box.Shape, shape) {
		spec.FillView(view)
	}
	nd.Copy(view.Box(nd.Whole(box.Shape)), all.Box(at))
	return c.encode(ctx, view, box.Shape)
}
