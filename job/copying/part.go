package copying

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Part shows what the slice of the options selects of an array of numbers as an array
// of its own, for copies that take whole ones. Its elements are read from the source
// when they are wanted. attrs are the attributes of the array, of which it has those
// that are true of the part; lost names the others.
func Part(ctx context.Context, a *zarr.Array, attrs *meta.Attributes, opts Options) (part *zarr.Array, lost []string, err error) {
	fail := func(err error) (*zarr.Array, []string, error) {
		return nil, nil, &zarr.Error{Op: "select from", URL: a.URL(), Err: err}
	}
	if !IsNumber(a.DataType()) && a.DataType().Kind() != dtype.Complex {
		return fail(fmt.Errorf("elements of type %s are no numbers: copy the part to a folder first", a.DataType().Name()))
	}
	of, err := cuts(ctx, a, map[string]*zarr.Array{"/": a}, opts)
	if err != nil {
		return nil, nil, err
	}
	cut := of["/"]
	if cut == nil {
		return a, nil, nil
	}
	m := a.Metadata()
	spec := zarr.ArraySpec{Shape: shapeOf(cut), DataType: m.DataType.Name(), FillValue: m.FillValue, NoFill: m.NoFill, Attributes: attrs.Clone(),
		Codecs: json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]`)}
	if names := a.DimensionNames(); names != nil {
		spec.DimensionNames = coordinates.Kept(cut, names)
	}
	if spec.Attributes != nil {
		if lost, err = coordinates.Cut(spec.Attributes, a.DimensionNames(), cut); err != nil {
			return fail(err)
		}
	}
	spec.Chunks = make([]int, len(spec.Shape))
	parts := grid.Longest(m.Grid)
	if b, err := a.Codec(); err == nil && m.Grid.Uniform() != nil {
		parts = b.InnerShape()
	}
	for i, n := range parts {
		if along := cut[i].Along; along >= 0 {
			_, step, _ := cut[i].Even()
			spec.Chunks[along] = max(n/max(step, -step, 1), 1)
		}
	}
	s := &partStore{Store: mem.New(), source: a, slice: opts.Slice}
	if s.tag, err = landing.SourceDigest(ctx, a); err != nil {
		return nil, nil, err
	}
	made, err := zarr.CreateArrayIn(ctx, s.Store, "", spec)
	if err != nil {
		return fail(err)
	}
	s.pair = Pair{From: a, To: made, Cut: cut}
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		return fail(err)
	}
	return n.(*zarr.Array), lost, nil
}

// partStore has the document of a part, and makes its chunks of the source.
type partStore struct {
	store.Store
	source *zarr.Array
	slice  string
	tag    string
	pair   Pair
}

// URL is that of the source.
func (s *partStore) URL() string { return s.source.URL() }

// Identity tells parts of the same source apart, from each other and from it.
func (s *partStore) Identity(key string) string {
	return store.Identity(s.source.Store(), s.source.Path()) + "[" + s.slice + "]" + key
}

// Tag changes with the source.
func (s *partStore) Tag() string { return s.tag }

// List does not know which chunks hold anything.
func (s *partStore) List(context.Context, string, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, store.ErrNoList) }
}

// Get gives the document, or reads a chunk.
func (s *partStore) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	m := s.pair.To.Metadata()
	index := make([]int, len(m.Shape))
	if !(grid.DefaultKeys{}).Parse(key, index) {
		return s.Store.Get(ctx, key, r, dst)
	}
	size := s.pair.To.DataType().Size()
	shape, box := m.Grid.Uniform(), nd.Box{Start: make([]int, len(index)), Shape: make([]int, len(index))}
	for i, x := range index {
		if x >= m.Grid.Count()[i] {
			return dst, store.Info{}, store.ErrNotExist
		}
		box.Start[i] = x * shape[i]
		box.Shape[i] = min(shape[i], m.Shape[i]-box.Start[i])
	}
	n, ok := nd.Bytes(shape, size)
	if !ok {
		return dst, store.Info{}, store.ErrTooLarge
	}
	b := buf.Get(n + crc32.Size)
	defer b.Free()
	b.B = b.B[:n]
	clear(b.B)
	whole := nd.Of(b.B, size, shape...)
	if err := s.source.ReadInto(ctx, s.pair.selection(box), whole.Box(nd.Whole(box.Shape))); err != nil {
		return dst, store.Info{}, err
	}
	b.B = binary.LittleEndian.AppendUint32(b.B, crc32.Checksum(b.B, crc32.MakeTable(crc32.Castagnoli)))
	dst, err := r.Append(dst, b.B)
	return dst, store.Info{Size: int64(len(b.B))}, err
}
