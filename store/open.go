package store

import "context"

// Open holds the value at key open. Where s is no Opener the object asks s
// anew each time; then a missing key may show only at its first Get. The
// caller must Close the object.
func Open(ctx context.Context, s Reader, key string) (Object, error) {
	if o, ok := s.(Opener); ok {
		return o.Open(ctx, key)
	}
	if CheckKey(key) != nil {
		return nil, WrapError("open", s.URL(), key, ErrBadKey)
	}
	if err := ctx.Err(); err != nil {
		return nil, WrapError("open", s.URL(), key, err)
	}
	return keyed{s, key}, nil
}

// keyed is an object that holds nothing but its key.
type keyed struct {
	s   Reader
	key string
}

func (k keyed) Get(ctx context.Context, r Range, dst []byte) ([]byte, Info, error) {
	return k.s.Get(ctx, k.key, r, dst)
}

func (keyed) Close() error { return nil }

// Concurrency lets a store inside the object, such as an archive, ask.
func (k keyed) Concurrency() int { return concurrency(k.s) }
