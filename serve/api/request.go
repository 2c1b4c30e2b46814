package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/serve/source"
)

// request is one that is being answered.
type request struct {
	*http.Request
	w      http.ResponseWriter
	server *server
	query  url.Values
}

// mostQuery is how long the part of an address behind "?" may be.
const mostQuery = 64 << 10

// switches are the parameters that need no value.
var switches = []string{"plain", "exact", "all", "labels", "quick"}

// parse reads the parameters.
func (r *request) parse() (err error) {
	if len(r.URL.RawQuery) > mostQuery {
		return wrong("the query is longer than %d bytes", mostQuery)
	}
	if r.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return wrong("the query cannot be read: %v", err)
	}
	for name, list := range r.query {
		if len(list) > 1 {
			return wrong("parameter %s is given %d times", short(name), len(list))
		}
		if v := list[0]; slices.Contains(switches, name) && !slices.Contains([]string{"", "0", "1", "false", "true"}, v) {
			return wrong("%s=%s: must be 1 or 0", name, short(v))
		}
	}
	return nil
}

// text is a parameter, "" without one.
func (r *request) text(name string) string { return r.query.Get(name) }

// has reports whether a parameter is given that needs no value: &plain, &plain=1.
func (r *request) has(name string) bool {
	v := r.query.Get(name)
	return r.query.Has(name) && v != "0" && v != "false"
}

// integer is a parameter that is a whole number from least to most, or otherwise if it
// is not given.
func (r *request) integer(name string, otherwise, least, most int) (int, error) {
	text := r.text(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, wrong("%s=%s: must be a whole number from %d to %d", name, short(text), least, most)
	}
	return n, nil
}

// number is a parameter that is a finite number, or otherwise if it is not given.
func (r *request) number(name string, otherwise float64) (float64, error) {
	text := r.text(name)
	if text == "" {
		return otherwise, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, wrong("%s=%s: must be a number", name, short(text))
	}
	return x, nil
}

// integers is a parameter that is a list such as 1,2,3; nil if it is not given.
func (r *request) integers(name string) ([]int, error) {
	text := r.text(name)
	if text == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, wrong("%s=%s: must be whole numbers with commas between them", name, short(text))
		}
		out = append(out, n)
	}
	return out, nil
}

// positions is a parameter AXIS:INDEX,AXIS:INDEX, by the numbers of axes of which there
// are so many. Where a length is not negative, the index must be below it. Axes that are
// not named are -1.
func (r *request) positions(name string, lengths []int) ([]int, error) {
	out := make([]int, len(lengths))
	for i := range out {
		out[i] = -1
	}
	text := r.text(name)
	if text == "" {
		return out, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		left, right, ok := strings.Cut(part, ":")
		axis, err := strconv.Atoi(left)
		index, err2 := strconv.Atoi(right)
		switch {
		case !ok || err != nil || err2 != nil || axis < 0 || index < 0:
			return nil, wrong("%s=%s: must be AXIS:INDEX with commas between them, axes by their numbers", name, short(text))
		case axis >= len(lengths):
			return nil, wrong("%s=%s: there are %d axes", name, short(text), len(lengths))
		case lengths[axis] >= 0 && index >= lengths[axis]:
			return nil, wrong("%s=%s: axis %d has %d indices", name, short(text), axis, lengths[axis])
		}
		out[axis] = index
	}
	return out, nil
}

// short cuts a value that a message repeats.
func short(text string) string {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return strings.Trim(strconv.Quote(text), `"`)
}

// spot is the node that a request is about.
type spot struct {
	source *source.Source
	path   string    // from "/" on
	node   zarr.Node // with links resolved
	// subject is the node as its convention has it, and what it is there.
	subject *convention.Subject
	version string // of its documents
}

// spot opens the node that source and path name.
func (r *request) spot() (*spot, error) {
	src, err := r.source()
	if err != nil {
		return nil, err
	}
	return open(r.Context(), src, r.text("path"))
}

// source is the one that the request names.
func (r *request) source() (*source.Source, error) {
	name := r.text("source")
	if name == "" {
		return nil, wrong("source is missing: /api/sources lists them")
	}
	src, ok := r.server.set.Find(name)
	if !ok {
		return nil, notFound("there is no source %s: /api/sources lists them", short(name))
	}
	return src, nil
}

// open opens a node of a source.
func open(ctx context.Context, src *source.Source, path string) (*spot, error) {
	at, err := source.CheckPath(path)
	if err != nil {
		return nil, located(err, src.Name(), path)
	}
	sp := &spot{source: src, path: "/" + at}
	if sp.version, err = src.Version(ctx, at); err == nil {
		sp.node, err = src.Node(ctx, at)
	}
	if err == nil {
		sp.subject, err = src.Subject(ctx, at)
	}
	if err != nil {
		return nil, located(err, src.Name(), sp.path)
	}
	return sp, nil
}

// array opens the array that source and path name.
func (r *request) array() (*spot, *zarr.Array, error) {
	sp, err := r.spot()
	if err != nil {
		return nil, nil, err
	}
	a, ok := sp.node.(*zarr.Array)
	if !ok {
		return nil, nil, sp.fail(unsupported("%s is a group, and this is for arrays", sp.path))
	}
	return sp, a, nil
}

// fail says which node an error is about.
func (sp *spot) fail(err error) error { return located(err, sp.source.Name(), sp.path) }

// key is what a cache calls something that is made of the node as it is now.
func (sp *spot) key(what string, args ...any) string {
	return fmt.Sprint(what, "\x00", sp.source.Name(), "\x00", sp.path, "\x00", sp.version, "\x00", fmt.Sprint(args...))
}
