package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/zip"
)

// writable opens the store of a source for changes, once.
func (s *Server) writable(ctx context.Context, src *source.Source) (store.Store, error) {
	held, err := s.changing.Lock(ctx, src.Name()) // no key's name, which has a slash
	if err != nil {
		return nil, err
	}
	defer held.Unlock()
	s.mu.Lock()
	st, ok := s.open[src]
	u, known := s.urls[src]
	s.mu.Unlock()
	if ok {
		return st, nil
	}
	fixed := func(why string) error {
		return refuse(http.StatusForbidden, api.Forbidden, fmt.Sprintf("source %s cannot be changed: %s", src.Name(), why))
	}
	n, err := src.Node(ctx, "/")
	if err != nil {
		return nil, err
	}
	if !known || !strings.HasPrefix(n.Format(), "zarr") {
		return nil, fixed("it is no Zarr hierarchy in a folder")
	}
	l, err := locate.Open(ctx, u, locate.Options{AllowFile: true})
	if err != nil {
		return nil, err
	}
	if _, packed := store.As[*zip.Store](l.Store); packed || l.File {
		return nil, errors.Join(fixed("it is a file"), l.Discard())
	}
	if st, err = store.Sub(l.Store, l.Path); err != nil {
		return nil, errors.Join(err, l.Discard())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[src] = st
	s.closers = append(s.closers, l.Close)
	return st, nil
}

// change puts or deletes a value, wholly or not at all. ETags of conditions are those of
// values as they are stored, which /files gives, and /zarr and /zarr2 where chunks pass as they are.
func (s *Server) change(w http.ResponseWriter, r *http.Request, src *source.Source, t target) error {
	ctx := r.Context()
	if t.key == "" || t.folder || t.codecs != "" || t.pyramid {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		return refuse(http.StatusMethodNotAllowed, api.WrongRequest, "only single keys below /zarr, /zarr2 and /files, without options, can be changed")
	}
	for name := range strings.SplitSeq(t.key, "/") {
		if strings.HasPrefix(name, ".omnizarr") {
			return refuse(http.StatusForbidden, api.Forbidden, "names that begin with .omnizarr are not for others")
		}
	}
	st, err := s.writable(ctx, src)
	if err != nil {
		return err
	}
	if t.form != PathFiles {
		if err := s.asStored(ctx, src, st, t); err != nil {
			return err
		}
	}
	held, err := s.changing.Lock(ctx, src.Name()+"/"+t.key)
	if err != nil {
		return err
	}
	defer held.Unlock()
	_, info, err := st.Get(ctx, t.key, store.Suffix(0), nil)
	there := err == nil
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		return err
	}
	var opt store.PutOptions
	opt.Flush = true
	if list := r.Header.Get("If-None-Match"); list != "" {
		if there && (list == "*" || named(list, tag(info), true)) {
			return precondition()
		}
		opt.IfAbsent = list == "*"
	}
	if list := r.Header.Get("If-Match"); list != "" {
		if !there || !matches(list, tag(info)) {
			return precondition()
		}
		opt.IfMatch = info.ETag
	}
	if r.Method == http.MethodDelete {
		if err := st.Delete(ctx, t.key); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	data, err := s.body(w, r)
	if err != nil {
		return err
	}
	if err := plain.CheckDocument(t.key, data); err != nil {
		return refuse(http.StatusBadRequest, api.WrongRequest, fmt.Sprintf("%s is no document that could be read again: %v", t.key, err))
	}
	info, err = st.Put(ctx, t.key, data, opt)
	if errors.Is(err, store.ErrPrecondition) {
		return precondition()
	}
	if err != nil {
		return err
	}
	if at := tag(info); at != "" {
		w.Header().Set("ETag", at)
	}
	status := http.StatusCreated
	if there {
		status = http.StatusNoContent
	}
	w.WriteHeader(status)
	return nil
}

func precondition() error {
	return refuse(http.StatusPreconditionFailed, api.WrongRequest, "the value is not what the request says: nothing was changed")
}

// body reads what is put, all of it. A client that sends nothing for long is left, and one
// that sends less than it has announced changes nothing.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	most := s.opt.Limits.Body
	large := refuse(http.StatusRequestEntityTooLarge, api.TooLarge, fmt.Sprintf("a value may have %d bytes", most))
	if r.ContentLength > most {
		return nil, large
	}
	leave, err := s.work.enter(r.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	var out bytes.Buffer
	in := http.MaxBytesReader(w, r.Body, most)
	control := http.NewResponseController(w)
	for {
		_ = control.SetReadDeadline(time.Now().Add(s.opt.Limits.Patience)) // a writer of tests has no clock
		n, err := io.CopyN(&out, in, 1<<20)
		var over *http.MaxBytesError
		switch {
		case errors.As(err, &over):
			return nil, large
		case err == io.EOF:
			return out.Bytes(), nil
		case err != nil:
			return nil, refuse(http.StatusBadRequest, api.WrongRequest, fmt.Sprintf("the value broke off after %d bytes: nothing was changed", int64(out.Len())+n))
		}
	}
}

// asStored refuses to change keys of an array whose chunks clients see otherwise than they
// are stored: what they put would be taken for something else.
func (s *Server) asStored(ctx context.Context, src *source.Source, st store.Store, t target) error {
	view, err := s.view(ctx, src, target{form: t.form, name: t.name})
	if err != nil {
		return err
	}
	version := 3
	if t.form == Path2 {
		version = 2
	}
	for at := path.Dir(t.key); ; at = path.Dir(at) {
		for _, name := range plain.Owners(version) {
			key := path.Join(at, name)
			stored, _, err := st.Get(ctx, key, store.UpTo(piece), nil)
			if errors.Is(err, store.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			seen, _, err := view.Get(ctx, key, store.UpTo(piece), nil)
			if err != nil && !errors.Is(err, store.ErrNotExist) {
				return err
			}
			if err == nil && plain.Layout(key, stored) != plain.Layout(key, seen) {
				return refuse(http.StatusForbidden, api.Forbidden, "chunks of this array are stored otherwise than they are shown here: /files/"+t.name+" has them as they are stored")
			}
			return nil
		}
		if at == "." {
			return refuse(http.StatusForbidden, api.Forbidden, fmt.Sprintf("only what is stored as Zarr v%d can be changed below %s: /files/%s has the keys as they are stored", version, t.form, t.name))
		}
	}
}
