package codectest

import (
	"context"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
)

// Source is encoded bytes behind ranges, as a store gives them.
type Source struct {
	Data    []byte
	IsNear  bool // ranges are cheap, as of a local file
	Unsized bool // the size of the whole is not told

	Requests atomic.Int64
	Bytes    atomic.Int64
}

// Get appends the bytes in r.
func (s *Source) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := ctx.Err(); err != nil {
		return dst, store.Info{}, err
	}
	off, n, err := r.Resolve(int64(len(s.Data)))
	if err != nil {
		return dst, store.Info{}, err
	}
	s.Requests.Add(1)
	s.Bytes.Add(n)
	info := store.Info{Size: int64(len(s.Data))}
	if s.Unsized {
		info.Size = -1
	}
	return append(dst, s.Data[off:off+n]...), info, nil
}

// Near reports whether ranges are cheap.
func (s *Source) Near() bool { return s.IsNear }

// sources gives data in every way in which chains may get it.
func sources(data []byte) []codec.Source {
	return []codec.Source{
		&codec.Memory{Bytes: data},
		&Source{Data: data, IsNear: true},
		&Source{Data: data},
		&Source{Data: data, Unsized: true},
	}
}
