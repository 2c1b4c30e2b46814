package kept

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr/internal/partial"
)

// folder is the part of a cache that is on disk: a file for each value, in a folder of its
// first byte, by the hash of its key. Files appear whole, by a rename. Nothing else in the
// folder is touched.
type folder struct {
	limit int64
	lock  *os.File

	mu      sync.Mutex
	root    *os.Root                 // nil when it is closed
	files   map[string]*list.Element // of *onDisk, by name
	recent  list.List                // what was asked for last is in front
	bytes   int64
	damaged int64
	errors  int64
}

// onDisk is a file that is there.
type onDisk struct {
	name string
	size int64
}

const (
	ending    = ".kept"
	unwritten = ".new" // until the file is whole
	lockName  = "in-use"
	// magic begins a file; then come a checksum of all that follows, the length of the key,
	// the key and the value.
	magic  = "ozkept1\n"
	header = len(magic) + 4 + 4
	// maxFiles bounds what is known of files in memory.
	maxFiles = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openFolder(dir string, limit int64) (_ *folder, err error) {
	wrong := func(err error) error { return fmt.Errorf("keep values in %s: %w", dir, err) }
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, wrong(partial.Cause(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrong(partial.Cause(err))
	}
	f := &folder{limit: limit, root: root, files: map[string]*list.Element{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	f.lock, err = root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, wrong(partial.Cause(err))
	}
	if err := partial.Lock(f.lock); errors.Is(err, partial.ErrBusy) {
		return nil, wrong(fmt.Errorf("%w: give each a folder of its own", ErrBusy))
	} else if err != nil {
		return nil, wrong(err)
	}
	if err := f.look(); err != nil {
		return nil, wrong(err)
	}
	return f, nil
}

// look finds the files that are there, and removes what was not finished or is too much.
func (f *folder) look() error {
	type found struct {
		onDisk
		at time.Time
	}
	var all []found
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && !isHex(name, 2) {
				return fs.SkipDir
			}
			return nil
		case ours(name, ending+unwritten):
			return f.root.Remove(name)
		case !ours(name, ending) || !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all = append(all, found{onDisk{name, info.Size()}, info.ModTime()})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b found) int { return a.at.Compare(b.at) })
	for i := range all {
		f.add(all[i].name, all[i].size)
	}
	return nil
}

// ours reports whether a name is one that fileName gives, but for its ending.
func ours(name, ending string) bool {
	base, ok := strings.CutSuffix(name, ending)
	dir, hash := path.Split(base)
	return ok && isHex(strings.TrimSuffix(dir, "/"), 2) && isHex(hash, 64) && hash[:2] == dir[:2]
}

func isHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}

// fileName is where the value of a key is: any key has one, and none leads elsewhere.
func fileName(key string) string {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:])
	return path.Join(name[:2], name+ending)
}

// get reads a value. A file that is not what was written is removed.
func (f *folder) get(key string) ([]byte, bool) {
	name := fileName(key)
	f.mu.Lock()
	root := f.root
	at, ok := f.files[name]
	if ok {
		f.recent.MoveToFront(at)
	}
	f.mu.Unlock()
	if !ok || root == nil {
		return nil, false
	}
	data, err := readFile(root, name, key, f.limit)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !errors.Is(err, fs.ErrNotExist) { // which somebody removed
			f.damaged++
		}
		if f.files[name] == at {
			f.remove(at)
		}
		return nil, false
	}
	now := time.Now()
	_ = root.Chtimes(name, now, now) // so that the next process knows what was of use
	return data, true
}

// errDamaged says that a file is not what was written.
var errDamaged = errors.New("damaged")

func readFile(root *os.Root, name, key string, limit int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit || info.Size() < int64(header+len(key)) {
		return nil, errDamaged
	}
	all := make([]byte, info.Size())
	if _, err := io.ReadFull(file, all); err != nil {
		return nil, err
	}
	behind := all[len(magic)+4:]
	if string(all[:len(magic)]) != magic || binary.LittleEndian.Uint32(all[len(magic):]) != crc32.Checksum(behind, castagnoli) ||
		uint64(binary.LittleEndian.Uint32(behind)) != uint64(len(key)) || string(behind[4:4+len(key)]) != key {
		return nil, errDamaged
	}
	return behind[4+len(key):], nil
}

// put writes a value, wholly or not at all, and makes room for it. A value that cannot be
// written is not kept; it is no error of who wants it.
func (f *folder) put(key string, data []byte) {
	size := int64(header + len(key) + len(data))
	f.mu.Lock()
	root := f.root
	f.mu.Unlock()
	if root == nil || size > f.limit {
		return
	}
	name := fileName(key)
	err := writeFile(root, name, key, data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.errors++
		return
	}
	if old, ok := f.files[name]; ok {
		f.forget(old)
	}
	f.add(name, size)
}

func writeFile(root *os.Root, name, key string, data []byte) (err error) {
	if err := root.Mkdir(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	file, err := root.OpenFile(name+unwritten, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err // also when the same value is being written: one of them will do
	}
	defer func() {
		if err != nil {
			_ = root.Remove(name + unwritten)
		}
	}()
	head := make([]byte, 0, header+len(key))
	head = append(head, magic...)
	head = append(head, 0, 0, 0, 0)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(key)))
	head = append(head, key...)
	sum := crc32.Update(crc32.Checksum(head[len(magic)+4:], castagnoli), castagnoli, data)
	binary.LittleEndian.PutUint32(head[len(magic):], sum)
	_, err = file.Write(head)
	if err == nil {
		_, err = file.Write(data)
	}
	// A loss of power may leave a file without its bytes: the checksum finds it.
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return root.Rename(name+unwritten, name)
}

// add notes a file that is there, and removes those that are too much. f.mu is held, or
// nobody else has f.
func (f *folder) add(name string, size int64) {
	f.files[name] = f.recent.PushFront(&onDisk{name, size})
	f.bytes += size
	for f.bytes > f.limit || len(f.files) > maxFiles {
		f.remove(f.recent.Back())
	}
}

// remove removes a file. f.mu is held, or nobody else has f.
func (f *folder) remove(at *list.Element) {
	f.forget(at)
	if f.root == nil {
		return
	}
	if err := f.root.Remove(at.Value.(*onDisk).name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.errors++
	}
}

// forget is remove that leaves the file.
func (f *folder) forget(at *list.Element) {
	file := at.Value.(*onDisk)
	f.recent.Remove(at)
	delete(f.files, file.name)
	f.bytes -= file.size
}

func (f *folder) stats(s *Stats) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.DiskEntries, s.DiskBytes = int64(len(f.files)), f.bytes
	s.DiskDamaged, s.DiskErrors = f.damaged, f.errors
}

func (f *folder) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.lock != nil {
		err = f.lock.Close()
		f.lock = nil
	}
	if f.root != nil {
		err = errors.Join(err, f.root.Close())
		f.root = nil
	}
	return err
}
