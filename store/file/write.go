package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/store"
)

// reserveFrom is the size from which a file gains by reserve: four times what it takes not to lose.
// reserveMost bounds what is taken from the disk because somebody announced so many bytes.
const (
	reserveFrom = 256 << 10
	reserveMost = 64 << 20
)

// Put writes a file of another name and renames it.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	return s.putWith(ctx, key, int64(len(data)), opt, func(f sink) error { return s.fill(ctx, f, data, opt.Flush) })
}

// PutFilled has a file of another name written, and renames it.
func (s *Store) PutFilled(ctx context.Context, key string, size int64, fill func(io.Writer) error, opt store.PutOptions) (store.Info, error) {
	return s.putWith(ctx, key, size, opt, func(f sink) error {
		if err := fill(writer{ctx, f}); err != nil {
			return err
		}
		return s.flush(f, opt.Flush)
	})
}

// PutFrom writes a file of another name, a piece at a time, and renames it.
func (s *Store) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	const most = 4 << 20
	began := false
	return s.putWith(ctx, key, size, store.PutOptions{}, func(f sink) error {
		if began { // r does not begin anew where another made the folder vanish meanwhile
			return errors.New("the folder was removed while the value was written")
		}
		began = true
		if size < 0 {
			piece := buf.Get(1 << 20)
			defer piece.Free()
			if _, err := io.CopyBuffer(writer{ctx, f}, onlyReader{r}, piece.B[:1<<20]); err != nil {
				return err
			}
			return s.flush(f, false)
		}
		piece := buf.Get(int(min(size, most)))
		defer piece.Free()
		p := piece.B[:min(size, most)]
		for left := size; left > 0; {
			n := min(left, int64(len(p)))
			if _, err := io.ReadFull(r, p[:n]); err != nil {
				return fmt.Errorf("%d bytes were announced: %w", size, err)
			}
			if _, err := f.Write(p[:n]); err != nil {
				return err
			}
			if left -= n; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err := store.Fill(r, nil); err != nil {
			return err
		}
		return s.flush(f, false)
	})
}

// writer ends with a context.
type writer struct {
	ctx context.Context
	sink
}

func (w writer) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.sink.Write(p)
}

// onlyReader hides what else a reader can do, so that a piece is all that is in memory.
type onlyReader struct{ io.Reader }

func (s *Store) putWith(ctx context.Context, key string, size int64, opt store.PutOptions, fill func(sink) error) (store.Info, error) {
	err := ctx.Err()
	if err == nil {
		err = s.enter(key)
	}
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, err)
	}
	defer s.leave()
	info, err := s.put(ctx, key, size, opt, fill)
	return info, store.WrapError("put", s.url, key, err)
}

// put makes the folder when there is none. Where others remove folders at the
// same time it may have to do so more than once.
func (s *Store) put(ctx context.Context, key string, size int64, opt store.PutOptions, fill func(sink) error) (store.Info, error) {
	dir, name := split(key)
	for try := 0; ; try++ {
		info, err := s.putIn(ctx, dir, name, key, size, opt, fill)
		if try == 8 || !errors.Is(err, fs.ErrNotExist) {
			return info, err
		}
		if opt.IfMatch != "" {
			return store.Info{}, store.ErrPrecondition
		}
		if err := s.makeFolder(dir); err != nil {
			return store.Info{}, err
		}
	}
}

func (s *Store) makeFolder(dir string) error {
	if dir == "" {
		return errors.New("the folder of the store is gone")
	}
	if err := s.b.mkdirAll(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for at := dir; s.sync && at != ""; at, _ = split(at) {
		s.flushed.Delete(at)
	}
	return nil
}

// flushAbove makes the names of a folder and of those above it survive a loss of power.
// That is also done for those that were there: who made them may not have come to it.
func (s *Store) flushAbove(dir string) error {
	for at := dir; at != ""; {
		if _, done := s.flushed.Load(at); done {
			break
		}
		at, _ = split(at)
		if err := s.flushFolder(at); err != nil {
			return err
		}
	}
	for at := dir; at != ""; at, _ = split(at) {
		s.flushed.Store(at, nil)
	}
	return nil
}

func (s *Store) putIn(ctx context.Context, dir, name, key string, size int64, opt store.PutOptions, fill func(sink) error) (info store.Info, err error) {
	d, err := s.b.folder(dir)
	if err != nil {
		return info, err
	}
	defer d.close()
	if opt.IfAbsent || opt.IfMatch != "" { // before data is written in vain
		if err := s.check(d, name, key, opt); err != nil {
			return info, err
		}
	}
	f, temp, err := createTemp(d)
	if err != nil {
		return info, err
	}
	defer end(temp)
	defer func() {
		if err != nil {
			d.remove(temp)
		}
	}()
	if size >= reserveFrom {
		if _, err := d.stat(name); errors.Is(err, fs.ErrNotExist) {
			f.reserve(min(size, reserveMost))
		}
	}
	if err := fill(f); err != nil {
		f.Close()
		return info, err
	}
	// The clock of many file systems stands still for milliseconds, in which values of
	// the same size could come to have the same ETag.
	if err := d.setTime(temp, s.now()); err != nil {
		f.Close()
		return info, err
	}
	t, err := f.stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return info, err
	}
	if err := s.replace(ctx, d, temp, name, key, opt); err != nil {
		return info, err
	}
	if s.sync {
		err := d.sync()
		if err == nil {
			err = s.flushAbove(dir)
		}
		if err != nil {
			return info, fmt.Errorf("flush folder: %w", err)
		}
	}
	return t.info(), nil
}

func (s *Store) fill(ctx context.Context, f sink, data []byte, flush bool) error {
	for len(data) > 0 {
		n := min(len(data), step)
		if _, err := f.Write(data[:n]); err != nil {
			return err
		}
		if data = data[n:]; len(data) > 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return s.flush(f, flush)
}

// flush waits until a file has reached the disk, if it is to.
func (s *Store) flush(f sink, must bool) error {
	if s.sync || must {
		return f.Sync()
	}
	return nil
}

// replace gives the new file its name if opt allows. Whoever replaces a file, in
// whichever process, has the lock of the one that is there; where there is none, the
// name is taken only as long as nobody else has. So what is found to be as expected
// still is when it is replaced.
func (s *Store) replace(ctx context.Context, d folder, temp, name, key string, opt store.PutOptions) error {
	mu := s.lock(key)
	mu.Lock()
	defer mu.Unlock()
	for {
		if opt.IfMatch == "" {
			err := d.renameNew(temp, name)
			if opt.IfAbsent && errors.Is(err, fs.ErrExist) {
				return store.ErrPrecondition
			}
			if !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		err := s.locked(ctx, d, name, func() error {
			if opt.IfMatch != "" {
				if err := s.check(d, name, key, opt); err != nil {
					return err
				}
			}
			return d.rename(temp, name)
		})
		switch {
		case !errors.Is(err, errGone) && !errors.Is(err, errMissing):
			return err
		case opt.IfMatch != "":
			return store.ErrPrecondition
		}
	}
}

// check returns ErrPrecondition if the file is not as opt expects.
func (s *Store) check(d folder, name, key string, opt store.PutOptions) error {
	t, err := d.stat(name)
	if err == nil && t.mode&fs.ModeSymlink != 0 && opt.IfMatch != "" {
		var fi fs.FileInfo
		if fi, err = s.b.stat(key); err == nil {
			t = statOf(fi)
		}
	}
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return err
	case opt.IfAbsent && !missing,
		opt.IfMatch != "" && (missing || t.info().ETag != opt.IfMatch):
		return store.ErrPrecondition
	}
	return nil
}

// now gives the time, and never the same twice.
func (s *Store) now() time.Time {
	for {
		last := s.clock.Load()
		// Some file systems count in steps of 100 ns.
		t := max(time.Now().UnixNano(), last+100)
		if s.clock.CompareAndSwap(last, t) {
			return time.Unix(0, t)
		}
	}
}

// createTemp makes a temporary file, which is being written until end is called.
func createTemp(d folder) (sink, string, error) {
	for {
		name := tempName()
		begin(name) // first: who finds the file knows
		f, err := d.create(name)
		if err == nil {
			return f, name, nil
		}
		if end(name); !errors.Is(err, fs.ErrExist) {
			return nil, "", err
		}
	}
}

// Delete removes a file, or a folder with all that is in it. Folders that
// become empty stay.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	err := ctx.Err()
	if err == nil {
		err = s.enter(name)
	}
	if err != nil {
		return store.WrapError("delete", s.url, key, err)
	}
	defer s.leave()
	if tree {
		err = s.deleteTree(name)
	} else {
		err = s.deleteFile(ctx, name, "")
	}
	if errors.Is(err, fs.ErrNotExist) || notDir(err) {
		return nil
	}
	return store.WrapError("delete", s.url, key, err)
}

// DeleteMatch removes a file if it is the one that has this ETag, else it is
// ErrPrecondition.
func (s *Store) DeleteMatch(ctx context.Context, key, etag string) error {
	err := ctx.Err()
	if err == nil {
		err = s.enter(key)
	}
	if err != nil {
		return store.WrapError("delete", s.url, key, err)
	}
	defer s.leave()
	err = s.deleteFile(ctx, key, etag)
	if errors.Is(err, fs.ErrNotExist) || notDir(err) {
		err = store.ErrPrecondition
	}
	return store.WrapError("delete", s.url, key, err)
}

// deleteFile removes a file, only the one of an ETag if that is not "".
func (s *Store) deleteFile(ctx context.Context, key, etag string) error {
	dir, name := split(key)
	d, err := s.b.folder(dir)
	if err != nil {
		return err
	}
	defer d.close()
	mu := s.lock(key)
	mu.Lock()
	defer mu.Unlock()
	for again := true; again; again = errors.Is(err, errGone) && etag == "" {
		err = s.locked(ctx, d, name, func() error {
			if etag != "" {
				if err := s.check(d, name, key, store.PutOptions{IfMatch: etag}); err != nil {
					return err
				}
			}
			return d.remove(name)
		})
	}
	if errors.Is(err, errGone) {
		err = store.ErrPrecondition
	}
	if err != nil {
		return err
	}
	if s.sync {
		return d.sync()
	}
	return nil
}

func (s *Store) deleteTree(name string) error {
	fi, err := s.b.stat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return nil // a value, and nothing below it
	}
	err = s.b.removeAll(name)
	s.flushed.Clear() // whoever makes them anew is to flush them
	if err != nil {
		return err
	}
	if !s.sync {
		return nil
	}
	dir, _ := split(name)
	d, err := s.b.folder(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(), d.close())
}

// split gives the folder, "" for the outermost, and the name in it.
func split(key string) (dir, name string) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key
	}
	return key[:i], key[i+1:]
}
