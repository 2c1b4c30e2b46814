package write

import (
	"context"
	"encoding/json"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// fewRows is for how many rows the chunks of an empty column are made at least: it
// is likely to become longer still.
const fewRows = 1024

// cutAnew gives an array without rows, to which n are to be added, chunks of more
// than the single row for which writers make them while they know of none.
func (e *Editor) cutAnew(ctx context.Context, a *zarr.Array, n int) (*zarr.Array, error) {
	chunks := a.ChunkShape()
	if n == 0 || chunks == nil || chunks[0] != 1 || sharded(a) != nil {
		return a, nil
	}
	if err := e.clearChunks(ctx, a); err != nil {
		return nil, err
	}
	row := a.DataType().Size()
	for _, k := range chunks[1:] {
		row *= max(k, 1)
	}
	chunks[0] = zarr.DefaultChunks([]int{max(n, fewRows)}, row, nil)[0]
	key, steps := path.Join(a.Path(), "zarr.json"), []string{"chunk_grid", "configuration", "chunk_shape"}
	if e.layout == hdmf.V2 {
		key, steps = path.Join(a.Path(), ".zarray"), []string{"chunks"}
	}
	text, _, err := e.held.Get(ctx, key, store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return nil, err
	}
	members, err := strictjson.Object(text, strictjson.Options{MaxBytes: meta.MaxBytes, NaN: true})
	if err == nil {
		err = replace(members, strictjson.AppendInts(nil, chunks), steps)
	}
	if err != nil {
		return nil, err
	}
	if _, err := e.held.Put(ctx, key, append(strictjson.Indent(nil, object(members)), '\n'), store.PutOptions{}); err != nil {
		return nil, err
	}
	return e.root.Array(ctx, a.Path())
}

// replace gives a member of members inside each other another value.
func replace(members []strictjson.Member, value json.RawMessage, steps []string) error {
	raw := find(members, steps[0])
	if raw == nil {
		return strictjson.Errorf(steps[0], "is missing")
	}
	if len(steps) == 1 {
		*raw = value
		return nil
	}
	inner, err := strictjson.Split(*raw)
	if err == nil {
		err = replace(inner, value, steps[1:])
	}
	if err != nil {
		return strictjson.At(steps[0], err)
	}
	*raw = object(inner)
	return nil
}
