package npy

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Store shows a file as an array at its root. It cannot be written.
type Store struct {
	in       store.Store
	key, url string
	obj      store.Object
	etag     string
	document []byte
	// The elements: where they begin in the file, and how many bytes they have.
	start, length int64
	// Chunks, by axes as they lie in the file: how many there are, how far apart they
	// are in bytes, and how large one is.
	count    []int
	stride   []int64
	chunk    int64
	reversed bool // keys have the axes the other way round
}

const documentName = "zarr.json"

// place computes where chunks of a shape are.
func (s *Store) place(shape, chunk []int, size int) error {
	s.count, s.stride = make([]int, len(shape)), make([]int64, len(shape))
	bytes, ok := nd.Bytes(chunk, size)
	if !ok {
		return fmt.Errorf("header: shape %v is too large", shape)
	}
	s.chunk = int64(bytes)
	row := int64(size) // the distance of two positions
	for i := len(shape) - 1; i >= 0; i-- {
		s.count[i] = (shape[i] + chunk[i] - 1) / chunk[i]
		s.stride[i] = row * int64(chunk[i])
		row *= int64(shape[i])
	}
	return nil
}

// URL names the file.
func (s *Store) URL() string { return s.url }

// Identity is that of the file.
func (s *Store) Identity(key string) string {
	return store.JoinURL(store.Identity(s.in, s.key), key)
}

// Near says what the file is.
func (s *Store) Near() bool { return store.IsNear(s.obj) }

// Concurrency is what the store of the file likes.
func (s *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](s.in); ok {
		return p.Concurrency()
	}
	return 1
}

// Close gives up the file.
func (s *Store) Close() error { return s.obj.Close() }

// Put refuses.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.url, key, store.ErrReadOnly)
}

// Delete refuses.
func (s *Store) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.url, key, store.ErrReadOnly)
}

// Get gives the document or a chunk.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.get(ctx, key, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, store.Damaged(err))
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
	if key == documentName {
		out, err := r.Append(dst, s.document)
		return out, store.Info{Size: int64(len(s.document)), ETag: s.etag, Format: Format}, err
	}
	off, err := s.find(key)
	if err != nil {
		return nil, store.Info{}, err
	}
	from, n, err := r.Resolve(s.chunk)
	if err != nil {
		return nil, store.Info{}, err
	}
	// The last chunk reaches beyond the array, and nothing is stored there.
	there := min(max(s.length-off-from, 0), n)
	if there > 0 {
		if dst, _, err = s.obj.Get(ctx, store.Part(s.start+off+from, there), dst); errors.Is(err, store.ErrNotExist) {
			err = store.Gone("the file", err)
		}
		if err != nil {
			return nil, store.Info{}, err
		}
	}
	dst = append(dst, make([]byte, n-there)...)
	return dst, store.Info{Size: s.chunk, ETag: s.etag}, nil
}

// find gives where a chunk begins, behind the header.
func (s *Store) find(key string) (off int64, err error) {
	rest, ok := strings.CutPrefix(key, "c")
	axis := 0
	for ; ok && rest != "" && axis < len(s.count); axis++ {
		part, more, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		if ok = rest[0] == '/'; more != "" {
			more = "/" + more
		}
		rest = more
		k, err := strconv.Atoi(part)
		at := axis
		if s.reversed {
			at = len(s.count) - 1 - axis
		}
		if err != nil || k < 0 || k >= s.count[at] || strconv.Itoa(k) != part {
			return 0, store.ErrNotExist
		}
		off += int64(k) * s.stride[at]
	}
	if !ok || rest != "" || axis != len(s.count) || s.length == 0 {
		return 0, store.ErrNotExist
	}
	return off, nil
}

// Locate tells which part of the file a chunk is. The last one along an axis reaches
// beyond the array, and the document is made up: they have no place.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	at, err := s.find(key)
	if err == nil && at+s.chunk > s.length || key == documentName {
		err = store.ErrNoPlace
	}
	if err == nil {
		url, off, _, err = store.Locate(ctx, s.in, s.key)
	}
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, store.Damaged(err))
	}
	return url, off + s.start + at, s.chunk, nil
}

// List yields the keys of the chunks, and the document.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := store.CheckList(prefix, delimiter); err != nil {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, store.Damaged(err)))
			return
		}
		folder := ""
		give := func(key string, size int64) bool {
			rest, ok := strings.CutPrefix(key, prefix)
			if !ok {
				return true
			}
			if cut := strings.Index(rest, "/"); delimiter != "" && cut >= 0 {
				if name := prefix + rest[:cut+1]; name != folder {
					folder = name
					return yield(store.Entry{Key: name, IsPrefix: true}, nil)
				}
				return true
			}
			return yield(store.Entry{Key: key, Size: size}, nil)
		}
		if !slices.Contains(s.count, 0) {
			counts := slices.Clone(s.count)
			if s.reversed {
				slices.Reverse(counts)
			}
			for at := make([]int, len(counts)); ; {
				if err := ctx.Err(); err != nil {
					yield(store.Entry{}, store.WrapError("list", s.url, prefix, store.Damaged(err)))
					return
				}
				key := []byte("c")
				for _, k := range at {
					key = strconv.AppendInt(append(key, '/'), int64(k), 10)
				}
				if !give(string(key), s.chunk) {
					return
				}
				if !nd.Next(at, counts) {
					break
				}
			}
		}
		give(documentName, int64(len(s.document)))
	}
}
