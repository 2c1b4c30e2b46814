package zarr

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
)

// keeper is a chunk whose version shows only when something of it is read, as over a
// network. What is kept of it, such as the index of a shard, is used as if it were not
// old: the bytes that are read then tell.
type keeper struct {
	store.Object
	lease *codec.Lease
	name  string // of the document by which the chunk is read

	mu      sync.Mutex
	version string // that answers must have, "" if any will do
	old     bool   // the version is that of something that was kept
}

// versioned is what is kept.
type versioned struct {
	value   any
	version string
}

// Keep gives what is kept of the chunk.
func (k *keeper) Keep(ctx context.Context, name string, load func() (any, string, int64, error)) (v any, fresh bool, err error) {
	got, err := k.lease.Get(ctx, k.name+name, func() (any, int64, error) {
		fresh = true
		v, version, size, err := load()
		if version == "" {
			size = math.MaxInt64 // is not kept
		}
		return versioned{v, version}, size, err
	})
	if err != nil {
		return nil, false, err
	}
	it := got.(versioned)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.version, k.old = it.version, !fresh
	return it.value, fresh || it.version == "", nil
}

// Get gives bytes of the version that is expected.
func (k *keeper) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := k.Object.Get(ctx, r, dst)
	if err != nil {
		return out, info, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.version != "" && info.ETag != k.version {
		return dst, store.Info{}, store.ErrChanged
	}
	return out, info, nil
}

// checked is the error of decoding the chunk: where it may be due to what was kept,
// that is forgotten and the chunk is to be read again.
func (k *keeper) checked(ctx context.Context, chunk string, err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil || !k.old || errors.Is(err, store.ErrNotExist) || ctx.Err() != nil {
		return err
	}
	partCache.Change(chunk)()
	return store.ErrChanged
}

// Near says what the chunk is.
func (k *keeper) Near() bool { return store.IsNear(k.Object) }
