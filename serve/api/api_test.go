package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/store"
)

func TestSourcesAreListed(t *testing.T) {
	dir := servetest.Samples(t)
	var urls []string
	for _, name := range []string{"plain.zarr", "sub/old.zarr", "sub/cells.n5", "image.tif", "packed.zip", servetest.Session, "", "gone.zarr"} {
		urls = append(urls, filepath.Join(dir, name))
	}
	c := serving(t, urls...)
	var list []api.Source
	c.get(&list, "sources")
	var told []string
	for _, s := range list {
		kind := ""
		if s.Problem != nil {
			kind = s.Problem.Kind
		}
		told = append(told, fmt.Sprint(s.Name, ",", s.Format, ",", s.Title, ",", kind))
	}
	told[6] = told[6][strings.Index(told[6], ","):]
	want := "plain.zarr,zarr3,Zarr v3, old.zarr,zarr2,Zarr v2, cells.n5,n5,N5, image.tif,tiff,TIFF, packed.zip,zarr3,Zarr v3, session_v3.nwb.zarr,hdmf,NWB, ,folder,Folder, gone.zarr,,,not_found"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("%s", got)
	}
	if list[0].Zarr != "/zarr/plain.zarr" || list[0].Zarr2 != "/zarr2/plain.zarr" || list[0].Files != "/files/plain.zarr" {
		t.Errorf("%+v", list[0])
	}
}

// Answers have tags, and who has them is told that nothing changed.
func TestTagsAndCompression(t *testing.T) {
	c := samples(t)
	for range 20 { // so that it is worth while
		if _, err := c.set.Add("", filepath.Join(t.TempDir(), "none.zarr")); err != nil {
			t.Fatal(err)
		}
	}
	w := c.ask("sources")
	tag := w.Header().Get("ETag")
	if tag == "" || w.Header().Get("Cache-Control") != "no-cache" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%v", w.Header())
	}
	for _, match := range []string{tag, `"x", ` + tag, "*", strings.TrimPrefix(tag, "W/")} {
		r := httptest.NewRequest("GET", "/api/sources", nil)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
			t.Errorf("%s: %d %s", match, w.Code, w.Body)
		}
	}
	r := httptest.NewRequest("GET", "/api/sources", nil)
	r.Header.Set("Accept-Encoding", "br, gzip;q=0.5")
	w = httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != c.ask("sources").Body.String() {
		t.Errorf("%v", err)
	}
	r.Header.Set("Accept-Encoding", "gzip;q=0")
	w = httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Header().Get("Content-Encoding") != "" {
		t.Error("compressed for who does not take it")
	}
	r = httptest.NewRequest("HEAD", "/api/sources", nil)
	w = httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestWrongRequests(t *testing.T) {
	c := samples(t)
	c.problem(404, "nothing")
	c.problem(404, "")
	for _, method := range []string{"POST", "DELETE", "PUT"} {
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, httptest.NewRequest(method, "/api/sources", nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for _, query := range []string{"a=%zz", "source=a&source=b", "a=" + strings.Repeat("x", 100_000)} {
		r := httptest.NewRequest("GET", "/api/sources", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%.20s: %d", query, w.Code)
		}
	}
}

// Errors of all kinds are told as what they are.
func TestProblems(t *testing.T) {
	node := func(err error) error {
		return &zarr.Error{Op: "read", URL: "file:///a.zarr/b", Key: "c/0", Err: err}
	}
	for _, c := range []struct {
		err    error
		status int
		kind   string
	}{
		{node(zarr.ErrNoNode), 404, api.NotFound},
		{node(fmt.Errorf("x: %w", fs.ErrNotExist)), 404, api.NotFound},
		{node(zarr.ErrNotAllowed), 403, api.Forbidden},
		{node(fs.ErrPermission), 403, api.Forbidden},
		{node(zarr.ErrUnfinished), 409, api.Unfinished},
		{node(&codec.Error{Codec: "x", Err: zarr.ErrCodec}), 422, api.UnknownCodec},
		{node(zarr.ErrDataType), 422, api.Unsupported},
		{node(zarr.ErrNotArray), 422, api.Unsupported},
		{node(zarr.ErrTooLarge), 413, api.TooLarge},
		{node(&codec.Error{Codec: "gzip", Err: zarr.ErrData}), 502, api.Damaged},
		{node(errors.New("zarr.json: something")), 502, api.Damaged},
		{&zarr.Error{Op: "open", URL: "https://h/a", Err: errors.New("server answers 500")}, 502, api.Upstream},
		{store.WrapError("get", "http://h/", "a", errors.New("refused")), 502, api.Upstream},
		{node(zarr.ErrSelection), 400, api.WrongRequest},
		{node(zarr.ErrPath), 400, api.WrongRequest},
		{api.ErrBusy, 503, api.Busy},
		{context.DeadlineExceeded, 503, api.Busy},
		{context.Canceled, 499, api.Busy},
		{errors.New("two\nlines"), 500, api.Internal},
	} {
		status, p := api.ProblemOf(c.err)
		if status != c.status || p.Kind != c.kind || p.Error == "" || strings.Contains(p.Error, "\n") {
			t.Errorf("%v is %d %+v, want %d %s", c.err, status, p, c.status, c.kind)
		}
	}
	if _, p := api.ProblemOf(node(&codec.Error{Codec: "gzip", Err: zarr.ErrData})); p.Chunk != "c/0" || p.Codec != "gzip" {
		t.Errorf("%+v", p)
	}
}

// Sources that are not there, not finished, or on a server that refuses are told as what
// they are, and others work.
func TestSourcesInTrouble(t *testing.T) {
	dir := servetest.Samples(t)
	unfinished := filepath.Join(dir, "unfinished.zarr")
	if err := os.MkdirAll(filepath.Join(unfinished, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(unfinished, zarr.Unfinished), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer refusing.Close()
	c := serving(t, unfinished, refusing.URL+"/refused.zarr", filepath.Join(dir, "plain.zarr"))
	if p := c.problem(409, "node", "source", "unfinished.zarr"); p.Kind != api.Unfinished || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := c.problem(502, "node", "source", "refused.zarr"); p.Kind != api.Upstream {
		t.Errorf("%+v", p)
	}
	var list []api.Source
	c.get(&list, "sources")
	if list[0].Problem == nil || list[1].Problem == nil || list[2].Problem != nil || list[2].Format == "" {
		t.Errorf("%+v", list)
	}
	folder := serving(t, dir)
	var page api.Children
	folder.get(&page, "children", "source", filepath.Base(dir))
	for _, n := range page.Children {
		if (n.Problem != nil) != (n.Name == "unfinished.zarr") {
			t.Errorf("%s: %+v", n.Name, n.Problem)
		}
	}
}

// A chunk that cannot be decoded is named, and all else of its array is told.
func TestDamagedChunksAreNamed(t *testing.T) {
	dir := servetest.Samples(t)
	if err := os.WriteFile(filepath.Join(dir, "plain.zarr", "a", "c", "0", "0"), bytes.Repeat([]byte{1}, 500), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serving(t, filepath.Join(dir, "plain.zarr"))
	p := c.problem(502, "slice", "source", "plain.zarr", "path", "/a", "slice", "0:2")
	if p.Kind != api.Damaged || p.Chunk != "c/0/0" || p.Path != "/a" || p.Codec == "" {
		t.Errorf("%+v", p)
	}
	var n api.Node
	c.get(&n, "node", "source", "plain.zarr", "path", "/a")
	var chunks api.Chunks
	c.get(&chunks, "chunks", "source", "plain.zarr", "path", "/a", "x", "1")
	if chunks.Complete || chunks.Plane.Sizes[0] != nil || chunks.Plane.Sizes[5] == nil {
		t.Errorf("%+v", chunks)
	}
	if w := c.ask("slice", "source", "plain.zarr", "path", "/a", "slice", "5"); w.Code != 200 {
		t.Errorf("%s", w.Body)
	}
}
