package store

import (
	"context"
	"errors"
)

// Located is a store that can say where the bytes of a value lie, so that others
// can read them without it; use Locate.
type Located interface {
	// Locate gives the URL of the file that holds the value at key, and which
	// part of it the value is; length -1 stands for the whole file. A missing key
	// is ErrNotExist, a value that is no part of a file as it is, such as a
	// compressed entry of an archive, ErrNoPlace.
	Locate(ctx context.Context, key string) (url string, off, length int64, err error)
}

// ErrNoPlace says that a value is not stored as it is in a file.
var ErrNoPlace = errors.New("value is no part of a file that others could read")

// Locate tells where the value at key lies; ErrNoPlace if the store cannot.
func Locate(ctx context.Context, s Reader, key string) (url string, off, length int64, err error) {
	if l, ok := As[Located](s); ok {
		return l.Locate(ctx, key)
	}
	return "", 0, 0, WrapError("locate", s.URL(), key, ErrNoPlace)
}

// Locate forwards.
func (r readOnly) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	return Locate(ctx, r.s, key)
}

// Locate forwards.
func (b *sub) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	k, err := b.inner("locate", key)
	if err != nil {
		return "", 0, 0, err
	}
	return Locate(ctx, b.s, k)
}
