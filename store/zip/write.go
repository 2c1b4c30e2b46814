package zip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/internal/partial"
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
	// Resume makes Create begin with the entries that are whole in what somebody
	// left who did not come to Close. Entries lie in the order of their keys then,
	// however they came to be there: the same content is the same archive. To put them
	// in order takes as much room again, for a while.
	Resume bool

	begun func(newFile) newFile // for tests
}

// newFile is a file that is to become an archive, as partial.File.
type newFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Commit(sync bool) error
	Leave() error
	Remove() error
	Side(what string) (*partial.File, error)
	RemoveSide(what string) error
}

// writer is the file that becomes the archive.
type writer struct {
	*target
	file newFile
	// whole is what becomes the archive, nil if file is.
	whole newFile
	obj   fileObject   // file, for reading
	end   atomic.Int64 // of what is written, or about to be
}

// Create starts a new archive, which replaces the one at path on Close. Until then
// it is a file beside, .NAME.omnizarr-unfinished. See Update for what else may write
// there.
func Create(path string, opt Options) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, store.WrapError("create zip", path, "", err)
	}
	real := store.RealPath(path)
	s := &Store{url: store.PathURL(abs), id: store.PathURL(real), target: &target{path: real, opt: opt}, entries: make(map[string]*entry)}
	if fi, err := os.Stat(real); err == nil {
		s.target.was = fi
	}
	w, err := s.writer()
	if err == nil && opt.Resume {
		if s.entries, err = w.resume(); err != nil {
			err = w.close(letLie, err)
		}
	}
	if err != nil {
		return nil, store.WrapError("create zip", s.url, "", err)
	}
	return s, nil
}

// Update starts with what the archive at path has, and replaces it on Close if
// anything was put or deleted; before that nothing is written. Several may have
// an archive open, and one of them may write: what another Store of this process
// then puts is ErrBusy, and store.ErrChanged once the archive was replaced. If
// another process has changed it, Close is store.ErrChanged and leaves it as it
// is.
func Update(ctx context.Context, path string, opt Options) (*Store, error) {
	s, err := OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	was, err := s.object().(fileObject).f.(*os.File).Stat()
	if err != nil {
		return nil, errors.Join(store.WrapError("open zip", s.url, "", err), s.Close())
	}
	s.target = &target{path: store.RealPath(path), opt: opt, was: was}
	return s, nil
}

// ErrBusy says that an archive is being written by another Store, and can be
// written again when that one was closed and the archive is opened anew.
var ErrBusy = errors.New("the archive is being written by somebody else right now")

// target is where a store that can be written goes.
type target struct {
	path  string      // without symbolic links
	was   fs.FileInfo // the archive as it was opened, nil if there was none
	opt   Options
	start sync.Mutex // held while the writer is made
}

// check gives ErrChanged if the archive is not the one that was opened.
func (t *target) check() error {
	now, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.was == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return partial.Cause(err)
	case err != nil || t.was == nil || !os.SameFile(now, t.was) || now.Size() != t.was.Size() || !now.ModTime().Equal(t.was.ModTime()):
		return fmt.Errorf("the archive is not the one that was opened any more: %w", store.ErrChanged)
	}
	return nil
}

// writing are the archives that have a writer, by path.
var writing struct {
	sync.Mutex
	paths map[string]bool
}

func claim(path string) bool {
	writing.Lock()
	defer writing.Unlock()
	if writing.paths[path] {
		return false
	}
	if writing.paths == nil {
		writing.paths = map[string]bool{}
	}
	writing.paths[path] = true
	return true
}

func unclaim(path string) {
	writing.Lock()
	defer writing.Unlock()
	delete(writing.paths, path)
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
	if !claim(path) {
		return nil, ErrBusy
	}
	w, err := s.target.begin()
	if err != nil {
		unclaim(path)
		return nil, err
	}
	s.w.Store(w)
	return w, nil
}

// begin makes the file.
func (t *target) begin() (*writer, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	f, err := partial.Open(t.path)
	switch {
	case errors.Is(err, partial.ErrBusy):
		return nil, ErrBusy
	case err != nil:
		return nil, err
	}
	w := &writer{target: t, file: f}
	if t.opt.begun != nil {
		w.file = t.opt.begun(f)
	}
	w.obj = fileObject{w.file, math.MaxInt64}
	if err := w.file.RemoveSide(partial.Whole); err != nil { // of one that was stopped
		return nil, errors.Join(partial.Cause(err), f.Leave())
	}
	if !t.opt.Resume {
		if err := w.file.Truncate(0); err != nil {
			return nil, errors.Join(partial.Cause(err), f.Remove())
		}
	}
	return w, nil
}

// result is the file that becomes the archive.
func (w *writer) result() newFile {
	if w.whole != nil {
		return w.whole
	}
	return w.file
}

// ending is what becomes of the file.
type ending int

const (
	commit ending = iota // it is the archive
	remove
	letLie // for Resume
)

// close ends the file. What cannot become the archive is removed, or lies for the
// next one if this one took up what lay there.
func (w *writer) close(how ending, err error) error {
	defer unclaim(w.path)
	if how == commit && err == nil {
		if err = w.check(); err == nil {
			err = w.result().Commit(w.opt.Sync)
		}
		if err == nil && w.whole != nil {
			return w.file.Remove() // what the archive was made of
		}
		if err == nil {
			return nil
		}
	}
	if w.whole != nil {
		err = errors.Join(err, w.whole.Remove())
	}
	if how == letLie || how == commit && w.opt.Resume {
		return errors.Join(err, w.file.Leave())
	}
	return errors.Join(err, w.file.Remove())
}

// Put adds an entry; one that had the key is left out of the directory. The
// archive has it after Close, Get gives it at once.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	info, err := s.put(ctx, key, data, opt)
	return info, store.WrapError("put", s.url, key, err)
}

func (s *Store) put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if !validName(key) {
		if store.CheckKey(key) == nil {
			return store.Info{}, fmt.Errorf("%w in an archive: too long, or Windows would take it for a place on a drive", store.ErrBadKey)
		}
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
	} else {
		s.buries(key, old)
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
	if _, err := w.file.WriteAt(header, e.header); err != nil {
		return nil, err
	}
	if len(data) > 0 {
		if _, err := w.file.WriteAt(data, at); err != nil {
			return nil, err
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
		if e := s.entries[k]; e != nil {
			s.buries(k, e)
		}
		delete(s.entries, k)
	}
	s.sorted = nil
	return nil
}
