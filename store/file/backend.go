package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
)

// ErrLeadsOut says that a key is a symbolic link out of the folder.
var ErrLeadsOut = errors.New("symbolic link leads out of the store (--allow DIR lets it lead below a folder)")

// backend is the way into the folder: rootBackend everywhere, a quicker one
// where the system has it. Both keep inside the folder whatever symbolic links
// there are. Names given to it are checked keys, or "" for the folder itself.
type backend interface {
	get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error)
	open(s *Store, key string) (store.Object, error)
	// folder gives the folder dir for changes. That dir is missing may show
	// only when it is used.
	folder(dir string) (folder, error)
	mkdirAll(dir string) error
	removeAll(dir string) error
	// readDir gives what is in a folder, without sizes and times: to ask for them, which
	// measure does for some files of a folder, takes longer than all else. Those that
	// are gone meanwhile become fs.ModeIrregular.
	readDir(dir string) ([]node, error)
	measure(dir string, files []node) error
	stat(name string) (fs.FileInfo, error) // of what a link leads to
	readlink(name string) (string, error)
	close() error
}

// folder is one folder in which files are made and replaced.
type folder interface {
	create(name string) (sink, error) // fails if there is one
	stat(name string) (stat, error)   // of a link itself
	setTime(name string, t time.Time) error
	rename(from, to string) error
	// renameNew fails with fs.ErrExist if to is there.
	renameNew(from, to string) error
	// renameTo and exchange are for folders, also of another folder of the same
	// backend.
	renameTo(from string, in folder, to string) error
	exchange(a string, in folder, b string) error
	remove(name string) error // of a file
	// lock takes the lock of a file among all processes: errHeld if somebody has it,
	// errNoLock if it has none, errGone if it was replaced meanwhile.
	lock(name string) (unlock func() error, err error)
	sync() error
	syncFile(name string) error
	close() error
}

// sink is a new file.
type sink interface {
	// reserve announces so many bytes, where that helps, without a change of the size. It
	// is not for a file that will replace another one.
	reserve(size int64)
	Write(p []byte) (int, error)
	Sync() error
	Close() error
	stat() (stat, error)
}

// source is a file open for reading.
type source interface {
	ReadAt(p []byte, off int64) (int, error)
	Close() error
	// system is the file as package os has it, which is then closed in its place.
	system() *os.File
	// descriptor is the one that the system knows it by, where it can be had as it is.
	descriptor() (uintptr, bool)
}

// node is one file or folder in a listing.
type node struct {
	name string
	stat
	known bool // the size and the time too
}

// stat is what matters of a file.
type stat struct {
	mode  fs.FileMode // the type bits
	size  int64
	mtime int64 // nanoseconds
	inode uint64
}

// regular says that there is no value where there is no plain file.
func (t stat) regular() error {
	switch {
	case t.mode.IsRegular():
		return nil
	case t.mode.IsDir():
		return store.ErrNotExist
	}
	return errors.New("not a regular file")
}

func (t stat) info() store.Info {
	var buf [64]byte
	b := strconv.AppendUint(buf[:0], uint64(t.mtime), 36)
	b = append(b, '-')
	b = strconv.AppendUint(b, uint64(t.size), 36)
	b = append(b, '-')
	b = strconv.AppendUint(b, t.inode, 36)
	return store.Info{Size: t.size, ETag: string(b)}
}

// infoFor is info for who asked for r.
func (t stat) infoFor(r store.Range) store.Info {
	if r.IsBytesOnly() {
		return store.Info{Size: -1}
	}
	return t.info()
}

func statOf(fi fs.FileInfo) stat {
	return stat{fi.Mode().Type(), fi.Size(), fi.ModTime().UnixNano(), inode(fi)}
}

// rootBackend keeps inside the folder by means of os.Root.
type rootBackend struct{ root *os.Root }

// osFile is a source and a sink.
type osFile struct{ *os.File }

func (f osFile) system() *os.File { return f.File }

func (f osFile) descriptor() (uintptr, bool) { return 0, false }

func (f osFile) reserve(int64) {}

func (f osFile) stat() (stat, error) {
	fi, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statOf(fi), nil
}

func (b rootBackend) openFile(key string) (osFile, stat, error) {
	f, err := b.root.OpenFile(key, os.O_RDONLY|openFlags, 0)
	if err != nil {
		switch {
		case notDir(err):
			err = store.ErrNotExist
		case strings.Contains(err.Error(), "escapes"): // package os has no name for it
			err = ErrLeadsOut
		}
		return osFile{}, stat{}, err
	}
	t, err := osFile{f}.stat()
	if err == nil {
		err = t.regular()
	}
	if err != nil {
		f.Close()
	}
	return osFile{f}, t, err
}

func (b rootBackend) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	f, t, err := b.openFile(key)
	if err != nil {
		return dst, store.Info{}, err
	}
	defer f.Close()
	dst, err = read(ctx, f, t.size, r, dst)
	return dst, t.infoFor(r), err
}

func (b rootBackend) open(s *Store, key string) (store.Object, error) {
	f, t, err := b.openFile(key)
	if err != nil {
		return nil, err
	}
	return newObject(s, key, f, t), nil
}

func (b rootBackend) folder(dir string) (folder, error) { return rootFolder{b.root, dir}, nil }

func (b rootBackend) mkdirAll(dir string) error { return b.root.MkdirAll(dir, 0o777) }

func (b rootBackend) removeAll(dir string) error { return b.root.RemoveAll(dir) }

func (b rootBackend) stat(name string) (fs.FileInfo, error) { return b.root.Stat(name) }

func (b rootBackend) readlink(name string) (string, error) { return b.root.Readlink(name) }

func (b rootBackend) readDir(dir string) ([]node, error) {
	f, err := b.root.Open(orDot(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return nodes(f)
}

func (b rootBackend) measure(dir string, files []node) error {
	return measure(files, func(name string) (stat, error) {
		fi, err := b.root.Lstat(within(dir, name))
		if err != nil {
			return stat{}, err
		}
		return statOf(fi), nil
	})
}

// nodes reads the open folder f.
func nodes(f *os.File) ([]node, error) {
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	list := make([]node, len(entries))
	for i, e := range entries {
		list[i] = node{name: e.Name(), stat: stat{mode: e.Type()}}
	}
	return list, nil
}

// measure asks what plain files are.
func measure(files []node, look func(name string) (stat, error)) (err error) {
	for i := range files {
		n := &files[i]
		if !n.mode.IsRegular() || n.known {
			continue
		}
		if n.stat, err = look(n.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if n.known = true; err != nil || !n.mode.IsRegular() {
			n.mode = fs.ModeIrregular
		}
	}
	return nil
}

func (b rootBackend) close() error { return b.root.Close() }

// rootFolder is a folder by name.
type rootFolder struct {
	root *os.Root
	dir  string
}

func (d rootFolder) create(name string) (sink, error) {
	f, err := d.root.OpenFile(within(d.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return osFile{f}, err
}

func (d rootFolder) stat(name string) (stat, error) {
	fi, err := d.root.Lstat(within(d.dir, name))
	if err != nil {
		return stat{}, err
	}
	return statOf(fi), nil
}

func (d rootFolder) setTime(name string, t time.Time) error {
	return d.root.Chtimes(within(d.dir, name), t, t)
}

func (d rootFolder) rename(from, to string) error {
	return d.root.Rename(within(d.dir, from), within(d.dir, to))
}

func (d rootFolder) renameNew(from, to string) error {
	err := d.root.Link(within(d.dir, from), within(d.dir, to))
	if err == nil {
		return d.remove(from)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// No hard links here: the lock on the key is all there is.
	if _, e := d.root.Lstat(within(d.dir, to)); !errors.Is(e, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return d.rename(from, to)
}

func (d rootFolder) renameTo(from string, in folder, to string) error {
	return d.root.Rename(within(d.dir, from), within(in.(rootFolder).dir, to))
}

func (d rootFolder) exchange(string, folder, string) error { return errors.ErrUnsupported }

func (d rootFolder) remove(name string) error {
	path := within(d.dir, name)
	fi, err := d.root.Lstat(path)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return store.ErrNotExist
	}
	return d.root.Remove(path)
}

func (d rootFolder) sync() error {
	if !syncFolders {
		return nil
	}
	f, err := d.root.Open(orDot(d.dir))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d rootFolder) syncFile(name string) error {
	f, err := d.root.OpenFile(within(d.dir, name), syncFlags, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d rootFolder) close() error { return nil }

// within gives the name of a file in a folder that may be "".
func within(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// orDot gives the name by which the system knows the folder "".
func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}
