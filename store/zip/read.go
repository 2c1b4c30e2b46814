package zip

import (
	"context"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/store"
)

// Get reads stored entries by range, and inflates others from their start.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.get(ctx, key, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	return out, info, nil
}

func (s *Store) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if store.CheckKey(key) != nil {
		return dst, store.Info{}, store.ErrBadKey
	}
	if err := s.enter(ctx); err != nil {
		return dst, store.Info{}, err
	}
	defer s.leave()
	e := s.find(key)
	if e == nil {
		return dst, store.Info{}, store.ErrNotExist
	}
	if e.encrypted {
		return dst, store.Info{}, invalid("the entry is encrypted, which is not supported")
	}
	off, n, err := r.Resolve(e.size)
	if err != nil {
		return dst, store.Info{}, err
	}
	obj := s.obj
	if e.fresh {
		obj = s.w.Load().obj
	}
	v := value{ctx, obj, key, e, s.limit}
	switch e.method {
	case stored:
		dst, err = v.stored(off, n, dst)
	case deflated:
		dst, err = v.inflate(off, n, dst)
	default:
		err = invalid("compression method %d is not supported", e.method)
	}
	return dst, e.info(), err
}

// value is an entry being read.
type value struct {
	ctx   context.Context
	obj   store.Object
	key   string
	e     *entry
	limit int64
}

// together is the largest value that is read in one go with its header, to
// spare a request.
const together = 256 << 10

var scratch = sync.Pool{New: func() any { return new([]byte) }}

func (v value) stored(off, n int64, dst []byte) ([]byte, error) {
	if v.e.csize != v.e.size {
		return dst, invalid("the entry is stored in %d bytes and has %d", v.e.csize, v.e.size)
	}
	whole := n == v.e.size
	if whole && n <= together && v.e.dataOffset.Load() == 0 {
		return v.withHeader(dst)
	}
	at, err := v.data()
	if err != nil || n == 0 {
		return dst, err
	}
	out, _, err := v.obj.Get(v.ctx, store.Part(at+off, n), dst)
	if err != nil || !whole {
		return out, err
	}
	return out, v.e.check(crc32.ChecksumIEEE(out[len(dst):]))
}

// withHeader reads a small value and its header in one go.
func (v value) withHeader(dst []byte) ([]byte, error) {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	// Most extra fields have less than 64 bytes.
	n := localSize + int64(len(v.key)) + v.e.size + 64
	b, _, err := v.obj.Get(v.ctx, store.Part(v.e.header, min(n, v.limit-v.e.header)), (*buf)[:0])
	if err != nil {
		return dst, err
	}
	*buf = b
	at, err := v.e.dataAt(v.key, b, v.limit)
	if err != nil {
		return dst, err
	}
	v.e.dataOffset.Store(at)
	if at+v.e.size > v.e.header+int64(len(b)) {
		return v.stored(0, v.e.size, dst)
	}
	data := b[at-v.e.header:][:v.e.size]
	return append(dst, data...), v.e.check(crc32.ChecksumIEEE(data))
}

// data gives where the data of the entry is.
func (v value) data() (int64, error) {
	if at := v.e.dataOffset.Load(); at != 0 {
		return at, nil
	}
	b, _, err := v.obj.Get(v.ctx, store.Part(v.e.header, min(localSize+int64(len(v.key)), v.limit-v.e.header)), nil)
	if err != nil {
		return 0, err
	}
	at, err := v.e.dataAt(v.key, b, v.limit)
	if err == nil {
		v.e.dataOffset.Store(at)
	}
	return at, err
}

func (e *entry) check(crc uint32) error {
	if crc != e.crc {
		return invalid("the entry has CRC %08x instead of %08x", crc, e.crc)
	}
	return nil
}

// inflate gives n bytes from off. The CRC is checked when they reach to the end.
func (v value) inflate(off, n int64, dst []byte) ([]byte, error) {
	// No deflate stream gives more than 1032 bytes for one.
	if v.e.size/1032 > v.e.csize || n != int64(int(n)) {
		return dst, invalid("%d bytes cannot be inflated to %d", v.e.csize, v.e.size)
	}
	at, err := v.data()
	if err != nil {
		return dst, err
	}
	f := inflaters.Get().(*inflater)
	defer f.release()
	f.reset(v, at)
	var sum crc
	if off > 0 {
		if _, err := io.CopyN(&sum, f.r, off); err != nil {
			return dst, f.explain(err)
		}
	}
	out := buf.Extend(dst, int(n))
	if _, err := io.ReadFull(f.r, out[len(dst):]); err != nil {
		return dst, f.explain(err)
	}
	if off+n < v.e.size {
		return out, nil
	}
	sum.Write(out[len(dst):])
	var more [1]byte
	if k, err := io.ReadFull(f.r, more[:]); k > 0 {
		return dst, invalid("the entry has more than the %d bytes it declares", v.e.size)
	} else if err != io.EOF {
		return dst, f.explain(err)
	}
	return out, v.e.check(uint32(sum))
}

// crc adds up what is written to it.
type crc uint32

func (c *crc) Write(p []byte) (int, error) {
	*c = crc(crc32.Update(uint32(*c), crc32.IEEETable, p))
	return len(p), nil
}

// inflater is a deflate reader on a part of an archive, kept for further use.
type inflater struct {
	r   io.ReadCloser
	src pieces
}

var inflaters = sync.Pool{New: func() any {
	f := new(inflater)
	f.r = flate.NewReader(&f.src)
	return f
}}

func (f *inflater) reset(v value, at int64) {
	f.src.ctx, f.src.obj, f.src.off, f.src.end = v.ctx, v.obj, at, at+v.e.csize
	f.src.rest, f.src.err = nil, nil
	f.r.(flate.Resetter).Reset(&f.src, nil)
}

func (f *inflater) release() {
	f.src.ctx, f.src.obj = nil, nil
	inflaters.Put(f)
}

// explain tells what went wrong in the archive from what went wrong below it.
func (f *inflater) explain(err error) error {
	switch {
	case f.src.err != nil:
		return f.src.err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return invalid("the entry ends before the size it declares")
	}
	return invalid("%v", err)
}

// pieces reads a part of an archive a piece at a time.
type pieces struct {
	ctx      context.Context
	obj      store.Object
	off, end int64
	buf      []byte
	rest     []byte // what is unread of buf
	err      error  // of obj
}

const pieceSize = 1 << 20

func (p *pieces) fill() error {
	if len(p.rest) > 0 {
		return nil
	}
	if p.off == p.end {
		return io.EOF
	}
	n := min(pieceSize, p.end-p.off)
	b, _, err := p.obj.Get(p.ctx, store.Part(p.off, n), p.buf[:0])
	if err != nil {
		p.err = err
		return err
	}
	p.buf, p.rest, p.off = b, b, p.off+n
	return nil
}

func (p *pieces) Read(b []byte) (int, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// ReadByte lets the deflate reader do without a buffer of its own.
func (p *pieces) ReadByte() (byte, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c, nil
}

// fileObject is a local file as an object.
type fileObject struct {
	f interface {
		io.ReaderAt
		io.Closer
	}
	size int64
}

func openFile(path string) (fileObject, error) {
	f, err := os.Open(path)
	if err != nil {
		return fileObject{}, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: ErrFormat}
	}
	if err != nil {
		f.Close()
		return fileObject{}, err
	}
	return fileObject{f, fi.Size()}, nil
}

func (o fileObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	info := store.Info{Size: o.size}
	off, n, err := r.Resolve(o.size)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return dst, info, err
	}
	out := buf.Extend(dst, int(n))
	if _, err := o.f.ReadAt(out[len(dst):], off); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return dst, info, err
	}
	return out, info, nil
}

// Near is true: it is a local file.
func (fileObject) Near() bool { return true }

func (o fileObject) Close() error { return o.f.Close() }
