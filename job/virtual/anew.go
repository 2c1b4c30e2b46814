package virtual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// mostDecoded is how many bytes a chunk may have that is written anew.
const mostDecoded = 1 << 30

// strange names the first codec of a list that other programs do not have, "" if
// they have all.
func strange(list []meta.Extension) string {
	if i := slices.IndexFunc(list, func(x meta.Extension) bool { return !std.Portable(x) }); i >= 0 {
		return list[i].Name
	}
	return ""
}

// anew gives an array other programs cannot decode the usual codecs, and stores its
// chunks in the manifest.
func (v *virtual) anew(ctx context.Context, path string, a *zarr.Array, doc *meta.Array) ([]item, error) {
	codecs := zarr.DefaultCodecs(a.DataType())
	grid, err := doc.Grid.MarshalJSON()
	if err != nil {
		return nil, err
	}
	keys, err := doc.Keys.MarshalJSON()
	if err != nil {
		return nil, err
	}
	typ, err := json.Marshal(doc.DataType)
	if err != nil {
		return nil, err
	}
	// One chunk is there at a time.
	s := mem.New()
	made, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: a.Shape(), DataType: string(typ), Grid: grid, Keys: keys, Codecs: codecs, FillValue: doc.FillValue})
	if err != nil {
		return nil, &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
	}
	defer made.Close()
	was := strange(doc.Codecs)
	if doc.Codecs, err = meta.ParseCodecs(codecs); err != nil {
		return nil, err
	}
	var items []item
	before := v.used
	for c, err := range storedChunks(ctx, a) {
		if err != nil {
			return nil, err
		}
		size := a.DataType().Size()
		n, ok := nd.Bytes(c.Box.Shape, size)
		if !ok || n > mostDecoded {
			return nil, &zarr.Error{Op: "copy", URL: a.URL(), Key: c.Key, Err: fmt.Errorf("%w: the chunk has %s elements", zarr.ErrTooLarge, words.Times(c.Box.Shape))}
		}
		view := nd.Of(make([]byte, n), size, c.Box.Shape...)
		if len(a.DataType().Refs()) > 0 {
			view.Heap = &nd.Heap{}
		}
		box := zarr.Box(c.Box.Start, c.Box.Shape)
		if err := a.ReadInto(ctx, box, view); err != nil {
			return nil, err
		}
		if err := made.WriteFrom(ctx, box, view); err != nil {
			return nil, err
		}
		key := string(doc.Keys.Append(nil, c.Index))
		ref, err := v.inline(a, c, func() ([]byte, error) { return made.RawChunk(ctx, c.Index...) })
		if errors.Is(err, store.ErrNotExist) { // nothing but the fill value
			continue
		}
		if err != nil {
			return nil, err
		}
		items = append(items, item{key, ref})
		if err := s.Delete(ctx, key); err != nil {
			return nil, err
		}
	}
	v.stored(fmt.Sprint("others do not have the codec ", was), path, len(items), v.used-before)
	return items, nil
}
