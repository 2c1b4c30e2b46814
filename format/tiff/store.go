package tiff

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// Store shows a TIFF file as a Zarr v3 hierarchy: it makes up the documents, and
// gives parts of the file as chunks. It cannot be written.
type Store struct{ f *File }

// Format is what Info.Format says of the documents of a Store.
const Format = "tiff"

// Store gives the file as a Zarr hierarchy. It is good until Close.
func (f *File) Store() *Store { return &Store{f} }

// The names in the hierarchy: of documents, of what the keys of chunks begin
// with, and of the group of all directories.
const (
	documentName = "zarr.json"
	chunkPrefix  = "c"
	directories  = "ifd"
)

// URL names the file.
func (s *Store) URL() string { return s.f.url }

// Concurrency is what the store of the file likes.
func (s *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](s.f.in); ok {
		return p.Concurrency()
	}
	return 1
}

// Identity is that of the file.
func (s *Store) Identity(key string) string {
	return store.JoinURL(store.Identity(s.f.in, s.f.key), key)
}

// Near says what the file is.
func (s *Store) Near() bool { return store.IsNear(s.f.obj) }

// Close gives up the file.
func (s *Store) Close() error { return s.f.Close() }

// Put refuses.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.URL(), key, store.ErrReadOnly)
}

// Delete refuses.
func (s *Store) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.URL(), key, store.ErrReadOnly)
}

// Get gives a document or a chunk.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.get(ctx, key, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), key, store.Damaged(err))
	}
	return out, info, nil
}

func (s *Store) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, store.Info{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, store.Info{}, err
	}
	if path, ok := strings.CutSuffix("/"+key, "/"+documentName); ok {
		return s.document(ctx, strings.TrimPrefix(path, "/"), r, dst)
	}
	x, err := s.chunk(ctx, key)
	if err != nil {
		return nil, store.Info{}, err
	}
	return s.f.get(ctx, x, r, dst)
}

// get reads a part of an extent.
func (f *File) get(ctx context.Context, x extent, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, err := r.Resolve(int64(x.length))
	if err != nil {
		return nil, store.Info{}, err
	}
	out, _, err := f.src.get(ctx, store.Part(int64(x.off)+off, n), dst)
	return out, store.Info{Size: int64(x.length), ETag: f.src.etag}, err
}

func (s *Store) document(ctx context.Context, path string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	n, err := s.f.find(ctx, path)
	if err != nil {
		return nil, store.Info{}, err
	}
	text, err := s.f.marshal(ctx, n)
	if err != nil {
		return nil, store.Info{}, err
	}
	dst, err = r.Append(dst, text)
	return dst, store.Info{Size: int64(len(text)), ETag: s.f.src.etag, Format: Format}, err
}

// Open holds a chunk open, or a document.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if !strings.HasSuffix("/"+key, "/"+documentName) && store.CheckKey(key) == nil && ctx.Err() == nil {
		x, err := s.chunk(ctx, key)
		if err != nil {
			return nil, store.WrapError("open", s.URL(), key, store.Damaged(err))
		}
		return &object{f: s.f, key: key, extent: x}, nil
	}
	return store.Open(ctx, documents{s}, key)
}

// documents hides that a Store is an Opener.
type documents struct{ store.Reader }

// object is a chunk held open.
type object struct {
	f   *File
	key string
	extent
}

func (o *object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.f.get(ctx, o.extent, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", o.f.url, o.key, store.Damaged(err))
	}
	return out, info, nil
}

func (o *object) Close() error { return nil }

// Near says what the file is.
func (o *object) Near() bool { return store.IsNear(o.f.obj) }

// Tag is that of the file.
func (o *object) Tag() string { return o.f.src.etag }

// Locate tells which part of which file a chunk is. Documents are made up and have
// no place.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	if strings.HasSuffix("/"+key, "/"+documentName) {
		return "", 0, 0, store.WrapError("locate", s.URL(), key, store.ErrNoPlace)
	}
	x, err := s.chunk(ctx, key)
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.URL(), key, store.Damaged(err))
	}
	url, off, _, err = store.Locate(ctx, s.f.in, s.f.key)
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.URL(), key, present(err))
	}
	return url, off + int64(x.off), int64(x.length), nil
}

// chunk finds the chunk that has a key.
func (s *Store) chunk(ctx context.Context, key string) (extent, error) {
	path, at, ok := splitChunk(key, make([]int, 0, 8))
	if !ok {
		return extent{}, store.ErrNotExist
	}
	n, err := s.f.find(ctx, path)
	if err != nil {
		return extent{}, err
	}
	if n.level == nil || len(at) != len(n.level.grid) {
		return extent{}, store.ErrNotExist
	}
	for i, count := range n.level.grid {
		if at[i] >= count {
			return extent{}, store.ErrNotExist
		}
	}
	return s.f.chunkExtent(ctx, n, at)
}

// chunkExtent finds the chunk of an array at a place in its grid.
func (f *File) chunkExtent(ctx context.Context, n node, at []int) (extent, error) {
	plane, tile := n.series.tile(n.level, at)
	l := n.level
	if l.stride != 0 {
		p := f.pages.at(int(l.pages[0]))
		x, err := f.extent(ctx, &p, tile)
		if err != nil {
			return x, err
		}
		if x.off += uint64(plane) * l.stride; !f.src.fits(x.off, x.length) {
			return extent{}, fmt.Errorf("plane %d: offset %d and length %d are out of range: the file has %d bytes", plane, x.off, x.length, f.src.size)
		}
		return x, nil
	}
	if plane >= len(l.pages) || l.pages[plane] < 0 {
		return extent{}, store.ErrNotExist
	}
	p, err := f.page(ctx, int(l.pages[plane]), l.sub)
	if err == nil {
		err = p.err
	}
	if err != nil {
		return extent{}, present(err)
	}
	if p.kind != l.kind {
		return extent{}, fmt.Errorf("IFD %d is not like the others of its image", l.pages[plane])
	}
	return f.extent(ctx, &p, tile)
}

// present makes a page or a file that should be there and is not more than a
// missing chunk, which would be read as the fill value.
func present(err error) error {
	if errors.Is(err, store.ErrNotExist) {
		return errors.New(err.Error())
	}
	return err
}

// splitChunk takes a key of a chunk apart into the path of the array and the
// place in the grid, which it appends to at.
func splitChunk(key string, at []int) (path string, place []int, ok bool) {
	rest, first := strings.CutPrefix(key, chunkPrefix+"/")
	if !first {
		if path, rest, ok = strings.Cut(key, "/"+chunkPrefix+"/"); !ok {
			return "", nil, false
		}
	}
	for part := range strings.SplitSeq(rest, "/") {
		n, ok := number(part)
		if !ok {
			return "", nil, false
		}
		at = append(at, n)
	}
	return path, at, true
}

// number reads a number as keys have it.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}
