package pad

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
)

// shifted is a source without its padding: ranges are moved, and what they give
// is passed on as it is.
type shifted struct {
	filter *filter
	src    codec.Source
}

// Near passes on what the source is.
func (s *shifted) Near() bool {
	_, memory := s.src.(*codec.Memory)
	return memory || store.IsNear(s.src)
}

// Get appends the bytes in r of the data.
func (s *shifted) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.get(ctx, r, dst)
	if err != nil {
		return dst, store.Info{Size: -1}, s.name(err)
	}
	return out, info, nil
}

// name says in which codec there were too few bytes: the one that asked for them
// knows nothing of padding.
func (s *shifted) name(err error) error {
	var known *store.KeyError
	switch {
	case errors.Is(err, codec.ErrData):
	case errors.Is(err, store.ErrRange) && errors.As(err, &known):
		err = known.Err // whoever reads the chunk names it
	case !errors.Is(err, store.ErrRange):
		return err
	}
	return &codec.Error{Codec: s.filter.Name(), Err: err}
}

func (s *shifted) get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	start := s.filter.Location == Start
	if limit, ok := r.IsAll(); ok {
		if start {
			return s.allBehind(ctx, limit, dst)
		}
		return s.allBefore(ctx, widen(r, int64(s.filter.NBytes)), dst)
	}
	if n, ok := r.IsSuffix(); ok {
		if start {
			return s.suffixBehind(ctx, n, dst)
		}
		return s.allBefore(ctx, widen(r, int64(s.filter.NBytes)), dst)
	}
	if start {
		return s.partBehind(ctx, r, dst)
	}
	return s.partBefore(ctx, r, dst)
}

// widen gives the range that also has the padding: as much more of the end, or
// of what is allowed.
func widen(r store.Range, padding int64) store.Range {
	if n, ok := r.IsSuffix(); ok {
		return store.Suffix(add(max(n, 0), padding))
	}
	if limit, _ := r.IsAll(); limit >= 0 {
		return store.UpTo(add(limit, padding))
	}
	return r
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// decoded is what is known of the data from what is known of the whole.
func (s *shifted) decoded(info store.Info) (store.Info, error) {
	if info.Size < 0 {
		return info, nil
	}
	n := info.Size - int64(s.filter.NBytes)
	if n < 0 {
		return info, s.filter.short(info.Size)
	}
	info.Size = n
	return info, nil
}

// partBehind gets a part of data that stands behind the padding.
func (s *shifted) partBehind(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, _ := r.IsPart()
	if off < 0 || n < 0 || off > math.MaxInt64-int64(s.filter.NBytes)-n {
		return nil, store.Info{}, fmt.Errorf("%d bytes at %d: %w", n, off, store.ErrRange)
	}
	out, info, err := s.src.Get(ctx, store.Part(off+int64(s.filter.NBytes), n), dst)
	if err != nil {
		return nil, info, err
	}
	info, err = s.decoded(info)
	return out, info, err
}

// partBefore gets a part of data that stands before the padding. It must not
// reach into it, which the size of the whole tells.
func (s *shifted) partBefore(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.src.Get(ctx, r, dst)
	if err != nil {
		return nil, info, err
	}
	if info.Size < 0 && s.filter.NBytes > 0 {
		// The source does not say how large it is: it must go on for as long as
		// the padding is.
		off, n, _ := r.IsPart()
		_, _, err := s.src.Get(ctx, store.Part(add(off+n, int64(s.filter.NBytes)-1), 1), nil)
		return out, info, err
	}
	if info, err = s.decoded(info); err == nil && info.Size >= 0 {
		_, _, err = r.Resolve(info.Size)
	}
	return out, info, err
}

// allBefore gets the end, or all, of data that stands before the padding, by a
// range that has the padding too.
func (s *shifted) allBefore(ctx context.Context, wide store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.src.Get(ctx, wide, dst)
	if err != nil {
		return nil, info, err
	}
	got := len(out) - len(dst)
	if got < s.filter.NBytes {
		return nil, info, s.filter.short(int64(got))
	}
	info, err = s.decoded(info)
	return out[:len(out)-s.filter.NBytes], info, err
}

// allBehind gets all of data that stands behind the padding.
func (s *shifted) allBehind(ctx context.Context, limit int64, dst []byte) ([]byte, store.Info, error) {
	if n := int64(s.filter.in.N); s.filter.in.Exact && (limit < 0 || n <= limit) {
		out, info, err := s.partBehind(ctx, store.Part(0, n), dst)
		if err == nil && info.Size >= 0 && info.Size != n {
			err = codec.Bad("got %d bytes, want %d", info.Size, n)
		}
		return out, info, codec.RangeError(err)
	}
	r := store.All()
	if limit >= 0 {
		r = store.UpTo(limit)
	}
	out, info, err := s.src.Get(ctx, widen(r, int64(s.filter.NBytes)), dst)
	if err != nil {
		return nil, info, err
	}
	return s.cut(out, len(dst), s.filter.NBytes, info)
}

// suffixBehind gets the end of data that stands behind the padding: the end of
// the whole, unless the data is shorter.
func (s *shifted) suffixBehind(ctx context.Context, n int64, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.src.Get(ctx, store.Suffix(n), dst)
	if err != nil {
		return nil, info, err
	}
	padding, got := int64(s.filter.NBytes), int64(len(out)-len(dst))
	switch {
	case info.Size < 0 && got == n && padding > 0:
		// The source does not say how large it is, and the padding may be in
		// what it gave.
		wide := store.Suffix(add(n, padding))
		if out, info, err = s.src.Get(ctx, wide, dst); err != nil {
			return nil, info, err
		}
		return s.cut(out, len(dst), int(padding), info)
	case info.Size < 0:
		info.Size = got // all of it
	}
	size := info.Size - padding
	if size < 0 {
		return nil, info, s.filter.short(info.Size)
	}
	return s.cut(out, len(dst), int(max(got-size, 0)), info)
}

// cut takes n bytes of padding out of what stands behind at.
func (s *shifted) cut(out []byte, at, n int, info store.Info) ([]byte, store.Info, error) {
	if got := len(out) - at; got < n {
		return nil, info, s.filter.short(int64(got))
	}
	copy(out[at:], out[at+n:])
	info, err := s.decoded(info)
	return out[:len(out)-n], info, err
}
