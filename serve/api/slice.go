package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/nd"
)

// mostSliced is how many bytes of elements are given at once, and mostText how many
// bytes of JSON or of comma-separated values may become of them.
const (
	mostSliced = 16 << 20
	mostText   = 64 << 20
)

// forms are how elements are given, with what the answer is of.
var forms = map[string]string{"json": "application/json", "csv": "text/csv; charset=utf-8", "npy": "application/octet-stream", "raw": "application/octet-stream"}

// slice gives elements of an array.
func (s *server) slice(r *request) error {
	sp, a, err := r.array()
	if err != nil {
		return err
	}
	as := r.text("as")
	if as == "" {
		as = "json"
	}
	contentType, ok := forms[as]
	if !ok {
		return wrong("as=%s: must be json, csv, npy or raw", short(as))
	}
	sel, shape, err := s.selection(r.Context(), a, r.text("slice"), r.has("exact"))
	if err != nil {
		return sp.fail(err)
	}
	if n, ok := nd.Bytes(shape, a.DataType().Size()); !ok || n > mostSliced {
		return sp.fail(tooLarge("%s of %s are more than %s", words.Times(shape), kind.TypeWords(a.DataType()), words.Bytes(mostSliced)).hint("ask for smaller parts with slice="))
	}
	h := r.w.Header()
	h.Set("X-Shape", strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]"))
	h.Set("X-Data-Type", kind.TypeWords(a.DataType()))
	var told []elements.Option
	if r.has("plain") {
		told = append(told, elements.Plain())
	}
	if o := sp.subject.Object; o != nil && o.Elements() != nil && o.Elements().Kind == convention.Bytes {
		told = append(told, elements.Readable())
	}
	limited := &limited{most: mostText}
	out := bufio.NewWriter(limited)
	err = elements.Write(r.Context(), out, as, a, sel, told...)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return sp.fail(err)
	}
	if as == "csv" || as == "npy" {
		name := strings.Trim(path.Base(sp.path), "/")
		if name == "" {
			name = sp.source.Name()
		}
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + "." + as}))
	}
	// Chunks may change while documents do not, so that the elements tell.
	if r.known(tagOf(limited.Bytes())) {
		return nil
	}
	return r.send(contentType, limited.Bytes())
}

// limited is memory that takes so many bytes.
type limited struct {
	bytes.Buffer
	most int
}

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > l.most {
		return 0, tooLarge("it is more than %s of text", words.Bytes(float64(l.most))).hint("ask for smaller parts with slice=, or with as=raw")
	}
	return l.Buffer.Write(b)
}

// selection reads a slice as the command does, and tells what shape it has.
func (s *server) selection(ctx context.Context, a *zarr.Array, text string, exact bool) (zarr.Selection, []int, error) {
	if len(text) > 10_000 {
		return nil, nil, wrong("slice: longer than 10,000 characters")
	}
	opts := []coordinates.Option{coordinates.Also(s.kinds.Coordinates()...)}
	if exact {
		opts = append(opts, coordinates.Exact())
	}
	sel, err := coordinates.Select(ctx, a, text, opts...)
	if err != nil {
		return nil, nil, badSlice(err)
	}
	shape, err := a.ResultShape(sel)
	if err != nil {
		return nil, nil, badSlice(err)
	}
	return sel, shape, nil
}

// badSlice is an error of a selection, which is the client's unless coordinates could not
// be read.
func badSlice(err error) error {
	if status, _, _ := classify(err); status == http.StatusBadGateway && !errors.Is(err, zarr.ErrData) {
		return wrong("%v", err)
	}
	return err
}

// position tells which indices values of coordinates stand for.
func (s *server) position(r *request) error {
	sp, err := r.spot()
	if err != nil {
		return err
	}
	a, ok := sp.node.(*zarr.Array)
	if m := s.multiscales(sp.node); !ok && m != nil {
		finest, err := open(r.Context(), sp.source, path.Join(sp.path, m.Levels[0].Path))
		if err != nil {
			return err
		}
		a, ok = finest.node.(*zarr.Array)
	}
	if !ok {
		return sp.fail(unsupported("%s is a group, and no image", sp.path))
	}
	sel, _, err := s.selection(r.Context(), a, r.text("select"), false)
	if err != nil {
		return sp.fail(err)
	}
	axes, err := zarr.Resolve(sel, a.Shape())
	if err != nil {
		return sp.fail(err)
	}
	out := struct {
		Positions []*int `json:"positions"`
	}{make([]*int, len(axes))}
	for i, p := range axes {
		if p.Count > 0 && p.Along < 0 || p.Count < a.Shape()[i] && p.Count > 0 {
			at := p.At(0)
			out.Positions[i] = &at
		}
	}
	return r.json(out)
}
