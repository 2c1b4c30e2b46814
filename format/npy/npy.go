// Package npy shows files of NumPy, .npy, as arrays: the elements are read where they
// lie, in chunks that are contiguous parts of the file. Both orders of axes, both byte
// orders, structs, and versions 1 to 3 of the format are read. Files of pickled
// objects are refused.
package npy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Format is the name of the format.
const Format = "npy"

// Describe tells how files are recognised and opened.
func Describe() *format.Format {
	return &format.Format{
		Name: Format, Title: "a NumPy file",
		File: &format.File{
			Endings: []string{".npy"}, Starts: Starts,
			Open: func(ctx context.Context, s store.Store, key string, _ format.Env) (store.Store, error) {
				return Open(ctx, s, key)
			},
		},
	}
}

// firstRead is how much of a file is read at first, which is all of most headers.
const firstRead = 4 << 10

// Open reads the header of a file. The store is good until it is closed.
func Open(ctx context.Context, s store.Store, key string) (*Store, error) {
	obj, err := store.Open(ctx, s, key)
	if err != nil {
		return nil, err
	}
	f := &Store{in: s, key: key, obj: obj, url: store.JoinURL(s.URL(), key)}
	if err := f.read(ctx); err != nil {
		obj.Close()
		return nil, fmt.Errorf("read %s: %w", f.url, store.Damaged(err))
	}
	return f, nil
}

func (s *Store) read(ctx context.Context) error {
	head, info, err := s.obj.Get(ctx, store.Part(0, firstRead), nil)
	if errors.Is(err, store.ErrRange) { // the file is shorter
		head, info, err = s.obj.Get(ctx, store.UpTo(firstRead), nil)
	}
	if err != nil {
		return err
	}
	n, err := length(head)
	if err == nil && n > int64(len(head)) {
		if head, info, err = s.obj.Get(ctx, store.Part(0, n), nil); errors.Is(err, store.ErrRange) {
			err = errShort
		}
	}
	if err != nil {
		return err
	}
	h, err := ParseHeader(head)
	if err != nil {
		return err
	}
	s.etag, s.start = info.ETag, h.Offset
	if err := s.describe(h); err != nil {
		return err
	}
	if info.Size >= 0 && info.Size-s.start < s.length {
		return fmt.Errorf("elements of shape %v need %d bytes, and the file has %d behind its header", h.Shape, s.length, max(info.Size-s.start, 0))
	}
	return nil
}

// describe makes the document of the array, and says where its chunks lie.
func (s *Store) describe(h *Header) error {
	t, big, err := dtype.ParseNumpyUnits(h.Descr)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if len(t.Refs()) > 0 || t.Size() == 0 {
		return fmt.Errorf("header: descr %s: pickled objects, and elements of no bytes, are not read", cut(string(h.Descr)))
	}
	bytes, ok := nd.Bytes(h.Shape, t.Size())
	if !ok {
		return fmt.Errorf("header: shape %v of %d bytes each is too large", h.Shape, t.Size())
	}
	s.length = int64(bytes)
	shape := slices.Clone(h.Shape) // as it is stored, the last axis varying fastest
	if h.Fortran {
		slices.Reverse(shape)
	}
	chunk := chunkOf(shape, t.Size())
	if err := s.place(shape, chunk, t.Size()); err != nil {
		return err
	}
	m := &meta.Array{Shape: slices.Clone(h.Shape), DataType: t, Keys: grid.DefaultKeys{}}
	if s.reversed = h.Fortran && len(shape) > 1; s.reversed {
		slices.Reverse(chunk)
		order := make([]int, len(shape))
		for i := range order {
			order[i] = len(shape) - 1 - i
		}
		m.Codecs = append(m.Codecs, meta.Extension{Name: "transpose", Configuration: append(strictjson.AppendInts([]byte(`{"order":`), order), '}')})
	}
	m.Codecs = append(m.Codecs, serializer(h, t, big))
	if m.Grid, err = grid.NewRegular(m.Shape, chunk); err != nil {
		return err
	}
	if m.FillValue, err = t.AppendFill(nil, make([]byte, t.Size()), nil); err != nil {
		return err
	}
	s.document, err = m.Marshal()
	return err
}

// serializer is the codec for the byte order.
func serializer(h *Header, t dtype.Type, big []dtype.Unit) meta.Extension {
	wide := 0
	for _, u := range t.Units() {
		if u.Width > 1 {
			wide++
		}
	}
	order := `{"endian":"little"}`
	switch {
	case wide == 0:
		return meta.Extension{Name: "bytes"}
	case len(big) == wide:
		order = `{"endian":"big"}`
	case len(big) > 0:
		return meta.Extension{Name: endian.NumpyName, Configuration: []byte(`{"dtype":` + string(h.Descr) + `}`)}
	}
	return meta.Extension{Name: "bytes", Configuration: []byte(order)}
}

// chunkBytes is about how large chunks are: enough that a request is worth it, and
// little enough that several are worked on at once.
const chunkBytes = 4 << 20

// chunkOf is the shape of chunks that are contiguous: some positions along one axis,
// whole along those behind it, and one along those before.
func chunkOf(shape []int, size int) []int {
	chunk := make([]int, len(shape))
	for i := range chunk {
		chunk[i] = max(shape[i], 1)
	}
	if slices.Contains(shape, 0) {
		return chunk
	}
	inner := size
	for i := len(shape) - 1; i >= 0; i-- {
		if inner > chunkBytes/shape[i] {
			chunk[i] = max(chunkBytes/inner, 1)
			for k := range i {
				chunk[k] = 1
			}
			break
		}
		inner *= shape[i]
	}
	return chunk
}
