package hdf5

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
)

// Options say how a file is read. The zero value is good for files on this
// machine.
type Options struct {
	// Filters decode what is not decoded here, by the number of the filter.
	Filters map[uint16]Decoder
	// Outside opens another file that this one names: of external data, of an
	// external link, of a virtual dataset. Relative names are relative to the
	// first file. Where it is nil nothing is opened.
	Outside func(name string) (Source, error)
	// Block is the least number of bytes of metadata that are read at once.
	Block int
	// Cache is how many bytes of metadata are kept.
	Cache int64
	// MaxChunk is how many bytes a chunk may have, decoded, for [Dataset.Read].
	MaxChunk int64
	// MaxRead is how many bytes [Dataset.ReadAll] may give, 1 GiB if it is 0. A few bytes
	// can claim any number of elements that are not stored.
	MaxRead int64
}

// Source is a file beside the first. One that is an io.Closer is closed with it.
type Source interface {
	io.ReaderAt
	Size() int64
}

// File is an open HDF5 file.
type File struct {
	pages *pages
	o     Options
	name  string // "" is the first file
	base  int64  // where the superblock is
	size  int64  // of what lies behind the base

	Superblock int // its version
	offsets    int // bytes of an address
	lengths    int // bytes of a length
	leafK      int // half the entries of a node of symbols
	groupK     int // of the tree of a group
	chunkK     int // of a tree of chunks
	root       uint64
	top        *Object // the object there
	shared     []sharedIndex

	heaps  heaps
	family *family
}

// family is the first file and those that it leads to.
type family struct {
	mu    sync.Mutex
	files map[string]*File
	raw   map[string]Source
}

// Open reads the superblock of a file of size bytes, and the header of its root.
func Open(r io.ReaderAt, size int64, o Options) (*File, error) {
	if o.MaxChunk <= 0 {
		o.MaxChunk = 1 << 30
	}
	if o.MaxRead <= 0 {
		o.MaxRead = 1 << 30
	}
	f, err := open(r, size, o, "", &family{files: map[string]*File{}, raw: map[string]Source{}})
	if err != nil {
		return nil, err
	}
	f.family.files[""] = f
	return f, nil
}

func open(r io.ReaderAt, size int64, o Options, name string, fam *family) (*File, error) {
	f := &File{pages: newPages(r, size, o), o: o, name: name, family: fam}
	if err := f.readSuperblock(size); err != nil {
		return nil, err
	}
	var err error
	if f.top, err = f.Object(f.root); err != nil {
		return nil, fmt.Errorf("root group: %w", err)
	}
	return f, nil
}

// Close closes the files that were opened by Options.Outside.
func (f *File) Close() error {
	f.family.mu.Lock()
	defer f.family.mu.Unlock()
	var errs []error
	for _, s := range f.family.raw {
		if c, ok := s.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	clear(f.family.raw)
	clear(f.family.files)
	return errors.Join(errs...)
}

// Name is what Options.Outside was asked for, "" for the first file.
func (f *File) Name() string { return f.name }

// Sizes are how many bytes addresses and lengths have.
func (f *File) Sizes() (offsets, lengths int) { return f.offsets, f.lengths }

// Base is where the superblock is. Addresses count from there.
func (f *File) Base() int64 { return f.base }

// Root is the group that the file begins with.
func (f *File) Root() *Object { return f.top }

// Reads is how many reads of metadata there were.
func (f *File) Reads() int {
	f.pages.mu.Lock()
	defer f.pages.mu.Unlock()
	return f.pages.count
}

// fits reports whether n bytes at an address lie in the file.
func (f *File) fits(at, n uint64) bool {
	return at <= uint64(f.size) && n <= uint64(f.size)-at
}

// check is an error unless n bytes at an address lie in the file.
func (f *File) check(what string, at, n uint64) error {
	if at == Undefined {
		return wrong(what, at, "the address is undefined")
	}
	if !f.fits(at, n) {
		return wrong(what, at, "%d bytes lie beyond the end of the file, which has %d", n, f.size)
	}
	return nil
}

// read gives n bytes of metadata, which must not be changed.
func (f *File) read(what string, at, n uint64) ([]byte, error) {
	if err := f.check(what, at, n); err != nil {
		return nil, err
	}
	b, err := f.pages.get(f.base+int64(at), int64(n))
	if err != nil {
		return nil, wrong(what, at, "%w", err)
	}
	return b, nil
}

// cursor is over n bytes of metadata.
func (f *File) cursor(what string, at, n uint64) cursor {
	b, err := f.read(what, at, n)
	return cursor{what: what, at: at, b: b, o: f.offsets, l: f.lengths, err: err}
}

// outside opens the file that a structure of this one names.
func (f *File) outside(name string) (Source, string, error) {
	if f.o.Outside == nil {
		return nil, name, fmt.Errorf("file %q lies outside, and nothing outside is allowed to be opened", name)
	}
	if !path.IsAbs(name) && !strings.Contains(name, ":") {
		name = path.Join(path.Dir(f.name), name)
	}
	f.family.mu.Lock()
	defer f.family.mu.Unlock()
	if s, ok := f.family.raw[name]; ok {
		return s, name, nil
	}
	s, err := f.o.Outside(name)
	if err != nil {
		return nil, name, err
	}
	f.family.raw[name] = s
	return s, name, nil
}

// other opens the HDF5 file that a structure of this one names; "." is this one.
func (f *File) other(name string) (*File, error) {
	if name == "." {
		return f, nil
	}
	s, name, err := f.outside(name)
	if err != nil {
		return nil, err
	}
	f.family.mu.Lock()
	g := f.family.files[name]
	f.family.mu.Unlock()
	if g != nil {
		return g, nil
	}
	if g, err = open(s, s.Size(), f.o, name, f.family); err != nil {
		return nil, fmt.Errorf("file %q: %w", name, err)
	}
	f.family.mu.Lock()
	defer f.family.mu.Unlock()
	if h := f.family.files[name]; h != nil { // somebody else was quicker
		return h, nil
	}
	f.family.files[name] = g
	return g, nil
}
