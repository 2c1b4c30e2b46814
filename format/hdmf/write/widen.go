package write

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// The two ways in which chunks of a list may be called. An array that gets a wider
// type changes from one to the other, so that the new chunks do not replace the
// old ones before its document does.
const (
	keysSlash = `{"name":"default","configuration":{"separator":"/"}}`
	keysDot   = `{"name":"default","configuration":{"separator":"."}}`
)

// widen gives an index a type that has room for a number. It is for the layout V3:
// in V2 chunks of a list have only one name.
func (e *Editor) widen(ctx context.Context, x *hdmf.Dataset, a *zarr.Array, n int, most int64) (*zarr.Array, error) {
	typ := "uint64"
	for _, t := range []struct {
		name string
		most int64
	}{{"uint32", 1<<32 - 1}, {"uint16", 1<<16 - 1}} {
		if most <= t.most {
			typ = t.name
		}
	}
	old, err := readInts(ctx, x, 0, n)
	if err != nil {
		return nil, err
	}
	var chunks []string
	for c, err := range a.Stored(ctx) {
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, c.Key)
	}
	keys := keysDot
	if text, err := a.Metadata().Keys.MarshalJSON(); err == nil && string(text) == keysDot {
		keys = keysSlash
	}
	src, err := fromDataset(x)
	if err != nil {
		return nil, err
	}
	compress, chosen := src.codecs()
	spec := zarr.ArraySpec{
		Shape: []int{n}, DataType: typ, Chunks: a.ChunkShape(), Keys: json.RawMessage(keys), Attributes: a.Attributes(),
		Codecs: e.chain(`{"name":"bytes","configuration":{"endian":"little"}}`, 1, compress, chosen),
	}
	if err := spec.Attributes.Set(dtypeV3, typ); err != nil {
		return nil, err
	}
	// Its document is made elsewhere, and put where the old one is.
	beside := mem.New()
	if _, err := zarr.CreateArrayIn(ctx, beside, "", spec, zarr.ZarrFormat(3)); err != nil {
		return nil, err
	}
	doc, _, err := beside.Get(ctx, "zarr.json", store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return nil, err
	}
	if _, err := e.held.Put(ctx, a.Path()+"/zarr.json", doc, store.PutOptions{}); err != nil {
		return nil, err
	}
	wide, err := e.root.Array(ctx, a.Path())
	if err != nil {
		return nil, err
	}
	data, err := integers(wide.DataType(), old)
	if err != nil {
		return nil, err
	}
	if err := e.extendArray(ctx, wide, 0, data); err != nil {
		return nil, err
	}
	e.old = slices.Concat(e.old, chunks)
	return wide, nil
}

// wide is a source of unsigned integers that become as wide as there are.
type wide struct{ *stored }

func (w wide) elem() elem {
	return elem{kind: hdmf.Number, typ: dtype.MustParse("uint64")}
}

func (w wide) read(ctx context.Context, p part) (*items, error) {
	s, err := w.stored.read(ctx, p)
	if err != nil {
		return nil, err
	}
	t := w.elem().typ
	out := &items{kind: hdmf.Number, typ: t, stride: t.Size(), data: make([]byte, p.count()*t.Size())}
	for i := range p.count() {
		copy(out.data[i*t.Size():], s.raw(i)) // the low bytes come first
	}
	return out, nil
}
