package job

import (
	"context"
	"errors"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// Size is what an array takes in its store.
type Size struct {
	Values int   // that hold chunks, or shards
	Bytes  int64 // of them
}

// ErrMany says that a listing was given up: there are more values than were wanted.
var ErrMany = errors.New("there are more values than are counted")

// Sizes lists what is stored below a node, and tells what each of the arrays takes, by
// its path in the store. It ends with ErrMany after so many values, 0 for as many as
// there are, and with store.ErrNoList where a store cannot be listed.
func Sizes(ctx context.Context, root zarr.Node, arrays []*zarr.Array, most int) (map[string]Size, error) {
	out, isChunk := map[string]Size{}, map[string]func(key string) bool{}
	for _, a := range arrays {
		if a.Store().URL() == root.Store().URL() { // not behind a link
			m := a.Metadata()
			index := make([]int, len(m.Shape))
			out[a.Path()] = Size{}
			isChunk[a.Path()] = func(key string) bool { return m.Keys.Parse(key, index) }
		}
	}
	prefix := ""
	if root.Path() != "" {
		prefix = root.Path() + "/"
	}
	n := 0
	for e, err := range root.Store().List(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		if n++; most > 0 && n > most {
			return nil, ErrMany
		}
		for at, cut := e.Key, 0; cut >= 0; {
			cut = strings.LastIndexByte(at, '/')
			at = at[:max(cut, 0)]
			if size, ok := out[at]; ok {
				if isChunk[at](e.Key[cut+1:]) && e.Size >= 0 {
					out[at] = Size{size.Values + 1, size.Bytes + e.Size}
				}
				break
			}
		}
	}
	return out, ctx.Err()
}

// CanSize reports whether the values of a node can be counted in next to no time: they
// are files here.
func CanSize(n zarr.Node) bool {
	return strings.HasPrefix(n.Store().URL(), "file:") || store.IsNear(n.Store())
}
