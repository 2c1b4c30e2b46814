package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/omnizarr/zarr/store"
)

// fdBackend lets the kernel keep inside the folder (openat2) and uses bare
// file descriptors: a Get is open, stat, read, close.
type fdBackend struct {
	rootBackend
	dir *os.File
	fd  int // of dir
}

// newBackend gives an fdBackend, or a rootBackend where the kernel does not
// know or allow openat2.
func newBackend(root *os.Root, dir string) (backend, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	b := &fdBackend{rootBackend{root}, f, int(f.Fd())}
	fd, err := b.openat(".", unix.O_PATH|unix.O_DIRECTORY)
	switch {
	case err == nil:
		unix.Close(fd)
		return b, nil
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
		return b.rootBackend, f.Close()
	}
	f.Close()
	return nil, fmt.Errorf("%s: %w", dir, err)
}

// openat opens what lies at name without leaving the folder.
func (b *fdBackend) openat(name string, flags uint64) (int, error) {
	how := unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	// As unix.Openat2 does, which makes a copy of every name on the heap.
	var mem [256]byte
	path := append(append(mem[:0], name...), 0)
	for range 100 {
		fd, _, err := unix.Syscall6(unix.SYS_OPENAT2, uintptr(b.fd), uintptr(unsafe.Pointer(&path[0])),
			uintptr(unsafe.Pointer(&how)), unix.SizeofOpenHow, 0, 0)
		switch err {
		case 0:
			return int(fd), nil
		case unix.EINTR, unix.EAGAIN: // EAGAIN: a rename elsewhere at the same time
			continue
		case unix.ENOENT, unix.ENOTDIR:
			return -1, store.ErrNotExist
		case unix.EXDEV:
			return -1, ErrLeadsOut
		}
		return -1, err
	}
	return -1, unix.EAGAIN
}

func (b *fdBackend) openFile(key string) (fdFile, stat, error) {
	fd, err := b.openat(key, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return -1, stat{}, err
	}
	t, err := fdFile(fd).stat()
	if err == nil {
		err = t.regular()
	}
	if err != nil {
		unix.Close(fd)
	}
	return fdFile(fd), t, err
}

func (b *fdBackend) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	f, t, err := b.openFile(key)
	if err != nil {
		return dst, store.Info{}, err
	}
	defer f.Close()
	dst, err = read(ctx, f, t.size, r, dst)
	return dst, t.infoFor(r), err
}

func (b *fdBackend) open(s *Store, key string) (store.Object, error) {
	f, t, err := b.openFile(key)
	if err != nil {
		return nil, err
	}
	return newObject(s, key, f, t), nil
}

func (b *fdBackend) folder(dir string) (folder, error) {
	fd, err := b.openat(orDot(dir), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return fdFolder(fd), nil
}

func (b *fdBackend) readDir(dir string) ([]node, error) {
	fd, err := b.openat(orDot(dir), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	return nodes(f)
}

func (b *fdBackend) measure(dir string, files []node) error {
	fd, err := b.openat(orDot(dir), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return measure(files, func(name string) (stat, error) { return statAt(fd, name, unix.AT_SYMLINK_NOFOLLOW) })
}

func (b *fdBackend) close() error { return errors.Join(b.dir.Close(), b.root.Close()) }

// fdFile is a source and a sink.
type fdFile int

// ReadAt is one pread; it may give less than asked for.
func (f fdFile) ReadAt(p []byte, off int64) (int, error) {
	if n := f.copyCached(p, off); n > 0 {
		return n, nil
	}
	for {
		n, err := unix.Pread(int(f), p, off)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil && len(p) > 0 {
			err = io.EOF
		}
		return max(n, 0), err
	}
}

// copyCached copies what of p the system has in memory, at most mostCopied bytes; 0 tells
// that it must be asked for. Nothing waits here, so Go's scheduler need not know of it. From
// other calls of more than 20 us it takes the processor away, every time where all are in
// use, and wakes up for that: a tenth of a processor.
//
// Where the system has nothing it first begins to read, which may take half a millisecond:
// after that, some reads do without.
func (f fdFile) copyCached(p []byte, off int64) int {
	if len(p) == 0 {
		return 0
	}
	if notCached.Load() > 0 {
		notCached.Add(-1)
		return 0
	}
	v := unix.Iovec{Base: &p[0]}
	v.SetLen(min(len(p), mostCopied))
	n, _, err := unix.RawSyscall6(unix.SYS_PREADV2, uintptr(f), uintptr(unsafe.Pointer(&v)), 1, uintptr(off), uintptr(uint64(off)>>32), unix.RWF_NOWAIT)
	if err != 0 {
		notCached.Store(withoutTry)
		return 0
	}
	return int(n)
}

// notCached is how many reads are not tried from the system's memory, since another was in
// vain: what is read by one goroutine tells of the others, as they read the same array.
var notCached atomic.Int32

const withoutTry = 64

// mostCopied bounds how long a goroutine cannot be interrupted.
const mostCopied = 1 << 20

// reserve has ext4 find room once: it keeps books for every page that is written without,
// which is a quarter of the time of a write. XFS and Btrfs gain nothing. A write says what
// is wrong if this fails.
//
// The size is what was written, as without this: after a loss of power the file is short,
// not full of zeros. But ext4, which begins to write a file to the disk when it replaces
// another one by a rename, does so only for files that are without room of their own.
func (f fdFile) reserve(size int64) {
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f), &fs) == nil && fs.Type == unix.EXT4_SUPER_MAGIC {
		unix.Fallocate(int(f), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	}
}

func (f fdFile) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.Write(int(f), p[done:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return done, err
		}
		if n == 0 {
			return done, io.ErrShortWrite
		}
		done += n
	}
	return done, nil
}

func (f fdFile) stat() (stat, error) {
	var t unix.Stat_t
	for {
		switch err := unix.Fstat(int(f), &t); err {
		case nil:
			return statFrom(&t), nil
		case unix.EINTR:
		default:
			return stat{}, err
		}
	}
}

func (f fdFile) system() *os.File { return os.NewFile(uintptr(f), "") }

func (f fdFile) descriptor() (uintptr, bool) { return uintptr(f), true }

func (f fdFile) Sync() error  { return again(func() error { return unix.Fsync(int(f)) }) }
func (f fdFile) Close() error { return unix.Close(int(f)) }

// fdFolder is the descriptor of a folder that was reached safely, so that
// plain names in it are safe too.
type fdFolder int

func (d fdFolder) create(name string) (sink, error) {
	for {
		fd, err := unix.Openat(int(d), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		if err == unix.EINTR {
			continue
		}
		return fdFile(fd), err
	}
}

func (d fdFolder) stat(name string) (stat, error) {
	return statAt(int(d), name, unix.AT_SYMLINK_NOFOLLOW)
}

func (d fdFolder) setTime(name string, t time.Time) error {
	ts := unix.NsecToTimespec(t.UnixNano())
	return unix.UtimesNanoAt(int(d), name, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}

func (d fdFolder) rename(from, to string) error {
	return again(func() error { return unix.Renameat(int(d), from, int(d), to) })
}

func (d fdFolder) renameNew(from, to string) error {
	err := again(func() error {
		return unix.Renameat2(int(d), from, int(d), to, unix.RENAME_NOREPLACE)
	})
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// This file system cannot: a second name for the file does the same.
	if err := unix.Linkat(int(d), from, int(d), to, 0); err != nil {
		return err
	}
	return d.remove(from)
}

func (d fdFolder) renameTo(from string, in folder, to string) error {
	return again(func() error { return unix.Renameat(int(d), from, int(in.(fdFolder)), to) })
}

func (d fdFolder) exchange(a string, in folder, b string) error {
	err := again(func() error {
		return unix.Renameat2(int(d), a, int(in.(fdFolder)), b, unix.RENAME_EXCHANGE)
	})
	if err == unix.EINVAL || err == unix.ENOSYS {
		err = errors.ErrUnsupported // by this file system
	}
	return err
}

func (d fdFolder) remove(name string) error {
	err := again(func() error { return unix.Unlinkat(int(d), name, 0) })
	if err == unix.EISDIR {
		return store.ErrNotExist
	}
	return err
}

func (d fdFolder) lock(name string) (unlock func() error, err error) {
	fd, err := unix.Openat(int(d), name, lockable, 0)
	if err == unix.EACCES || err == unix.EPERM {
		fd, err = unix.Openat(int(d), name, lockable&^unix.O_RDWR, 0)
	}
	if err != nil {
		return nil, lockError(err)
	}
	f := fdFile(fd)
	held, err := f.stat()
	if err == nil && held.regular() != nil {
		err = errNoLock
	}
	if err == nil {
		err = flock(fd)
	}
	if err == nil {
		var now stat
		if now, err = d.stat(name); err == nil && now.inode != held.inode || errors.Is(err, fs.ErrNotExist) {
			err = errGone
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

func (d fdFolder) sync() error {
	fd, err := unix.Openat(int(d), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(fdFile(fd).Sync(), unix.Close(fd))
}

func (d fdFolder) syncFile(name string) error {
	fd, err := unix.Openat(int(d), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(fdFile(fd).Sync(), unix.Close(fd))
}

func (d fdFolder) close() error { return unix.Close(int(d)) }

func statAt(dir int, name string, flags int) (stat, error) {
	var t unix.Stat_t
	if err := again(func() error { return unix.Fstatat(dir, name, &t, flags) }); err != nil {
		return stat{}, err
	}
	return statFrom(&t), nil
}

func statFrom(t *unix.Stat_t) stat {
	mode := fs.ModeIrregular
	switch t.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		mode = 0
	case unix.S_IFDIR:
		mode = fs.ModeDir
	case unix.S_IFLNK:
		mode = fs.ModeSymlink
	}
	return stat{mode, t.Size, unix.TimespecToNsec(t.Mtim), t.Ino}
}

// again calls f until no signal interrupts it.
func again(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}
