package zarr

import (
	"context"
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
	r.chunk = codec.Chunk{Index: r.task.chunk, Extent: r.task.inside, Limits: a.limits}
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
