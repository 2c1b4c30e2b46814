package refs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// Files opens the files that a manifest names. It decides which of them may be
// opened at all, and must refuse the others without touching them.
type Files interface {
	// Open holds the file of a reference open. Many parts of the same file may
	// be open at once.
	Open(ctx context.Context, r Reference) (store.Object, error)
	// Resolve gives the URL of a file that is named relative to the manifest.
	Resolve(ctx context.Context, url string) (string, error)
}

// Config says what a Store is made of.
type Config struct {
	// Inner has all values that the manifest does not have.
	Inner store.Store
	// Prefix is what the keys of the manifest lie below: "", or ends in "/".
	Prefix string
	// Load reads the manifest, when the first value is asked for.
	Load func(ctx context.Context) (*Manifest, error)
	// Own reports which keys below the prefix are those of Inner, also if the
	// manifest has them; nil means none.
	Own func(key string) bool
	// Hidden is a key below the prefix that is not shown: that of the manifest.
	Hidden string
	Files  Files
}

// Store gives the values that a manifest refers to, and those of a store inside.
// It cannot be written. Its methods may be called by several goroutines.
type Store struct {
	c Config

	mu sync.Mutex // held while the manifest is read
	m  *Manifest
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Opener   = (*Store)(nil)
	_ store.Parallel = (*Store)(nil)
	_ store.Located  = (*Store)(nil)
)

// New gives the store; nothing is read yet.
func New(c Config) *Store { return &Store{c: c} }

// ErrWrite says why a store of references takes no values.
var ErrWrite = fmt.Errorf("its chunks are references to other files: %w", store.ErrReadOnly)

// URL is that of the store inside.
func (s *Store) URL() string { return s.c.Inner.URL() }

// Identity is that of the store inside.
func (s *Store) Identity(key string) string { return store.Identity(s.c.Inner, key) }

// Concurrency is what the store inside likes.
func (s *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](s.c.Inner); ok {
		return p.Concurrency()
	}
	return 1
}

// Put refuses.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.URL(), key, ErrWrite)
}

// Delete refuses.
func (s *Store) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.URL(), key, ErrWrite)
}

// manifest reads the manifest the first time. A failure is not remembered.
func (s *Store) manifest(ctx context.Context) (*Manifest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		m, err := s.c.Load(ctx)
		if err != nil {
			return nil, present(err)
		}
		s.m = m
	}
	return s.m, nil
}

// present makes a file or manifest that is gone an error of its own: it does not
// mean that a value is missing.
func present(err error) error {
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrRange) {
		return errors.New(err.Error())
	}
	return err
}

// find gives the reference of a key, if the manifest has it.
func (s *Store) find(ctx context.Context, key string) (r Reference, ok bool, err error) {
	if err := store.CheckKey(key); err != nil {
		return r, false, err
	}
	if err := ctx.Err(); err != nil {
		return r, false, err
	}
	below, ok := strings.CutPrefix(key, s.c.Prefix)
	if !ok || s.c.Own != nil && s.c.Own(below) {
		return r, false, nil
	}
	if below == s.c.Hidden && below != "" {
		return r, false, store.ErrNotExist
	}
	m, err := s.manifest(ctx)
	if err != nil {
		return r, false, err
	}
	r, ok = m.Find(below)
	return r, ok, nil
}

// Get gives a value, or the part of it that is asked for.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	ref, ok, err := s.find(ctx, key)
	if err == nil && !ok {
		return s.c.Inner.Get(ctx, key, r, dst)
	}
	out, info := dst, store.Info{}
	if err == nil {
		var o object
		if o, err = s.object(ctx, ref); err == nil {
			out, info, err = o.get(ctx, r, dst)
			err = errors.Join(err, o.Close())
		}
	}
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), key, err)
	}
	return out, info, nil
}

// Open holds the file that has a value open.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	ref, ok, err := s.find(ctx, key)
	if err == nil && !ok {
		return store.Open(ctx, s.c.Inner, key)
	}
	var o object
	if err == nil {
		o, err = s.object(ctx, ref)
	}
	if err != nil {
		return nil, store.WrapError("open", s.URL(), key, err)
	}
	o.key = key
	return &o, nil
}

// object opens what a reference refers to.
func (s *Store) object(ctx context.Context, ref Reference) (object, error) {
	o := object{url: s.URL(), ref: ref}
	if ref.URL == "" {
		return o, nil
	}
	file, err := s.c.Files.Open(ctx, ref)
	if err != nil {
		return o, inFile(ref, err)
	}
	o.file = file
	return o, nil
}

// object is a value held open.
type object struct {
	url, key string
	ref      Reference
	file     store.Object // nil if the manifest has the value
}

// inFile names the file in an error about it.
func inFile(ref Reference, err error) error {
	var known *store.KeyError
	if errors.As(err, &known) {
		err = known.Err
	}
	return fmt.Errorf("reference to %s: %w", ref.URL, present(err))
}

func (o *object) get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if o.file == nil {
		if err := ctx.Err(); err != nil {
			return dst, store.Info{}, err
		}
		off, n, err := r.Resolve(int64(len(o.ref.Data)))
		if err != nil {
			return dst, store.Info{}, err
		}
		return append(dst, o.ref.Data[off:off+n]...), store.Info{Size: int64(len(o.ref.Data))}, nil
	}
	if o.ref.Length < 0 {
		out, info, err := o.file.Get(ctx, r, dst)
		if err != nil {
			// What is asked for of a whole file may well be outside of it.
			if errors.Is(err, store.ErrRange) {
				return dst, store.Info{}, store.ErrRange
			}
			return dst, store.Info{}, inFile(o.ref, err)
		}
		info.Format = ""
		return out, info, nil
	}
	off, n, err := r.Resolve(o.ref.Length)
	if err != nil {
		return dst, store.Info{}, err
	}
	out, info, err := o.file.Get(ctx, store.Part(o.ref.Offset+off, n), dst)
	if err != nil {
		return dst, store.Info{}, inFile(o.ref, err)
	}
	return out, store.Info{Size: o.ref.Length, ETag: info.ETag}, nil
}

// Get gives a part of the value.
func (o *object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.get(ctx, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", o.url, o.key, err)
	}
	return out, info, nil
}

// Close gives up the file.
func (o *object) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// Tag is that of the file.
func (o *object) Tag() string {
	if o.file == nil {
		return ""
	}
	return store.Tag(o.file)
}

// Near says what the file is.
func (o *object) Near() bool { return o.file == nil || store.IsNear(o.file) }

// Locate tells where a value lies. One that the manifest has itself lies nowhere
// else.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	ref, ok, err := s.find(ctx, key)
	switch {
	case err == nil && !ok:
		return store.Locate(ctx, s.c.Inner, key)
	case err == nil && ref.URL == "":
		err = store.ErrNoPlace
	case err == nil:
		url, err = s.c.Files.Resolve(ctx, ref.URL)
	}
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.URL(), key, err)
	}
	return url, ref.Offset, ref.Length, nil
}

// List yields the keys of the manifest among those of the store inside. Where
// that cannot list, keys of the manifest are all there is.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		fail := func(err error) { yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, err)) }
		if err := store.CheckList(prefix, delimiter); err != nil {
			fail(err)
			return
		}
		inside := strings.HasPrefix(prefix, s.c.Prefix)
		if !inside && (delimiter != "" || !strings.HasPrefix(s.c.Prefix, prefix)) {
			s.c.Inner.List(ctx, prefix, delimiter)(yield) // the manifest has nothing to add
			return
		}
		if err := ctx.Err(); err != nil {
			fail(err)
			return
		}
		m, err := s.manifest(ctx)
		if err != nil {
			fail(err)
			return
		}
		next, stop := iter.Pull(s.listed(m, prefix, delimiter))
		defer stop()
		ref, more := next()
		for e, err := range s.c.Inner.List(ctx, prefix, delimiter) {
			if inside && errors.Is(err, store.ErrNoList) {
				break
			}
			if err != nil {
				yield(e, err)
				return
			}
			if below, ok := strings.CutPrefix(e.Key, s.c.Prefix); ok && below == s.c.Hidden {
				continue
			}
			for more && ref.Key < e.Key {
				if !yield(ref, nil) {
					return
				}
				ref, more = next()
			}
			if more && ref.Key == e.Key {
				e = ref
				ref, more = next()
			}
			if !yield(e, nil) {
				return
			}
		}
		for ; more; ref, more = next() {
			if err := ctx.Err(); err != nil {
				fail(err)
				return
			}
			if !yield(ref, nil) {
				return
			}
		}
	}
}

// listed yields the entries of the manifest below a prefix.
func (s *Store) listed(m *Manifest, prefix, delimiter string) iter.Seq[store.Entry] {
	return func(yield func(store.Entry) bool) {
		below, ok := strings.CutPrefix(prefix, s.c.Prefix)
		if !ok {
			below = ""
		}
		i, _ := m.search(below)
		for i < m.Len() {
			key := string(m.key(i))
			if !strings.HasPrefix(key, below) {
				return
			}
			if s.c.Own != nil && s.c.Own(key) || key == s.c.Hidden {
				i++
				continue
			}
			e := store.Entry{Key: s.c.Prefix + key, Size: m.entries[i].length}
			i++
			if name, _, folder := strings.Cut(key[len(below):], "/"); folder && delimiter == "/" {
				e = store.Entry{Key: s.c.Prefix + below + name + "/", IsPrefix: true}
				i, _ = m.search(below + name + "0") // "0" follows "/"
			}
			if !yield(e) {
				return
			}
		}
	}
}
