package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/store"
)

const (
	// maxSkip is how much is read in vain where the server ignores ranges.
	maxSkip = 64 << 20
	// maxTrust is how much memory is taken because the server declares it;
	// beyond that it must have sent as much already.
	maxTrust = 64 << 20
)

// Get appends a range of a value to dst, as store.Reader.Get promises, with as many
// requests as it takes.
func (c *Client) Get(ctx context.Context, req Request, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info := dst, store.Info{}
	err := ctx.Err()
	if err == nil {
		err = c.Retry(ctx, func(ctx context.Context) (err error) {
			out, info, err = c.try(ctx, req, r, dst)
			return err
		})
	}
	if err != nil {
		return dst, store.Info{}, err
	}
	return out, info, nil
}

// try makes one request; two where the server knows no suffixes, or refuses a range and
// does not say how large the value is.
func (c *Client) try(ctx context.Context, req Request, r store.Range, dst []byte) ([]byte, store.Info, error) {
	ask, header := r, ""
	if _, ok := r.IsAll(); !ok {
		ask, header = rangeHeader(r)
	}
	a, err := c.ask(ctx, req, header)
	if err != nil {
		return dst, store.Info{}, err
	}
	defer a.close()
	switch a.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
	default:
		return dst, store.Info{}, StatusError(&Answer{Status: a.StatusCode})
	}
	size, err := a.totalSize()
	if err != nil {
		return dst, store.Info{}, err
	}
	if a.StatusCode == http.StatusRequestedRangeNotSatisfiable && size < 0 {
		if header == firstByte {
			size = 0 // there is not even a first byte
		} else {
			a.close()
			_, info, err := c.try(ctx, req, store.Part(0, 0), nil)
			if err != nil {
				return dst, store.Info{}, err
			}
			if _, suffix := r.IsSuffix(); suffix && info.Size > 0 { // a server that knows none
				off, n, _ := r.Resolve(info.Size)
				return c.try(ctx, req, store.Part(off, n), dst)
			}
			size = info.Size
		}
	}
	info := store.Info{Size: size, ETag: c.opt.Tag(a.Header)}
	var off, n int64
	if size >= 0 {
		if off, n, err = r.Resolve(size); err != nil {
			return dst, info, err
		}
	}
	if size >= 0 && n == 0 {
		return dst, info, nil
	}
	if _, ok := r.IsSuffix(); ok && size >= 0 && a.StatusCode != http.StatusPartialContent && off > maxDrain {
		a.close()
		return c.try(ctx, req, store.Part(off, n), dst)
	}
	out := dst
	switch {
	case a.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		err = fmt.Errorf("%w: server refuses the range", store.ErrRange)
	case a.StatusCode == http.StatusPartialContent:
		out, err = a.part(ask, off, n, size, dst)
	case size < 0:
		out, info.Size, err = a.unknown(r, dst)
	default:
		out, err = a.skip(off, n, dst)
	}
	if err == io.EOF {
		err = &passing{err: fmt.Errorf("answer is cut off: %w", io.ErrUnexpectedEOF)}
	}
	return out, info, err
}

const firstByte = "bytes=0-0"

// rangeHeader gives the range to ask for. Where r means no bytes, or none that
// can be, that is the first byte: it tells how large the value is.
func rangeHeader(r store.Range) (store.Range, string) {
	if n, ok := r.IsSuffix(); ok && n > 0 {
		return r, fmt.Sprintf("bytes=-%d", n)
	}
	if off, n, ok := r.IsPart(); ok && off >= 0 && n > 0 && off <= math.MaxInt64-n {
		return r, fmt.Sprintf("bytes=%d-%d", off, off+n-1)
	}
	return store.Part(0, 1), firstByte
}

// contentRange is what a header of this name says: the first and the last byte of a
// part, and the size of the whole; each is -1 if it does not tell.
type contentRange struct{ first, last, size int64 }

// parseContentRange reads such a header; ok is false if it is none, or one of a part
// that cannot be.
func parseContentRange(v string) (r contentRange, ok bool) {
	span, total, ok := strings.Cut(strings.TrimPrefix(v, "bytes "), "/")
	if !ok {
		return r, false
	}
	number := func(text string) int64 {
		n, err := strconv.ParseUint(text, 10, 63)
		ok = ok && err == nil
		return int64(n)
	}
	r = contentRange{-1, -1, -1}
	if total != "*" {
		r.size = number(total)
	}
	if span != "*" {
		first, last, _ := strings.Cut(span, "-")
		r.first, r.last = number(first), number(last)
		// The last byte that could be counted is one behind which nothing can be.
		ok = ok && r.first <= r.last && r.last < math.MaxInt64 && (r.size < 0 || r.last < r.size)
	}
	return r, ok
}

// totalSize gives the size of the whole value, -1 if the answer does not tell. The part
// does not count here: that of an empty value has no first byte, and some write one.
func (a *answer) totalSize() (int64, error) {
	if a.StatusCode == http.StatusOK {
		return a.ContentLength, nil
	}
	v := a.Header.Get("Content-Range")
	_, total, ok := strings.Cut(v, "/")
	if !ok && a.StatusCode == http.StatusPartialContent {
		return 0, errors.New("server sends a part and does not say which")
	}
	if !ok {
		return -1, nil
	}
	r, ok := parseContentRange("*/" + total)
	if !ok {
		return 0, fmt.Errorf("server answers with the range %q", v)
	}
	return r.size, nil
}

// part reads the body of a 206. What was asked for lies at off, n bytes of
// size, unless the size is unknown.
func (a *answer) part(ask store.Range, off, n, size int64, dst []byte) ([]byte, error) {
	v := a.Header.Get("Content-Range")
	r, ok := parseContentRange(v)
	if !ok || r.first < 0 {
		return dst, &passing{err: fmt.Errorf("server answers with the range %q", v)}
	}
	got := r.last - r.first + 1
	if size < 0 {
		wantOff, wantLen, ok := ask.IsPart()
		if !ok { // a suffix: what came ends where the value does
			wantLen, _ = ask.IsSuffix()
			wantLen = min(wantLen, got)
			wantOff = r.last + 1 - wantLen
		}
		off, n = wantOff, wantLen
	}
	if r.first > off || r.last < off+n-1 {
		return dst, &passing{err: fmt.Errorf("server answers with the range %q, without bytes %d to %d", v, off, off+n-1)}
	}
	if a.ContentLength >= 0 && a.ContentLength != got {
		return dst, &passing{err: fmt.Errorf("server declares %d bytes for the range %q", a.ContentLength, v)}
	}
	return a.skip(off-r.first, n, dst)
}

// skip leaves out the first bytes of the body and appends n to dst.
func (a *answer) skip(first, n int64, dst []byte) ([]byte, error) {
	if err := a.discard(first); err != nil {
		return dst, err
	}
	out, start := dst, len(dst)
	for n > 0 {
		// The first time this is all, unless it is a lot.
		more := n
		if n > int64(cap(out)-len(out)) {
			more = min(n, max(maxTrust, int64(len(out)-start)))
		}
		have := len(out)
		out = buf.Extend(out, int(more))
		if err := a.read(out[have:]); err != nil {
			return dst, err
		}
		n -= more
	}
	return out, nil
}

func (a *answer) discard(n int64) error {
	if n > maxSkip {
		return fmt.Errorf("server ignores ranges, and %d bytes lie before the wanted ones", n)
	}
	buf := make([]byte, min(n, 64<<10))
	for n > 0 {
		b := buf[:min(n, int64(len(buf)))]
		if err := a.read(b); err != nil {
			return err
		}
		n -= int64(len(b))
	}
	return nil
}

// unknown reads a whole value of which the server does not say the size, and
// appends what r means of it.
func (a *answer) unknown(r store.Range, dst []byte) ([]byte, int64, error) {
	limit, whole := r.IsAll()
	if !whole {
		limit = maxSkip
		if off, n, ok := r.IsPart(); ok && off >= 0 && n > 0 && off <= maxSkip && n <= math.MaxInt64-off {
			out, err := a.skip(off, n, dst)
			if err == io.EOF {
				err = fmt.Errorf("value ends before byte %d: %w", off+n, store.ErrRange)
			}
			return out, -1, err
		} else if ok && off > maxSkip {
			return dst, -1, a.past(off, limit)
		}
	}
	body := dst
	if !whole {
		body = nil
	}
	start := len(body)
	var one [1]byte
	for {
		if limit >= 0 && int64(len(body)-start) > limit {
			if whole {
				return dst, -1, fmt.Errorf("more than %d bytes: %w", limit, store.ErrTooLarge)
			}
			return dst, -1, tooFar(limit)
		}
		var n int
		var err error
		if len(body) < cap(body) {
			n, err = a.some(body[len(body):cap(body)])
			body = body[:len(body)+n]
		} else { // no more memory before there is more to put there
			n, err = a.some(one[:])
			body = append(body, one[:n]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return dst, -1, a.broken(err)
		}
	}
	size := int64(len(body) - start)
	off, n, err := r.Resolve(size)
	if err != nil || whole {
		if err != nil {
			body = dst
		}
		return body, size, err
	}
	return append(dst, body[off:off+n]...), size, nil
}

// past says why there is no byte at off, which lies behind all that would be read: nothing
// of that is kept.
func (a *answer) past(off, limit int64) error {
	buf := make([]byte, 32<<10)
	for size := int64(0); size <= limit; {
		n, err := a.some(buf)
		if size += int64(n); err == io.EOF {
			return fmt.Errorf("value ends before byte %d: %w", off, store.ErrRange)
		}
		if err != nil {
			return a.broken(err)
		}
	}
	return tooFar(limit)
}

// tooFar is what is said of values whose end is not looked for.
func tooFar(limit int64) error {
	return fmt.Errorf("server ignores ranges and does not declare the size, more than %d bytes are not read", limit)
}
