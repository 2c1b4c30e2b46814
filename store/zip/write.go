package zip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/store"
)

// Options says how an archive is written; the zero value is fine.
type Options struct {
	// Deflate compresses values that become smaller by it. Parts of them can
	// then be read only from the start. The default is to store them as they
	// are, for chunks are compressed already.
	Deflate bool
	// Sync makes Close return only when the archive would survive a loss of
	// power.
	Sync bool
}

// writer is the file that becomes the archive.
type writer struct {
	path, temp string
	obj        fileObject
	end        atomic.Int64 // of what is written, or about to be
	opt        Options
}

// Create starts a new archive, which replaces the one at path on Close.
func Create(path string, opt Options) (*Store, error) {
	u, err := fileURL(path)
	if err != nil {
		return nil, err
	}
	s := &Store{url: u, target: &target{path: path, opt: opt}, entries: make(map[string]*entry)}
	if _, err := s.writer(); err != nil {
		return nil, fmt.Errorf("create zip %s: %w", u, err)
	}
	return s, nil
}

// Update starts with what the archive at path has, and replaces it on Close if
// anything was put or deleted; before that nothing is written. What other
// processes do to the archive meanwhile is lost.
func Update(ctx context.Context, path string, opt Options) (*Store, error) {
	s, err := OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	s.target = &target{path: path, opt: opt}
	return s, nil
}

// target is where a store that can be written goes.
type target struct {
	path  string
	opt   Options
	start sync.Mutex // held while the writer is made
}

// writer gives the file that becomes the archive, made when first needed.
func (s *Store) writer() (*writer, error) {
	if w := s.w.Load(); w != nil {
		return w, nil
	}
	s.target.start.Lock()
	defer s.target.start.Unlock()
	if w := s.w.Load(); w != nil {
		return w, nil
	}
	path := s.target.path
	for {
		temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".omnizarr-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, cause(err)
		}
		w := &writer{path: path, temp: temp, obj: fileObject{f, math.MaxInt64}, opt: s.target.opt}
		s.w.Store(w)
		return w, nil
	}
}

// cause leaves out the name of a file that is only there for a while.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// close gives up the file, or makes it the archive.
func (w *writer) close(commit bool) error {
	var err error
	if commit && w.opt.Sync {
		err = w.obj.f.Sync()
	}
	err = errors.Join(err, w.obj.f.Close())
	if commit && err == nil {
		if err = os.Rename(w.temp, w.path); err == nil {
			return w.syncFolder()
		}
	}
	return errors.Join(err, os.Remove(w.temp))
}

func (w *writer) syncFolder() error {
	if !w.opt.Sync || runtime.GOOS == "windows" { // which cannot flush a folder
		return nil
	}
	d, err := os.Open(filepath.Dir(w.path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Put adds an entry; one that had the key is left out of the directory. The
// archive has it after Close, Get gives it at once.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	info, err := s.put(ctx, key, data, opt)
	return info, store.WrapError("put", s.url, key, err)
}

func (s *Store) put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if !validName(key) {
		return store.Info{}, store.ErrBadKey
	}
	if s.target == nil {
		return store.Info{}, store.ErrReadOnly
	}
	if err := s.enter(ctx); err != nil {
		return store.Info{}, err
	}
	defer s.leave()
	if !allowed(s.find(key), opt) { // before data is written in vain
		return store.Info{}, store.ErrPrecondition
	}
	w, err := s.writer()
	if err != nil {
		return store.Info{}, err
	}
	e, err := w.write(key, data)
	if err != nil {
		return store.Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.entries[key]
	if !allowed(old, opt) {
		return store.Info{}, store.ErrPrecondition
	}
	s.entries[key] = e
	if old == nil {
		s.sorted = nil
	}
	return e.info(), nil
}

func allowed(old *entry, opt store.PutOptions) bool {
	if opt.IfAbsent && old != nil {
		return false
	}
	return opt.IfMatch == "" || old != nil && old.info().ETag == opt.IfMatch
}

// write appends header and data. Several goroutines may write at once, each in
// its own place.
func (w *writer) write(key string, data []byte) (*entry, error) {
	e := &entry{size: int64(len(data)), crc: crc32.ChecksumIEEE(data), fresh: true}
	if w.opt.Deflate {
		buf := deflateBuffers.Get().(*bytes.Buffer)
		defer deflateBuffers.Put(buf)
		buf.Reset()
		if err := deflate(buf, data); err != nil {
			return nil, err
		}
		if buf.Len() < len(data) {
			data, e.method = buf.Bytes(), deflated
		}
	}
	e.csize = int64(len(data))
	header, at := w.place(e, key)
	if len(data) <= together {
		buf := scratch.Get().(*[]byte)
		defer scratch.Put(buf)
		*buf = append(append((*buf)[:0], header...), data...)
		header, data = *buf, nil
	}
	if _, err := w.obj.f.WriteAt(header, e.header); err != nil {
		return nil, cause(err)
	}
	if len(data) > 0 {
		if _, err := w.obj.f.WriteAt(data, at); err != nil {
			return nil, cause(err)
		}
	}
	return e, nil
}

// place makes room for an entry, whose sizes are known. It gives the header,
// yet to be written, and where the data goes.
func (w *writer) place(e *entry, key string) (header []byte, data int64) {
	header = appendLocal(nil, e, key)
	size := int64(len(header)) + e.csize
	e.header = w.end.Add(size) - size
	data = e.header + int64(len(header))
	e.dataOffset.Store(data)
	return header, data
}

var (
	deflateBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	deflaters      sync.Pool
)

func deflate(buf *bytes.Buffer, data []byte) error {
	w, ok := deflaters.Get().(*flate.Writer)
	if ok {
		w.Reset(buf)
	} else {
		var err error
		if w, err = flate.NewWriter(buf, flate.DefaultCompression); err != nil {
			return err
		}
	}
	defer deflaters.Put(w)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

// Delete leaves entries out of the directory.
func (s *Store) Delete(ctx context.Context, key string) error {
	return store.WrapError("delete", s.url, key, s.delete(ctx, key))
}

func (s *Store) delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	if store.CheckKey(name) != nil {
		return store.ErrBadKey
	}
	if s.target == nil {
		return store.ErrReadOnly
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	var gone []string
	if !tree && s.find(key) != nil {
		gone = []string{key}
	} else if tree {
		keys := s.keys()
		from, _ := slices.BinarySearch(keys, key)
		to, _ := slices.BinarySearch(keys, name+"0") // "0" follows "/"
		gone = keys[from:to]
	}
	if len(gone) == 0 {
		return nil
	}
	if _, err := s.writer(); err != nil { // the archive changes
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range gone {
		delete(s.entries, k)
	}
	s.sorted = nil
	return nil
}
