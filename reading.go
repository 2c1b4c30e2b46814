package zarr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// reading is what the read of a chunk needs besides its key. Another one uses it again, so
// that nothing of it is allocated for every chunk.
type reading struct {
	task  task
	ints  [6 * 5]int // of the task; more than five axes are rare
	key   []byte
	chunk codec.Chunk
	src   direct
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// free gives r to the next one, and leaves nothing in it that the caller's memory hangs on.
func (r *reading) free() {
	r.task, r.chunk = task{}, codec.Chunk{}
	readings.Put(r)
}

// direct reports whether the chunk of a task is read by its key, without being held open: if it is
// wanted whole, and nobody counts or asks for versions.
func (t *task) direct(ctx context.Context, b *codec.Bound) bool {
	return t.reading != nil && t.seen == nil && b.Inner() == nil && t.box.Covers(t.inside) && metersOf(ctx) == nil
}

// decode decodes the chunk of the task.
func (r *reading) decode(ctx context.Context, a *Array, b *codec.Bound, key string, dst nd.View) error {
	r.chunk = codec.Chunk{Index: r.task.chunk, Extent: r.task.inside, Limits: r.task.limited(a)}
	r.src.ctx, r.src.store, r.src.key = ctx, a.store, key
	defer r.src.close()
	return b.Decode(ctx, &r.chunk, &r.src, r.task.box, dst)
}

// direct is a chunk whose bytes are asked for all at once. If only some are, it is opened, and all that
// is read from then on is of the same version.
type direct struct {
	ctx   context.Context
	store store.Reader
	key   string

	mu  sync.Mutex // codecs may ask from several goroutines
	src store.Object
	err error
}

// Get appends the bytes in r.
func (d *direct) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if _, all := r.IsAll(); all && !d.opened() {
		return d.store.Get(ctx, d.key, r.BytesOnly(), dst)
	}
	src, err := d.object()
	if err != nil {
		return dst, store.Info{}, err
	}
	return src.Get(ctx, r, dst)
}

func (d *direct) opened() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.src != nil
}

func (d *direct) object() (store.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.src == nil && d.err == nil {
		d.src, d.err = store.Open(d.ctx, d.store, d.key)
	}
	return d.src, d.err
}

// Near says what the opened chunk is.
func (d *direct) Near() bool {
	src, err := d.object()
	return err == nil && store.IsNear(src)
}

// close makes d ready for another chunk.
func (d *direct) close() {
	if d.src != nil {
		d.src.Close()
	}
	d.ctx, d.store, d.key, d.src, d.err = nil, nil, "", nil, nil
}

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

// errSplit says that a chunk was replaced between two tasks that read of it.
var errSplit = fmt.Errorf("%w, and parts of it were read before", store.ErrChanged)

// versions are those of chunks of which several tasks of one read take parts, such as
// single cells of a shard: all parts must be of one.
type versions struct {
	mu sync.Mutex
	of map[string]string // tags by key
}

// agree notes the version that a task has read, and is errSplit if another has read
// another. A store that does not tell versions apart has none.
func (v *versions) agree(key, tag string) error {
	if v == nil || tag == "" {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if first, ok := v.of[key]; ok && first != tag {
		return errSplit
	}
	v.of[key] = tag
	return nil
}
