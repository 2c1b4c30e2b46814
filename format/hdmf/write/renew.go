package write

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
)

// listKeys are the ways in which chunks of a list may be called, in the order in
// which an array that is written anew again and again takes them: who has opened the
// file before reads what he knows of until the third time.
var listKeys = []string{keysSlash, keysDot, `{"name":"v2","configuration":{"separator":"."}}`}

// Renew gives an array that is to take the place of a dataset, which is a list of
// numbers, with the Commit after an Extend: its chunks have other names, so that
// readers have the old ones until then. They have at least so many rows, and
// unsigned integers have room for most. Chunks of older arrays in the place stay
// until their names are needed again, or until Forget.
//
// Only the layout V3 has several names for the chunks of a list.
func (e *Editor) Renew(ctx context.Context, t *Tail, rows int, most int64) (*Tail, error) {
	defer e.lock()()
	if t.void() {
		return nil, errVoid
	}
	next, err := e.renew(ctx, t, rows, most)
	return next, e.failed(t.at, err)
}

func (e *Editor) renew(ctx context.Context, t *Tail, rows int, most int64) (*Tail, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	shape := t.array.Shape()
	if e.layout != hdmf.V3 || len(shape) != 1 {
		return nil, errors.New("cannot be written anew in its place: only lists of the layout V3 have other names for their chunks")
	}
	next := &Tail{at: t.at, n: t.n, free: t.free, anew: map[string]json.RawMessage{}}
	maps.Copy(next.anew, t.anew)
	names := listKeys[(t.Generation()+1)%len(listKeys)]
	if now, err := e.committedKeys(ctx, t.at); err != nil || now == names {
		return nil, cmp.Or(err, errors.New("was written anew twice, and not committed"))
	}
	next.anew["chunk_key_encoding"] = json.RawMessage(names)
	if chunks := t.array.ChunkShape(); sharded(t.array) == nil && chunks != nil && chunks[0] < rows {
		next.anew["chunk_grid"] = fmt.Appendf(nil, `{"name":"regular","configuration":{"chunk_shape":[%d]}}`, rows)
	}
	doc, err := e.members(ctx, t.at)
	if err != nil {
		return nil, err
	}
	if _, err := integers(t.array.DataType(), []int64{most}); errors.Is(err, errNarrow) {
		codecs := find(doc, "codecs")
		if codecs == nil {
			return nil, strictjson.Errorf("codecs", "is missing")
		}
		next.anew["data_type"] = json.RawMessage(`"uint64"`)
		if next.anew["codecs"], err = littleEndian(*codecs); err != nil {
			return nil, err
		}
	}
	if err := next.apply(doc); err != nil {
		return nil, err
	}
	if next.array, err = e.endless(ctx, t.at, shape, 8, doc); err != nil {
		return nil, err
	}
	return next, e.clearChunks(ctx, next.array)
}

// Forget removes the chunks of arrays that were in the place of a dataset before,
// for which there may still be readers.
func (e *Editor) Forget(ctx context.Context, t *Tail) error {
	if t.void() {
		return errVoid
	}
	defer e.lock()()
	doc, err := e.members(ctx, t.at)
	for i := 1; i < len(listKeys) && err == nil; i++ {
		names := listKeys[(t.Generation()+i)%len(listKeys)]
		var now string
		if now, err = e.committedKeys(ctx, t.at); err != nil || now == names {
			break
		}
		old := &Tail{anew: map[string]json.RawMessage{"chunk_key_encoding": json.RawMessage(names)}}
		var a *zarr.Array
		if err = old.apply(doc); err == nil {
			a, err = e.endless(ctx, t.at, t.array.Shape(), 8, doc)
		}
		if err == nil {
			err = e.clearChunks(ctx, a)
		}
	}
	return e.failed(t.at, err)
}

// committedKeys is what the chunks of an array are called that readers see now, ""
// if there is none.
func (e *Editor) committedKeys(ctx context.Context, at string) (string, error) {
	n, err := zarr.OpenStore(ctx, e.held.Base(), at, append(e.engine(), zarr.BypassConsolidated())...)
	if errors.Is(err, zarr.ErrNoNode) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	a, ok := n.(*zarr.Array)
	if !ok {
		return "", zarr.ErrNotArray
	}
	text, err := a.Metadata().Keys.MarshalJSON()
	return string(text), err
}

var errVoid = errors.New("there is no dataset behind a Tail that Editor.Tail has not made")

func (t *Tail) void() bool { return t == nil || t.array == nil }

// Store is that of the file, with all changes so far, for values that lie beside its
// nodes.
func (e *Editor) Store() store.Store { return e.held }

// Generation tells arrays apart that take the place of each other: the number of the
// names that their chunks have.
func (t *Tail) Generation() int {
	text, err := t.array.Metadata().Keys.MarshalJSON()
	if err != nil {
		return 0
	}
	return max(slices.Index(listKeys, string(text)), 0)
}

// apply changes a document into that of the array that takes the place of another.
func (t *Tail) apply(doc []strictjson.Member) error {
	for name, raw := range t.anew {
		member := find(doc, name)
		if member == nil {
			return strictjson.Errorf(name, "is missing")
		}
		*member = raw
	}
	if typ := t.anew["data_type"]; typ != nil {
		if attributes := find(doc, "attributes"); attributes != nil {
			list, err := strictjson.Split(*attributes)
			if err != nil {
				return strictjson.At("attributes", err)
			}
			if said := find(list, dtypeV3); said != nil {
				*said = typ
			}
			*attributes = object(list)
		}
	}
	return nil
}

// littleEndian gives the codecs of single bytes an order of bytes.
func littleEndian(codecs json.RawMessage) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := strictjson.Decode(codecs, &list); err != nil {
		return nil, strictjson.At("codecs", err)
	}
	for i, raw := range list {
		if c, err := strictjson.ParseNamed(raw); err == nil && c.Name == "bytes" {
			list[i] = json.RawMessage(`{"name":"bytes","configuration":{"endian":"little"}}`)
		}
	}
	return json.Marshal(list)
}
