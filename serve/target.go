package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
)

// target is what an address below /zarr, /zarr2 or /files names.
type target struct {
	form    string // "/zarr", "/zarr2" or "/files"
	codecs  string // as ?codecs asks, "" for none in particular
	pyramid bool
	name    string // of the source, "" for the list of them
	key     string // "" for the root
	folder  bool   // the address ends in a slash
}

// parseTarget reads an address. Options come in the query or, for clients that drop it, in
// the path behind "@".
func parseTarget(form string, r *http.Request) (target, error) {
	t := target{form: form}
	// A slash that is written otherwise would make other keys of the same bytes.
	raw := strings.ToLower(r.URL.EscapedPath())
	if strings.Contains(raw, "%2f") || strings.Contains(raw, "%5c") || strings.Contains(raw, "%00") {
		return t, nothing()
	}
	if r.URL.RawQuery != "" {
		if err := t.setOptions(r.URL.Query()); err != nil {
			return t, err
		}
	}
	rest := strings.TrimPrefix(r.URL.Path, form)
	t.folder = strings.HasSuffix(rest, "/")
	rest = strings.Trim(rest, "/")
	for strings.Contains(rest, "//") { // some clients put two slashes between the parts of an address
		rest = strings.ReplaceAll(rest, "//", "/")
	}
	first, rest, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(first, "@") {
		options := url.Values{}
		for option := range strings.SplitSeq(first[1:], ",") {
			name, value, _ := strings.Cut(option, "=")
			if name != "pyramid" && name != "codecs" {
				return t, refuse(http.StatusBadRequest, api.WrongRequest, fmt.Sprintf("@%s: there is no option %q, only pyramid and codecs=", first[1:], name))
			}
			options.Add(name, value)
		}
		if err := t.setOptions(options); err != nil {
			return t, err
		}
		first, rest, _ = strings.Cut(rest, "/")
	}
	t.name, t.key = first, rest
	if t.key != "" && store.CheckKey(t.key) != nil || t.name == "." || t.name == ".." {
		return t, nothing()
	}
	return t, nil
}

// setOptions takes what is known; a query may hold more, a path not.
func (t *target) setOptions(q url.Values) error {
	if q.Has("pyramid") {
		switch q.Get("pyramid") {
		case "", "1", "true":
			t.pyramid = true
		case "0", "false":
		default:
			return refuse(http.StatusBadRequest, api.WrongRequest, fmt.Sprintf("pyramid=%s: must be 1 or 0", q.Get("pyramid")))
		}
	}
	if codecs := q.Get("codecs"); codecs != "" {
		t.codecs = codecs
	}
	return nil
}

// mostViews is how many ways to see sources are remembered: clients choose codecs.
const mostViews = 256

// view is a source in the form that was asked for.
func (s *Server) view(ctx context.Context, src *source.Source, t target) (store.Reader, error) {
	if t.form == "/files" {
		return src.Files(ctx)
	}
	t.key, t.folder = "", false
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.views[t]; ok {
		return v, nil
	}
	o := plain.Options{Version: 3, Codecs: t.codecs, Cache: s.cache}
	if t.form == Path2 {
		o.Version = 2
	}
	nodes := plain.Nodes(src)
	if t.pyramid {
		nodes = plain.Pyramids(src, s.cache)
	}
	v, err := plain.New(nodes, o)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, api.WrongRequest, err.Error())
	}
	for have := range s.views {
		if len(s.views) < mostViews {
			break
		}
		delete(s.views, have)
	}
	s.views[t] = v
	return v, nil
}
