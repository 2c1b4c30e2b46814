package write

import (
	"context"
	"encoding/json"
	"errors"

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
	src, err := fromDataset(x)
	if err != nil {
		return nil, err
	}
	keys, chunks, err := e.otherKeys(ctx, a)
	if err != nil {
		return nil, err
	}
	compress, chosen := src.codecs()
	spec := zarr.ArraySpec{
		Shape: []int{n}, DataType: typ, Chunks: a.ChunkShape(), Keys: json.RawMessage(keys), Attributes: a.Attributes(), DimensionNames: a.DimensionNames(),
		Codecs: e.chain(`{"name":"bytes","configuration":{"endian":"little"}}`, 1, compress, chosen),
	}
	if err := spec.Attributes.Set(dtypeV3, typ); err != nil {
		return nil, err
	}
	// Its document is made elsewhere, and put where the old one is.
	beside := mem.New()
	if _, err := zarr.CreateArrayIn(ctx, beside, "", spec, zarr.As("zarr3")); err != nil {
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
	e.old[a.Path()] = chunks
	if err := e.clearChunks(ctx, wide); err != nil {
		return nil, err
	}
	data, err := integers(wide.DataType(), old)
	if err != nil {
		return nil, err
	}
	return wide, e.extendArray(ctx, wide, 0, data)
}

// otherKeys gives the names that the committed document of an array does not use
// for chunks, and the keys of the chunks that it does use.
func (e *Editor) otherKeys(ctx context.Context, a *zarr.Array) (keys string, chunks []string, err error) {
	n, err := zarr.OpenStore(ctx, e.held.Base(), a.Path(), append(e.engine(), zarr.BypassConsolidated())...)
	if errors.Is(err, zarr.ErrNoNode) {
		return keysDot, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	committed, ok := n.(*zarr.Array)
	if !ok {
		return "", nil, errors.New("is no array any more")
	}
	for c, err := range committed.Stored(ctx) {
		if err != nil {
			return "", nil, err
		}
		chunks = append(chunks, c.Key)
	}
	text, err := committed.Metadata().Keys.MarshalJSON()
	if string(text) == keysDot {
		return keysSlash, chunks, err
	}
	return keysDot, chunks, err
}

// clearChunks removes all that is stored by the names of an array's chunks, none of
// which a committed document uses: it may be of another type or cut in another way.
func (e *Editor) clearChunks(ctx context.Context, a *zarr.Array) error {
	prefix := a.Path() + "/"
	idx := make([]int, len(a.Shape()))
	var keys []string
	for entry, err := range e.held.Base().List(ctx, prefix, "") {
		if err != nil {
			return err
		}
		if a.Metadata().Keys.Parse(entry.Key[len(prefix):], idx) {
			keys = append(keys, entry.Key)
		}
	}
	for _, key := range keys {
		if err := e.held.Base().Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
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
