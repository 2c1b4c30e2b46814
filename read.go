package zarr

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// ReadInto reads the selected elements into dst, which has the shape of the
// selection's result and the element size of the array's type. Chunks are
// decoded in parallel, straight into dst where they can be. After an error dst
// may have been filled in part.
func (a *Array) ReadInto(ctx context.Context, sel Selection, dst nd.View) error {
	s := a.now.Load()
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkView(p, dst)
	}
	if err == nil && s.noCodec != nil {
		err = s.noCodec
	}
	if err != nil {
		return a.fail("read", err)
	}
	return a.readPlan(ctx, s, p, dst, a.failMissing)
}

// checkView checks memory that a caller gave.
func (s *state) checkView(p *plan, v nd.View) error {
	if !slices.Equal(v.Shape, p.shape) {
		return mark(ErrSelection, fmt.Errorf("memory has shape %v, the selection gives %v", v.Shape, p.shape))
	}
	if v.Size != s.spec.Type.Size() {
		return mark(ErrType, fmt.Errorf("memory has elements of %d bytes, %s has %d", v.Size, s.spec.Type.Name(), s.spec.Type.Size()))
	}
	if len(s.spec.Type.Refs()) > 0 && v.Heap == nil {
		return mark(ErrType, fmt.Errorf("memory for %s needs a heap", s.spec.Type.Name()))
	}
	return mark(ErrRange, v.Check())
}

// readPlan carries out a plan; strict makes missing chunks an error.
func (a *Array) readPlan(ctx context.Context, s *state, p *plan, dst nd.View, strict bool) error {
	p.cut(cells{s.meta.Grid, s.meta.Shape, s.innerShape()})
	dst = p.expand(dst)
	if l, ok := a.layers(s, p, dst); ok {
		if err := a.readLayers(ctx, s, p, l, dst, strict); err != errApart {
			return a.fail("read", err)
		}
	}
	for try := 0; ; try++ {
		err := a.readTasks(ctx, s, p, dst, strict)
		if !errors.Is(err, errSplit) || try == tries {
			return a.fail("read", err)
		}
	}
}

// readTasks carries out all tasks of a plan.
func (a *Array) readTasks(ctx context.Context, s *state, p *plan, dst nd.View, strict bool) error {
	var seen *versions
	if p.splitsChunks() {
		seen = &versions{of: map[string]string{}}
	}
	return a.pool.RunAround(ctx, p.tasks, s.weight(p, true), func(ctx context.Context, k int) (err error) {
		r := readings.Get().(*reading)
		r.task = p.task(k, dst, r.ints[:])
		t := &r.task
		t.reading, t.seen = r, seen
		r.key = s.meta.Keys.Append(append(r.key[:0], a.prefix()...), t.chunk)
		key := string(r.key)
		defer a.caught("read", key, &err)
		err = a.readTask(ctx, s, t, key)
		r.free()
		if errors.Is(err, ErrMissing) && !strict {
			err = nil
		}
		if err != nil {
			return a.chunkError("read", key, err)
		}
		return nil
	})
}

// innerShape is the shape of the parts of chunks that can be read by themselves, nil
// if there are none.
func (s *state) innerShape() []int {
	if s.uniform == nil || slices.Equal(s.uniform.InnerShape(), s.uniform.Spec().Shape) {
		return nil
	}
	return s.uniform.InnerShape()
}

// weight is about what a worker holds at most: a chunk encoded and a chunk
// decoded, or less where a read takes just a part of the chunk.
func (s *state) weight(p *plan, reads bool) int64 {
	box, chunk := p.largest(len(s.meta.Shape))
	whole := twice(chunk, s.spec.Type)
	if s.uniform != nil && reads && s.uniform.Ranges(nd.Box{Start: make([]int, len(box)), Shape: box}) {
		part, ok := nd.Bytes(box, s.spec.Type.Size())
		if ok && int64(part) < whole/2 {
			return min(whole, int64(part)+fetched)
		}
	}
	return whole
}

// twice is what a chunk has encoded and decoded, as far as it can be counted.
func twice(shape []int, t dtype.Type) int64 {
	n, ok := nd.Bytes(shape, t.Size())
	if !ok || n > 1<<40 {
		n = 1 << 40
	}
	return 2 * int64(n)
}

// fetched is about what is read at once for a part of a chunk.
const fetched = 4 << 20

// caught makes a panic in the work on a chunk an error, when it is deferred.
func (a *Array) caught(op, key string, err *error) {
	if v := recover(); v != nil {
		*err = a.chunkError(op, key, par.Caught(v))
	}
}

// chunkError names the chunk in which something failed. The end of a context is
// that of the whole work.
func (a *Array) chunkError(op, key string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return a.fail(op, err)
	}
	var known *store.KeyError
	if errors.As(err, &known) {
		err = known.Err // it names the key again
	}
	return &Error{Op: op, URL: a.URL(), Key: key[len(a.prefix()):], Err: err}
}

// chunkKey is the key of a chunk in the store.
func (a *Array) chunkKey(s *state, chunk []int) string {
	var mem [128]byte
	return string(s.meta.Keys.Append(append(mem[:0], a.prefix()...), chunk))
}

// readTask reads one chunk's share. ErrMissing says that it is all fill value
// because there is no such chunk.
func (a *Array) readTask(ctx context.Context, s *state, t *task, key string) error {
	b, err := s.bound(t.length)
	if err != nil {
		return err
	}
	dst := t.user
	plain := t.pieces == nil && t.points == nil
	if !plain {
		scratch, mem, err := t.scratch(a.limits, s.spec.Type)
		if err != nil {
			return err
		}
		defer mem.Free()
		dst = scratch
	}
	err = a.readBox(ctx, s, b, t, key, dst)
	if !plain && (err == nil || errors.Is(err, ErrMissing)) {
		t.gather(dst)
	}
	return err
}

// readBox decodes the task's box of a chunk, or fills it if the chunk is
// missing.
func (a *Array) readBox(ctx context.Context, s *state, b *codec.Bound, t *task, key string, dst nd.View) error {
	err := a.decode(ctx, s, b, t, key, dst)
	if errors.Is(err, store.ErrNotExist) {
		s.spec.FillView(dst)
		if err = t.seen.agree(key, "missing"); err == nil {
			err = ErrMissing
		}
	}
	return err
}

// changing tells all caches that a chunk is about to be written; the function that
// it returns, that it was.
func (a *Array) changing(key string) (done func()) {
	name, told := a.identity(key), caches.list.Load()
	tell := partCache.Change(name)
	for c := range caches.all() {
		first, then := tell, c.Change(name)
		tell = func() {
			first()
			then()
		}
	}
	return func() {
		tell()
		if caches.list.Load() != told { // a new one may have read the chunk as it was
			for c := range caches.all() {
				c.Change(name)()
			}
		}
	}
}

// caches are those that callers gave to arrays, as long as they use them: whoever
// writes in this process, all must know.
var caches cacheList

type cacheList struct {
	mu   sync.Mutex
	list atomic.Pointer[[]weak.Pointer[codec.Cache]]
}

// add makes a cache known; nil is none.
func (l *cacheList) add(c *codec.Cache) {
	if c == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []weak.Pointer[codec.Cache]{weak.Make(c)}
	for other := range l.all() {
		if other == c {
			return
		}
		list = append(list, weak.Make(other))
	}
	l.list.Store(&list)
}

// all yields the caches that are still used.
func (l *cacheList) all() iter.Seq[*codec.Cache] {
	return func(yield func(*codec.Cache) bool) {
		list := l.list.Load()
		if list == nil {
			return
		}
		for _, p := range *list {
			if c := p.Value(); c != nil && !yield(c) {
				return
			}
		}
	}
}

// partCache keeps, for all arrays of the process, chunks that were decoded for a
// part of them. Unlike a cache that the caller gives, it trusts nobody: what it
// keeps goes by the tag of the version that the chunk has when it is opened.
var partCache = codec.NewPartCache(64 << 20)

// fingerprintOf tells apart arrays whose chunks are the same bytes and other
// elements: what is kept of a chunk goes by it too, since documents change, and
// the same chunks may be shown in two ways.
func fingerprintOf(m *meta.Array) string {
	same := &meta.Array{Shape: m.Shape, DataType: m.DataType, Grid: m.Grid, Keys: m.Keys, FillValue: m.FillValue, Codecs: m.Codecs}
	if shape := m.Grid.Uniform(); shape != nil {
		// The same chunks of a longer array are the same.
		if g, err := m.Grid.Resize(shape); err == nil {
			same.Shape, same.Grid = shape, g
		}
	}
	text, err := same.Marshal()
	if err != nil {
		text = strconv.AppendInt(nil, unprinted.Add(1), 10) // like no other
	}
	sum := sha256.Sum256(text)
	return string(sum[:16])
}

// unprinted counts the documents that have no text of their own.
var unprinted atomic.Int64

// decode decodes a box of a stored chunk.
func (a *Array) decode(ctx context.Context, s *state, b *codec.Bound, t *task, key string, dst nd.View) error {
	if m := metersOf(ctx); m != nil {
		defer m.decoded(time.Now())
	}
	if len(s.spec.Type.Refs()) > 0 {
		work := a.begin(ctx, a.limits, b, t)
		t.limits = &work.limits
		defer func() { t.limits = nil; work.end() }()
	}
	if a.cache != nil {
		err := a.decodeCached(ctx, s, b, t, key, dst)
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
	}
	// A chunk that is replaced while it is read is read again.
	for try := 0; ; try++ {
		err := a.decodeStored(ctx, s, b, t, key, dst)
		if !errors.Is(err, store.ErrChanged) || errors.Is(err, errSplit) || try == tries {
			return err
		}
	}
}

func (a *Array) decodeStored(ctx context.Context, s *state, b *codec.Bound, t *task, key string, dst nd.View) error {
	if t.direct(ctx, b) {
		return t.reading.decode(ctx, a, b, key, dst)
	}
	ck := codec.Chunk{Index: t.chunk, Extent: t.inside, Limits: t.limited(a)}
	if !a.noPartCache && !t.box.Covers(t.inside) {
		lease := partCache.Lease(a.identity(key))
		defer lease.Close()
		ck.Cache = lease
	}
	src, err := a.openChunk(ctx, key)
	if err != nil {
		return err
	}
	defer src.Close()
	if ck.Cache != nil {
		tag := store.Tag(src)
		if tag == "" {
			kept := &keeper{Object: src, lease: ck.Cache, name: s.fingerprint()}
			ck.Cache = nil
			err := kept.checked(ctx, a.identity(key), b.Decode(ctx, &ck, kept, t.box, dst))
			if err == nil && t.seen != nil {
				err = t.seen.agree(key, cmp.Or(kept.version, store.Tag(src)))
			}
			return err
		}
		ck.Name = s.fingerprint() + tag
	}
	err = b.Decode(ctx, &ck, src, t.box, dst)
	if err == nil && t.seen != nil {
		err = t.seen.agree(key, store.Tag(src))
	}
	return err
}

// decodeCached decodes a chunk of which the cache may hold all or some. It
// returns store.ErrChanged if the chunk is written meanwhile, so that old and
// new parts never mix.
func (a *Array) decodeCached(ctx context.Context, s *state, b *codec.Bound, t *task, key string, dst nd.View) error {
	lease := a.cache.Lease(a.identity(key))
	defer lease.Close()
	src := &lazy{open: func() (store.Object, error) { return a.openChunk(ctx, key) }, lease: lease}
	defer src.close()
	ck := codec.Chunk{Cache: lease, Name: s.fingerprint(), Index: t.chunk, Extent: t.inside, Limits: t.limited(a)}
	return b.Decode(ctx, &ck, src, t.box, dst)
}

// lazy is a chunk that is opened when its bytes are first asked for: what the
// cache can answer costs no request. Its bytes are of the same version as what
// the cache keeps.
type lazy struct {
	open  func() (store.Object, error)
	lease *codec.Lease

	once sync.Once
	src  store.Object
	err  error
}

func (l *lazy) object() (store.Object, error) {
	l.once.Do(func() { l.src, l.err = l.open() })
	return l.src, l.err
}

// Get appends the bytes in r.
func (l *lazy) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	src, err := l.object()
	if err != nil {
		return dst, store.Info{}, err
	}
	out, info, err := src.Get(ctx, r, dst)
	if err == nil && !l.lease.Holds() {
		err = store.ErrChanged
	}
	return out, info, err
}

// Near says what the opened chunk is.
func (l *lazy) Near() bool {
	src, err := l.object()
	return err == nil && store.IsNear(src)
}

func (l *lazy) close() {
	if l.src != nil {
		l.src.Close()
	}
}
