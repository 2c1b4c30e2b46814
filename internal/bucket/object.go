package bucket

import (
	"context"
	"errors"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// Getter reads a range of a value, if it has the given tag, or any if that is "".
type Getter func(ctx context.Context, tag string, r store.Range, dst []byte) ([]byte, store.Info, error)

// Hold gives an object that is never a mix of two values: once the tag of the first
// answer is known, the server is asked for that value alone. wrap names the value in an
// error.
func Hold(get Getter, concurrency int, wrap func(error) error) store.Object {
	return &object{get: get, wrap: wrap, concurrency: concurrency}
}

type object struct {
	get         Getter
	wrap        func(error) error
	concurrency int

	mu  sync.Mutex
	tag string
}

// Tag is that of the value that was read first.
func (o *object) Tag() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tag
}

func (o *object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	tag := o.Tag()
	out, info, err := o.get(ctx, tag, r, dst)
	if tag != "" && (errors.Is(err, store.ErrPrecondition) || errors.Is(err, store.ErrNotExist)) {
		return dst, store.Info{}, o.wrap(store.ErrChanged)
	}
	if err != nil || info.ETag == "" {
		return out, info, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tag == "" {
		o.tag = info.ETag
	}
	if o.tag != info.ETag {
		return dst, store.Info{}, o.wrap(store.ErrChanged)
	}
	return out, info, nil
}

// Close holds nothing.
func (*object) Close() error { return nil }

// Concurrency lets a store inside the object, such as an archive, ask.
func (o *object) Concurrency() int { return o.concurrency }
