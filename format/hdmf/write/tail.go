package write

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
)

// Tail is the end of a dataset of numbers for somebody who adds to it for hours, as
// package record does: he writes what comes behind the end himself, chunk by chunk
// and in the background, and tells the Editor by Extend how long the dataset is.
// Nobody else can add to the dataset until Close.
type Tail struct {
	at    string // the path without the slash before it
	array *zarr.Array
	n     int
	// anew is what the document of an array has that takes the place of the dataset,
	// nil if it is added to: see Renew.
	anew map[string]json.RawMessage
	free func()
}

// Tail gives the end of a dataset. A dataset without rows and with chunks of a
// single one, which writers make while they know of none, is cut anew into chunks
// of so many rows, if that is not 0.
func (e *Editor) Tail(ctx context.Context, at string, rows int) (*Tail, error) {
	defer e.lock()()
	t, err := e.openTail(ctx, at, rows)
	return t, e.failed(at, err)
}

func (e *Editor) openTail(ctx context.Context, at string, rows int) (*Tail, error) {
	a, err := e.ownArray(ctx, at)
	if err != nil {
		return nil, err
	}
	if a.Shape()[0] == 0 && rows > 0 {
		if a, err = e.cutAnew(ctx, a, rows); err != nil {
			return nil, err
		}
	}
	doc, err := e.members(ctx, a.Path())
	if err != nil {
		return nil, err
	}
	t := &Tail{at: a.Path(), n: a.Shape()[0]}
	if t.array, err = e.endless(ctx, t.at, a.Shape(), a.DataType().Size(), doc); err != nil {
		return nil, err
	}
	if err := clearBehind(ctx, t.array, t.n, e.held); err != nil {
		return nil, err
	}
	e.taken[t.at] = true
	t.free = func() {
		defer e.lock()()
		delete(e.taken, t.at)
	}
	return t, nil
}

// ownArray finds a list of numbers, which lies in this file.
func (e *Editor) ownArray(ctx context.Context, at string) (*zarr.Array, error) {
	o, err := e.own(ctx, at)
	if err != nil {
		return nil, err
	}
	d, ok := o.(*hdmf.Dataset)
	if !ok || d.Scalar() || d.DType().Kind != hdmf.Number {
		return nil, errors.New("is no list of numbers")
	}
	if err := e.untaken(d); err != nil {
		return nil, err
	}
	return e.root.Array(ctx, o.Path()[1:])
}

// Pending is the name of values that lie beside nodes and count with a Commit, as
// the documents of nodes do: they tell of other values what they are good for.
const Pending = ".omnizarr-pending"

// isKept says whether a key is that of a value which is stored with a commit.
func isKept(key string) bool { return isDocument(key) || path.Base(key) == Pending }

// Array is the array without an end: chunks may be written behind the rows that
// count. What lies there means nothing until Extend and Commit.
func (t *Tail) Array() *zarr.Array { return t.array }

// Path is that of the dataset.
func (t *Tail) Path() string { return "/" + t.at }

// Len is how many rows the dataset has, by what Extend said last.
func (t *Tail) Len() int { return t.n }

// Close lets others add to the dataset. What was written behind its end and not
// said is nothing.
func (t *Tail) Close() {
	if t.free != nil {
		t.free()
	}
	t.free = nil
}

// End is how long a dataset has become.
type End struct {
	Tail *Tail
	Len  int
}

// Extend says how long datasets have become, all of which are so with the same
// Commit. The rows are stored.
func (e *Editor) Extend(ctx context.Context, ends ...End) error {
	defer e.lock()()
	for _, end := range ends {
		if end.Tail.void() {
			return errVoid
		}
		if err := e.extendTail(ctx, end.Tail, end.Len); err != nil {
			return e.fail("/"+end.Tail.at, err)
		}
	}
	return nil
}

func (e *Editor) extendTail(ctx context.Context, t *Tail, n int) error {
	if err := e.usable(); err != nil {
		return err
	}
	doc, err := e.members(ctx, t.at)
	if err == nil {
		err = t.apply(doc)
	}
	if err == nil {
		err = setLength(doc, n)
	}
	if err != nil {
		return err
	}
	e.touched = append(e.touched, t.at)
	e.held.Grows(t.at)
	if _, err := e.held.Put(ctx, e.arrayKey(t.at), append(strictjson.Indent(nil, object(doc)), '\n'), store.PutOptions{}); err != nil {
		return err
	}
	e.moved = e.moved || len(t.anew) > 0
	t.n, t.anew = n, nil
	return nil
}

// arrayKey is the key of the document of an array that has its shape.
func (e *Editor) arrayKey(at string) string {
	if e.layout == hdmf.V2 {
		return path.Join(at, ".zarray")
	}
	return path.Join(at, "zarr.json")
}

// members are those of the document of an array.
func (e *Editor) members(ctx context.Context, at string) ([]strictjson.Member, error) {
	text, _, err := e.held.Get(ctx, e.arrayKey(at), store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return nil, err
	}
	return strictjson.Object(text, strictjson.Options{MaxBytes: meta.MaxBytes, NaN: true})
}

// setLength changes the first length in the document of an array.
func setLength(doc []strictjson.Member, n int) error {
	var shape []int
	raw := find(doc, "shape")
	if raw == nil {
		return strictjson.Errorf("shape", "is missing")
	}
	if err := strictjson.Decode(*raw, &shape); err != nil || len(shape) == 0 {
		return strictjson.Errorf("shape", "is no list of lengths")
	}
	shape[0] = n
	*raw = strictjson.AppendInts(nil, shape)
	return nil
}

// endless opens the array that a document tells of, of a shape and with elements of
// so many bytes, as if it had no end.
func (e *Editor) endless(ctx context.Context, at string, shape []int, size int, doc []strictjson.Member) (*zarr.Array, error) {
	row, ok := nd.Bytes(shape[1:], size)
	if !ok || row == 0 {
		return nil, fmt.Errorf("has rows of shape %v, to which nothing can be added", shape[1:])
	}
	doc = slices.Clone(doc)
	if err := setLength(doc, min(1<<40, math.MaxInt/2/row)); err != nil {
		return nil, err
	}
	for _, name := range []string{"codecs", "compressor"} {
		if raw := find(doc, name); raw != nil {
			*raw = quick(*raw)
		}
	}
	over := held.New(e.held, isDocument, documents)
	if _, err := over.Put(ctx, e.arrayKey(at), object(doc), store.PutOptions{}); err != nil {
		return nil, err
	}
	n, err := zarr.OpenStore(ctx, over, at, append(e.engine(), zarr.BypassConsolidated())...)
	if err != nil {
		return nil, err
	}
	long, ok := n.(*zarr.Array)
	if !ok {
		return nil, errors.New("is no array any more")
	}
	return long, nil
}

// quick lets Zstandard encode at level 1 where the document leaves the level to the
// library, by 0: what is recorded must be stored as it comes, and level 1 is some
// five times as fast for a seventh more bytes. Frames of all levels are read alike.
func quick(codecs json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(codecs))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return codecs
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			config, inner := v["configuration"].(map[string]any)
			if !inner {
				config = v // as in Zarr v2
			}
			name := v["name"]
			if name == nil {
				name = v["id"]
			}
			if (name == "zstd" || name == "numcodecs.zstd") && config["level"] == json.Number("0") {
				config["level"] = 1
			}
			walk(config["codecs"])
		}
	}
	walk(v)
	out, err := json.Marshal(v)
	if err != nil {
		return codecs
	}
	return out
}

// clearBehind removes chunks that a recording which was killed has left behind the
// end, which is n rows: they are stored in their order, some at once, so that they
// end where a few together are missing.
func clearBehind(ctx context.Context, a *zarr.Array, n int, s store.Store) error {
	m := a.Metadata()
	counts, rows := m.Grid.Count(), m.Grid.Uniform()
	if rows == nil || slices.Contains(counts, 0) {
		return nil
	}
	idx := make([]int, len(counts))
	const few = 64
	for missing, k := 0, (n+rows[0]-1)/rows[0]; missing < few && k < counts[0]; k++ {
		missing++
		err := eachIndex(idx, counts, func() error {
			idx[0] = k
			key := string(m.Keys.Append([]byte(a.Path()+"/"), idx))
			_, _, err := s.Get(ctx, key, store.Part(0, 0), nil)
			if errors.Is(err, store.ErrNotExist) {
				return nil
			}
			missing = 0
			if err == nil {
				err = s.Delete(ctx, key)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachIndex calls f for all indexes below counts along the axes behind the first.
func eachIndex(idx, counts []int, f func() error) error {
	clear(idx)
	for {
		if err := f(); err != nil {
			return err
		}
		i := len(idx) - 1
		for ; i > 0; i-- {
			if idx[i]++; idx[i] < counts[i] {
				break
			}
			idx[i] = 0
		}
		if i <= 0 {
			return nil
		}
	}
}

// untaken refuses a dataset that somebody records into.
func (e *Editor) untaken(d *hdmf.Dataset) error {
	if e.taken[d.Path()[1:]] {
		return fmt.Errorf("%s is being recorded, and is added to by the recorder alone", d.Name())
	}
	return nil
}
