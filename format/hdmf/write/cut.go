package write

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
)

// fewRows is for how many rows the chunks of an empty column are made at least: it
// is likely to become longer still.
const fewRows = 1024

// rowsFor is how many rows chunks have of an array without rows, to which n are to
// be added.
func rowsFor(a *zarr.Array, n int) int {
	if n == 0 || a.ChunkShape() == nil {
		return 0
	}
	row := a.DataType().Size()
	for _, k := range a.ChunkShape()[1:] {
		row *= max(k, 1)
	}
	return zarr.DefaultChunks([]int{max(n, fewRows)}, row, nil)[0]
}

// cutAnew gives an array without rows chunks of so many, and not of the single one
// for which writers make them while they know of none.
func (e *Editor) cutAnew(ctx context.Context, a *zarr.Array, rows int) (*zarr.Array, error) {
	chunks := a.ChunkShape()
	if rows == 0 || chunks == nil || chunks[0] != 1 || sharded(a) != nil {
		return a, nil
	}
	if err := e.clearChunks(ctx, a); err != nil {
		return nil, err
	}
	chunks[0] = rows
	steps := []string{"chunk_grid", "configuration", "chunk_shape"}
	if e.layout == hdmf.V2 {
		steps = []string{"chunks"}
	}
	members, err := e.members(ctx, a.Path())
	if err == nil {
		err = replace(members, strictjson.AppendInts(nil, chunks), steps)
	}
	if err != nil {
		return nil, err
	}
	if _, err := e.held.Put(ctx, e.arrayKey(a.Path()), append(strictjson.Indent(nil, object(members)), '\n'), store.PutOptions{}); err != nil {
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
