package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/store"
)

// piece is how much of a value is in memory for one answer; larger ones are sent piece by
// piece.
const piece = 8 << 20

// value is one value of a store on its way to a client.
type value struct {
	o        store.Object
	gate     *gate
	info     store.Info
	modified time.Time // zero if unknown

	lent *buf.Buffer // where parts are read to
	have []byte      // the part at
	at   span
	next int64 // where a file that was just opened is read next
}

// sendValue answers a request for the value at key. An error is one that nothing was
// answered to yet.
func (s *Server) sendValue(ctx context.Context, w http.ResponseWriter, r *http.Request, from store.Reader, key string) error {
	ranges, asked, wrong := []wanted(nil), false, error(nil)
	if header := r.Header.Get("Range"); header != "" && r.Method == http.MethodGet {
		ranges, asked, wrong = parseRanges(header, s.opt.Limits.Ranges)
	}
	o, err := store.Open(ctx, from, key)
	if err != nil {
		return err
	}
	defer o.Close()
	v := &value{o: o, gate: s.work}
	defer v.free()
	if err := v.look(ctx, r, ranges); err != nil {
		return err
	}
	t := tag(v.info)
	h, kind := w.Header(), contentType(key)
	h.Set("Content-Type", kind)
	h["Accept-Ranges"] = acceptRanges
	s.cacheFor(h, t)
	if kind == typeJSON {
		h.Add("Vary", "Accept-Encoding")
	}
	if !v.modified.IsZero() {
		h.Set("Last-Modified", v.modified.UTC().Format(http.TimeFormat))
	}
	if status := unmet(r.Header, t, v.modified); status != 0 {
		h.Del("Content-Type")
		w.WriteHeader(status)
		return nil
	}
	size := v.info.Size
	if r.Method == http.MethodHead {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
		w.WriteHeader(http.StatusOK)
		return nil
	}
	if asked && sameAsBefore(r.Header.Get("If-Range"), t, v.modified) {
		spans, whole, err := []span(nil), false, wrong
		if err == nil {
			spans, whole, err = resolve(ranges, size)
		}
		if err != nil {
			h.Set("Content-Range", fmt.Sprintf("bytes */%d", size))
			return refuse(http.StatusRequestedRangeNotSatisfiable, api.WrongRequest, err.Error())
		}
		if !whole {
			return v.sendSpans(ctx, w, spans)
		}
	}
	if kind == typeJSON && size >= leastPacked && size <= piece && accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		return v.sendPacked(ctx, w, t)
	}
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	return v.send(ctx, w, http.StatusOK, span{0, size})
}

// look finds out what the value is. Where the bytes that are wanted can come with it, they
// do, so that a store far away is asked once.
func (v *value) look(ctx context.Context, r *http.Request, ranges []wanted) error {
	if f, ok := v.o.(store.FileObject); ok {
		v.info, v.modified = f.Info(), f.Modified()
		return nil
	}
	if m, ok := v.o.(*plain.Made); ok {
		leave, err := v.gate.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		v.have, v.info, err = m.Bytes(ctx)
		v.at = span{0, v.info.Size}
		return err
	}
	guess, off := store.Suffix(0), int64(0)
	if r.Method == http.MethodGet && !conditional(r.Header) {
		switch {
		case ranges == nil:
			guess = store.UpTo(piece)
		case len(ranges) > 1:
		case ranges[0].first < 0 && ranges[0].suffix <= piece:
			guess, off = store.Suffix(ranges[0].suffix), -1
		case ranges[0].last >= 0 && ranges[0].last-ranges[0].first < piece:
			guess, off = store.Part(ranges[0].first, ranges[0].last-ranges[0].first+1), ranges[0].first
		}
	}
	err := v.get(ctx, guess)
	if errors.Is(err, store.ErrRange) || errors.Is(err, store.ErrTooLarge) {
		off, err = 0, v.get(ctx, store.Suffix(0))
	}
	if err == nil && v.info.Size < 0 { // nobody knows before all of it is read
		off, err = 0, v.get(ctx, store.UpTo(maxUnknown))
		v.info.Size = int64(len(v.have))
	}
	if err != nil {
		return err
	}
	n := int64(len(v.have))
	if off < 0 {
		off = v.info.Size - n
	}
	v.at = span{off, n}
	return nil
}

// maxUnknown is the largest value whose size no one tells that is read into memory.
const maxUnknown = 64 << 20

// get reads a part into memory.
func (v *value) get(ctx context.Context, r store.Range) error {
	leave, err := v.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if v.lent == nil {
		v.lent = buf.Get(0)
	}
	was := v.info.ETag
	v.lent.B, v.info, err = v.o.Get(ctx, r, v.lent.B[:0])
	v.have = v.lent.B
	if err == nil && was != "" && was != v.info.ETag {
		err = store.ErrChanged
	}
	return err
}

func (v *value) free() {
	if v.lent != nil {
		v.lent.Free()
	}
}

// send answers with one part. What fails before the first byte is returned; behind it the
// connection is given up, so that nobody takes what has come for all.
func (v *value) send(ctx context.Context, w http.ResponseWriter, status int, s span) error {
	if _, ok := v.o.(store.FileObject); !ok && s.n > 0 {
		if err := v.reach(ctx, s); err != nil {
			return err
		}
	}
	begin(w, status, s.n > 0)
	if err := v.write(ctx, w, s); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// reach has the first bytes of a part in memory.
func (v *value) reach(ctx context.Context, s span) error {
	if s.off >= v.at.off && s.off < v.at.off+v.at.n {
		return nil
	}
	size := v.info.Size
	n := min(s.n, piece)
	v.at = span{}
	if err := v.get(ctx, store.Part(s.off, n)); err != nil {
		return err
	}
	v.info.Size, v.at = size, span{s.off, n}
	return nil
}

// leastSent is the smallest part of a file that the kernel is made to send: to ask it takes
// longer than to copy what is smaller.
const leastSent = 32 << 10

// write writes a part: files by way of the kernel.
func (v *value) write(ctx context.Context, w io.Writer, s span) error {
	if f, ok := v.o.(store.FileObject); ok {
		if s.n >= leastSent {
			return v.sendFile(w, f, s)
		}
		if v.lent == nil {
			v.lent = buf.Get(int(s.n))
		}
		var err error
		if v.lent.B, _, err = v.o.Get(ctx, store.Part(s.off, s.n), v.lent.B[:0]); err == nil {
			_, err = w.Write(v.lent.B)
		}
		return err
	}
	for s.n > 0 {
		if err := v.reach(ctx, s); err != nil {
			return err
		}
		from := s.off - v.at.off
		n, err := w.Write(v.have[from:min(from+s.n, v.at.n)])
		if err != nil {
			return err
		}
		s.off, s.n = s.off+int64(n), s.n-int64(n)
	}
	return nil
}

// sendFile copies a part of a file. The writer of net/http makes the kernel do it.
func (v *value) sendFile(w io.Writer, o store.FileObject, s span) error {
	if a, ok := w.(*answer); ok && a.conn != nil {
		if d, ok := o.(described); ok {
			if fd, ok := d.Descriptor(); ok {
				return a.sendPart(fd, s)
			}
		}
	}
	f := o.File()
	if f == nil {
		return store.ErrNotExist
	}
	if s.off != v.next {
		if _, err := f.Seek(s.off, io.SeekStart); err != nil {
			return err
		}
	}
	v.next = s.off + s.n
	for s.n > 0 {
		n, err := io.CopyN(w, f, min(s.n, patienceFor))
		if err != nil {
			return err
		}
		s.n -= n
	}
	return nil
}

// sendSpans answers 206, with several parts as multipart/byteranges.
func (v *value) sendSpans(ctx context.Context, w http.ResponseWriter, spans []span) error {
	h := w.Header()
	if len(spans) == 1 {
		h.Set("Content-Range", contentRange(spans[0], v.info.Size))
		h.Set("Content-Length", strconv.FormatInt(spans[0].n, 10))
		return v.send(ctx, w, http.StatusPartialContent, spans[0])
	}
	inner := h.Get("Content-Type")
	head := func(s span) textproto.MIMEHeader {
		return textproto.MIMEHeader{"Content-Type": {inner}, "Content-Range": {contentRange(s, v.info.Size)}}
	}
	var count counter
	mw := multipart.NewWriter(&count)
	for _, s := range spans {
		if _, err := mw.CreatePart(head(s)); err != nil {
			return err
		}
		count += counter(s.n)
	}
	boundary := mw.Boundary()
	if err := mw.Close(); err != nil {
		return err
	}
	h.Set("Content-Type", "multipart/byteranges; boundary="+boundary)
	h.Set("Content-Length", strconv.FormatInt(int64(count), 10))
	begin(w, http.StatusPartialContent, true)
	mw = multipart.NewWriter(w)
	err := mw.SetBoundary(boundary)
	for _, s := range spans {
		if err != nil {
			break
		}
		if _, err = mw.CreatePart(head(s)); err == nil {
			err = v.write(ctx, w, s)
		}
	}
	if err == nil {
		err = mw.Close()
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func contentRange(s span, size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.off, s.off+s.n-1, size)
}

// forgetValue takes back what was said of a value that is not sent.
func forgetValue(h http.Header) {
	for _, name := range []string{"ETag", "Last-Modified", "Content-Length", "Content-Type", "Accept-Ranges", "Cache-Control"} {
		h.Del(name)
	}
}

const (
	typeJSON  = "application/json"
	typeBytes = "application/octet-stream"
)

// contentType is that of a value: documents and pictures by name, all else is bytes. None
// is one that a browser would run.
func contentType(key string) string {
	switch name := path.Base(key); name {
	case ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return typeJSON
	default:
		ext := strings.ToLower(path.Ext(name))
		switch ext {
		case ".json":
			return typeJSON
		case ".tif", ".tiff":
			return "image/tiff"
		case ".png", ".jpg", ".jpeg":
			return mime.TypeByExtension(ext)
		case ".txt", ".md":
			return "text/plain; charset=utf-8"
		}
	}
	return typeBytes
}
