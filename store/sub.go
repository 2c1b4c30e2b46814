package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
)

// Sub gives a store of the keys of s that lie below prefix, a key with or
// without "/" at its end; "" gives s itself. It forwards what s says of Open,
// Concurrency and Conditional, and cannot be unwrapped: the store inside has
// other keys. Its errors name the whole key in s.
func Sub(s Store, prefix string) (Store, error) {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return s, nil
	}
	if CheckKey(prefix) != nil {
		return nil, fmt.Errorf("part %q of %s: %w", prefix, s.URL(), ErrBadKey)
	}
	if outer, ok := s.(*sub); ok {
		s, prefix = outer.s, outer.prefix+prefix
	}
	return &sub{s, prefix + "/"}, nil
}

type sub struct {
	s      Store
	prefix string // ends in "/"
}

// inner gives the key in the store inside. An empty key must not name the
// folder itself; all else is left to that store's own check, which a valid
// prefix does not weaken.
func (b *sub) inner(op, key string) (string, error) {
	if key == "" || key[0] == '/' {
		return "", WrapError(op, b.URL(), key, ErrBadKey)
	}
	return b.prefix + key, nil
}

func (b *sub) Get(ctx context.Context, key string, r Range, dst []byte) ([]byte, Info, error) {
	k, err := b.inner("get", key)
	if err != nil {
		return dst, Info{}, err
	}
	return b.s.Get(ctx, k, r, dst)
}

func (b *sub) Open(ctx context.Context, key string) (Object, error) {
	k, err := b.inner("open", key)
	if err != nil {
		return nil, err
	}
	return Open(ctx, b.s, k)
}

func (b *sub) Put(ctx context.Context, key string, data []byte, opt PutOptions) (Info, error) {
	k, err := b.inner("put", key)
	if err != nil {
		return Info{}, err
	}
	return b.s.Put(ctx, k, data, opt)
}

func (b *sub) Delete(ctx context.Context, key string) error {
	k, err := b.inner("delete", key)
	if err != nil {
		return err
	}
	return b.s.Delete(ctx, k)
}

// DeleteMatch forwards, and is errors.ErrUnsupported where the store inside has no such
// thing.
func (b *sub) DeleteMatch(ctx context.Context, key, etag string) error {
	k, err := b.inner("delete", key)
	if err != nil {
		return err
	}
	if d, ok := As[MatchDeleter](b.s); ok {
		return d.DeleteMatch(ctx, k, etag)
	}
	return errors.ErrUnsupported
}

func (b *sub) List(ctx context.Context, prefix, delimiter string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := CheckList(prefix, delimiter); err != nil {
			yield(Entry{}, WrapError("list", b.URL(), prefix, err))
			return
		}
		for e, err := range b.s.List(ctx, b.prefix+prefix, delimiter) {
			e.Key = strings.TrimPrefix(e.Key, b.prefix)
			if !yield(e, err) {
				return
			}
		}
	}
}

func (b *sub) URL() string { return JoinURL(b.s.URL(), strings.TrimSuffix(b.prefix, "/")) }

func (b *sub) Concurrency() int { return concurrency(b.s) }

func (b *sub) Conditional() bool {
	c, ok := As[Conditional](b.s)
	return ok && c.Conditional()
}

// JoinURL adds a key to the URL of a store: before its query, and escaped
// where the URL has a scheme and "//".
func JoinURL(base, key string) string {
	if key == "" {
		return base
	}
	if !strings.Contains(base, "://") {
		return strings.TrimSuffix(base, "/") + "/" + key
	}
	base, query, hasQuery := strings.Cut(base, "?")
	joined := strings.TrimSuffix(base, "/") + "/" + (&url.URL{Path: key}).EscapedPath()
	if hasQuery {
		joined += "?" + query
	}
	return joined
}
