package gcs

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// errGone says that the service has lost an upload that was begun.
var errGone = errors.New("the server gave the upload up, and what it had of it is lost")

// again sends a value that is in memory in pieces, and from the start where the service
// gave that up.
func (u *upload) again(ctx context.Context, data []byte) (info store.Info, err error) {
	for range 3 {
		info, err = u.pieces(ctx, func(n int) ([]byte, bool, error) {
			from := n * u.s.piece
			to := min(from+u.s.piece, len(data))
			return data[from:to], to == len(data), nil
		})
		if !errors.Is(err, errGone) {
			break
		}
	}
	return info, err
}

// pieces sends a value piece by piece; nothing of it shows before the last one. next gives
// the pieces, of which only the one given last must stay.
func (u *upload) pieces(ctx context.Context, next func(n int) (piece []byte, last bool, err error)) (store.Info, error) {
	t := &transfer{s: u.s}
	if err := t.begin(ctx, u); err != nil {
		return store.Info{}, err
	}
	for n := 0; ; n++ {
		piece, last, err := next(n)
		if err != nil {
			return store.Info{}, err
		}
		t.sum = crc32.Update(t.sum, castagnoli, piece)
		end := t.sent + int64(len(piece))
		err = t.send(ctx, piece, last)
		switch {
		case last && errors.Is(err, errGone):
			// It may be done, and forgotten how.
			if o, failed := u.about(ctx); failed == nil && o.size() == end && o.CRC32C == checksum(t.sum) {
				return o.info(), nil
			}
			return store.Info{}, err
		case err != nil:
			return store.Info{}, err
		case last:
			info, err := stored(t.answer, end, checksum(t.sum))
			if remote.IsPassing(err) {
				err = errGone // what is stored is wrong, and only all of it anew can help
			}
			return info, err
		}
	}
}

// transfer is a resumable upload.
type transfer struct {
	s      *Store
	to     url.URL
	sent   int64  // bytes that the service has
	sum    uint32 // of them
	answer []byte // to the last piece, nil before
}

// begin asks for a place to send the pieces to. It must be on the same server.
func (t *transfer) begin(ctx context.Context, u *upload) error {
	about := u.head("")
	a, err := t.s.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := u.request(ctx, "resumable")
		if err == nil {
			r.Header.Set("Content-Type", "application/json; charset=UTF-8")
			r.Header.Set("X-Upload-Content-Type", "application/octet-stream")
			body(r, about)
		}
		return r, err
	}, maxAnswer)
	if err != nil {
		return err
	}
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || to.Path == "" {
		return errors.New("server does not say where to send the pieces")
	}
	t.to = t.s.api
	t.to.Path, t.to.RawPath, t.to.RawQuery = to.Path, to.RawPath, to.RawQuery
	return nil
}

// send gives the service a piece that begins where the one before ended. Where an answer
// is lost the service is asked how much it has.
func (t *transfer) send(ctx context.Context, piece []byte, last bool) error {
	from, sure := t.sent, true
	to := from + int64(len(piece))
	total := "*"
	if last {
		total = strconv.FormatInt(to, 10)
	}
	return t.s.client.Retry(ctx, func(ctx context.Context) error {
		for t.answer == nil && (t.sent < to || last) {
			spans, rest := fmt.Sprintf("bytes %d-%d/%s", t.sent, to-1, total), piece[t.sent-from:]
			if !sure || t.sent == to {
				spans, rest = "bytes */"+total, nil
			}
			asked := !sure
			sure = false
			had := t.sent
			if err := t.put(ctx, spans, rest); err != nil {
				return err
			}
			sure = true
			if t.answer == nil && (t.sent < from || t.sent > to) || t.answer != nil && !last {
				return errGone
			}
			if t.answer == nil && !asked && t.sent == had {
				return remote.Passing(errors.New("server takes nothing of the upload"), 0)
			}
		}
		return nil
	})
}

// put sends bytes, or asks how far the upload is.
func (t *transfer) put(ctx context.Context, spans string, data []byte) error {
	a, err := t.s.client.Once(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := t.s.request(ctx, http.MethodPut, "", "", "")
		if err == nil {
			to := t.to
			r.URL = &to
			r.Header.Set("Content-Range", spans)
			body(r, data)
		}
		return r, err
	}, maxAnswer)
	var more incomplete
	switch {
	case errors.As(err, &more):
		t.sent = 0
		if _, last, ok := strings.Cut(more.header.Get("Range"), "-"); ok {
			n, err := strconv.ParseInt(last, 10, 64)
			if err != nil {
				return errors.New("server does not say how far the upload is")
			}
			t.sent = n + 1
		}
		return nil
	case errors.Is(err, store.ErrNotExist):
		return errGone
	case err == nil:
		t.answer = a.Body
		if len(t.answer) == 0 {
			t.answer = []byte("{}")
		}
	}
	return err
}
