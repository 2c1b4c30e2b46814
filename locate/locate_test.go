package locate

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/web"
	"github.com/omnizarr/zarr/store/zip"
)

var ctx = context.Background()

// tree is a folder with a store, archives, and files that are neither.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, data string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("data.zarr/zarr.json", "root")
	write("data.zarr/inner/zarr.json", "inner")
	write("folder.zip/zarr.json", "a folder in spite of its name")
	write("picture.tif", "II*\x00")
	write("empty", "")
	write("odd|name #%/zarr.json", "odd")
	write("sub/a.zip", archive(t, "zarr.json", "zipped", "inner/node/zarr.json", "deep", "in.zip", archive(t, "zarr.json", "zip in zip")))
	write("sub/named.dat", archive(t, "zarr.json", "zipped"))
	return dir
}

// archive gives the bytes of an archive with the given keys and values.
func archive(t *testing.T, content ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	s, err := zip.Create(path, zip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(content); i += 2 {
		if _, err := s.Put(ctx, content[i], []byte(content[i+1]), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// content gives what Path/zarr.json has, or the file itself.
func content(t *testing.T, l Location) string {
	t.Helper()
	key := join(l.Path, "zarr.json")
	if l.File {
		key = l.Path
	}
	b, _, err := l.Store.Get(ctx, key, store.All(), nil)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

type found struct {
	url     string
	path    string
	content string
	format  string
	file    bool
	inner   string
}

func check(t *testing.T, cases []found, opt Options) {
	t.Helper()
	for _, c := range cases {
		l, err := Open(ctx, c.url, opt)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		got := found{c.url, l.Path, content(t, l), l.Format, l.File, l.Inner}
		if got != c {
			t.Errorf("%s:\n got %+v\nwant %+v", c.url, got, c)
		}
		if err := l.Close(); err != nil {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := tree(t)
	slash := "file://" + (&pathURL{dir}).String()
	for _, opt := range []Options{{}, {ReadOnly: true}, {ReadOnly: true, Create: true}} {
		check(t, []found{
			{url: dir + "/data.zarr", content: "root"},
			{url: dir + "/data.zarr/", content: "root"},
			{url: dir + "/data.zarr/inner", content: "inner"},
			{url: slash + "/data.zarr", content: "root"},
			{url: slash + "/data%2Ezarr/inner", content: "inner"},
			{url: "file:" + (&pathURL{dir}).String() + "/data.zarr", content: "root"},
			{url: dir + "/folder.zip", content: "a folder in spite of its name"},
			{url: dir + "/odd|name #%", content: "odd"},
			{url: slash + "/odd%7Cname%20%23%25", content: "odd"},
			{url: dir + "/sub/a.zip", content: "zipped"},
			{url: dir + "/sub/a.zip/", content: "zipped"},
			{url: dir + "/sub/a.zip/inner/node", path: "inner/node", content: "deep"},
			{url: slash + "/sub/a.zip/inner/node/", path: "inner/node", content: "deep"},
			{url: dir + "/sub/named.dat", content: "zipped"},
		}, opt)
	}
}

// pathURL shows a path as the path of a URL.
type pathURL struct{ path string }

func (p *pathURL) String() string {
	s := filepath.ToSlash(p.path)
	if !strings.HasPrefix(s, "/") {
		s = "/" + s
	}
	return strings.ReplaceAll(s, " ", "%20")
}

func TestPipelines(t *testing.T) {
	dir := tree(t)
	check(t, []found{
		{url: dir + "/data.zarr|zarr3:", content: "root", format: "zarr3"},
		{url: dir + "/data.zarr|zarr3:inner/", content: "inner", path: "inner", format: "zarr3"},
		{url: dir + "/data.zarr|zarr2:inner", content: "inner", path: "inner", format: "zarr2"},
		{url: dir + "/data.zarr|n5:", content: "root", format: "n5"},
		{url: dir + "/sub/a.zip|zip:", content: "zipped"},
		{url: dir + "/sub/a.zip|zip:inner/node", path: "inner/node", content: "deep"},
		{url: dir + "/sub/a.zip|zip:inner|zarr3:node", path: "inner/node", content: "deep", format: "zarr3"},
		{url: dir + "/sub/a.zip|zarr3:inner/node", path: "inner/node", content: "deep", format: "zarr3"},
		{url: dir + "/sub/named.dat|zip:|zarr3:", content: "zipped", format: "zarr3"},
		{url: dir + "/sub/a.zip|zip:in.zip|zip:|zarr3:", content: "zip in zip", format: "zarr3"},
		{url: dir + "/picture.tif|tiff:", path: "picture.tif", content: "II*\x00", format: "tiff", file: true},
		{url: dir + "/picture.tif|tiff:ifd/0", path: "picture.tif", content: "II*\x00", format: "tiff", file: true, inner: "ifd/0"},
	}, Options{ReadOnly: true})
}

func TestFiles(t *testing.T) {
	dir := tree(t)
	for _, url := range []string{dir + "/picture.tif", dir + "/empty", dir + "/picture.tif/ifd/0", "file://" + (&pathURL{dir}).String() + "/picture.tif"} {
		if _, err := Open(ctx, url, Options{}); err == nil || !strings.Contains(err.Error(), "neither a folder nor a zip") {
			t.Errorf("%s: %v", url, err)
		}
	}
	check(t, []found{
		{url: dir + "/picture.tif", path: "picture.tif", content: "II*\x00", file: true},
		{url: dir + "/picture.tif/ifd/0", path: "picture.tif", content: "II*\x00", file: true, inner: "ifd/0"},
		{url: dir + "/sub/a.zip", content: "zipped"},
	}, Options{AllowFile: true})
	link := filepath.Join(dir, "sub", "link.tif")
	if err := os.Symlink(filepath.Join(dir, "picture.tif"), link); err == nil {
		check(t, []found{{url: link, path: "picture.tif", content: "II*\x00", file: true}}, Options{AllowFile: true})
	}
}

func TestErrors(t *testing.T) {
	dir := tree(t)
	for url, says := range map[string]string{
		"":                                    "empty",
		dir + "/missing":                      filepath.FromSlash("/missing"),
		dir + "/missing/deeper":               filepath.FromSlash("/missing/deeper"),
		dir + "/data.zarr/missing":            "/data.zarr/missing",
		dir + "/missing.zip":                  "/missing.zip",
		dir + "/sub/a.zip/../x":               "not a valid key",
		"s3://bucket/key":                     `no store is registered for scheme "s3"`,
		"gs://bucket/key":                     `scheme "gs"`,
		"azblob://container/key":              `scheme "azblob"`,
		"ftp://host/x?token=secret":           `scheme "ftp"`,
		"file://elsewhere/path":               "elsewhere",
		"file:///x?query":                     "not a file URL",
		"file:":                               "no path",
		"mem:name/../x":                       "not a valid key",
		dir + "/data.zarr|zip:":               "no file to look into",
		dir + "/data.zarr|foo:":               "unknown format",
		dir + "/data.zarr|zarr3:a|zip:":       "nothing can follow zarr3",
		dir + "/data.zarr|zarr3:../x":         "not a valid key",
		dir + "/picture.tif|zip:":             "not a valid zip archive",
		"http://host/x|what":                  "no stage",
		dir + "/sub/a.zip|zip:missing|zip:":   "does not exist",
		dir + "/sub/a.zip|zip:zarr.json|zip:": "not a valid zip archive",
	} {
		l, err := Open(ctx, url, Options{})
		if err == nil {
			t.Errorf("%s: no error", url)
			l.Close()
			continue
		}
		msg := err.Error()
		if !strings.Contains(msg, says) || strings.Contains(msg, "\n") || strings.Contains(msg, "secret") {
			t.Errorf("%s: error %q should say %q on one line", url, msg, says)
		}
	}
	if _, err := Open(ctx, dir+"/missing", Options{}); !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "missing") != 1 {
		t.Errorf("missing: %v", err)
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ url, path string }{
		{dir + "/new/folder", ""},
		{dir + "/new/folder", ""},
		{dir + "/deep/er/a.zip", ""},
		{dir + "/deep/er/a.zip", ""},
		{dir + "/deep/er/b.zip/inner/node", "inner/node"},
		{dir + "/deep/er/b.zip/inner/node", "inner/node"},
	} {
		l, err := Open(ctx, c.url, Options{Create: true, Sync: true})
		if err != nil {
			t.Fatal(err)
		}
		if l.Path != c.path {
			t.Errorf("%s: path %q, want %q", c.url, l.Path, c.path)
		}
		if _, err := l.Store.Put(ctx, join(l.Path, "zarr.json"), []byte("x"), store.PutOptions{}); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		check(t, []found{{url: c.url, path: c.path, content: "x"}}, Options{})
	}
	l, err := Open(ctx, dir+"/gone.zip", Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Discard(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"/gone.zip", "/never", "/never.zip"} {
		if _, err := Open(ctx, dir+name, Options{Create: true, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	dir := tree(t)
	for _, url := range []string{dir + "/data.zarr", dir + "/sub/a.zip", "mem:x"} {
		l, err := Open(ctx, url, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Store.Put(ctx, "k", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: %v", url, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMem(t *testing.T) {
	for _, c := range []struct {
		url, path string
		shared    bool
	}{{"mem:", "", false}, {"mem:loc", "", true}, {"mem:loc/a/b", "a/b", true}, {"mem://loc/a", "a", true}} {
		l, err := Open(ctx, c.url, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l.Path != c.path || (l.Store == store.Store(mem.Shared("loc"))) != c.shared {
			t.Errorf("%s: path %q, store %s", c.url, l.Path, l.Store.URL())
		}
	}
	zipped := archive(t, "zarr.json", "in memory")
	if _, err := mem.Shared("loc").Put(ctx, "dir/some", []byte(zipped), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	check(t, []found{{url: "mem:loc/dir/some|zip:", content: "in memory"}}, Options{})
}

func TestWeb(t *testing.T) {
	zipped := archive(t, "zarr.json", "zipped", "inner/node/zarr.json", "deep")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := map[string]string{
			"/data.zarr/zarr.json": "root", "/x y/a.zip": zipped, "/named.dat": zipped, "/p/pic.tif": "II*",
		}[r.URL.Path]
		if !ok || r.URL.RawQuery != "token=1" {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}))
	defer server.Close()
	check(t, []found{
		{url: server.URL + "/data.zarr?token=1", content: "root"},
		{url: server.URL + "/data.zarr/?token=1|zarr3:", content: "root", format: "zarr3"},
		{url: server.URL + "/x%20y/a.zip?token=1", content: "zipped"},
		{url: server.URL + "/x%20y/a.zip/inner/node?token=1", path: "inner/node", content: "deep"},
		{url: server.URL + "/x%20y/a.zip?token=1|zip:inner%2Fnode|zarr3:", path: "inner/node", content: "deep", format: "zarr3"},
		{url: server.URL + "/named.dat?token=1|zip:inner/node/", path: "inner/node", content: "deep"},
		{url: server.URL + "/p/pic.tif?token=1|tiff:ifd/1", path: "pic.tif", content: "II*", format: "tiff", file: true, inner: "ifd/1"},
	}, Options{HTTP: web.Options{Retries: -1}})
	l, err := Open(ctx, server.URL+"/x%20y/a.zip?token=1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if p, ok := l.Store.(store.Parallel); !ok || p.Concurrency() != 64 {
		t.Error("an archive on a server should like as many requests as the server")
	}
	if u := l.Store.URL(); u != server.URL+"/x%20y/a.zip" {
		t.Errorf("URL %s", u)
	}
}

func TestSchemesCanBeAdded(t *testing.T) {
	schemes := Builtin()
	schemes["s3"] = func(_ context.Context, url string, _ Options) (Location, error) {
		return Location{Store: mem.New(), Path: strings.TrimPrefix(url, "s3://bucket/")}, nil
	}
	l, err := Open(ctx, "s3://bucket/node|zarr3:a", Options{Schemes: schemes})
	if err != nil || l.Path != "node/a" || l.Format != "zarr3" {
		t.Errorf("got %+v, %v", l, err)
	}
	if _, err := Open(ctx, "s3://bucket/node", Options{}); err == nil {
		t.Error("adding a scheme to one map changed another")
	}
}

func TestNothingAboveIsReachable(t *testing.T) {
	dir := tree(t)
	l, err := Open(ctx, dir+"/data.zarr/inner", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, _, err := l.Store.Get(ctx, "../zarr.json", store.All(), nil); err == nil || bytes.Contains(b, []byte("root")) {
		t.Errorf("got %q, %v", b, err)
	}
}

// A file that was begun beside its place is told from nothing; it is taken up where
// that is asked for, and an archive that is to be replaced stays until the end.
func TestFilesThatWereBegun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	put := func(opt Options, key string, end func(Location) error) {
		t.Helper()
		l, err := Open(ctx, path, opt)
		if err == nil {
			_, err = l.Store.Put(ctx, key, []byte(key), store.PutOptions{})
		}
		if err == nil {
			err = end(l)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	keys := func() (keys string) {
		t.Helper()
		l, err := Open(ctx, path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for e, err := range l.Store.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys += e.Key
		}
		return keys
	}
	put(Options{Create: true}, "a", Location.Leave)
	for _, url := range []string{path, path + "/inner/node", path + "|zip:inner"} {
		if _, err := Open(ctx, url, Options{AllowFile: true}); !errors.Is(err, store.ErrUnfinished) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := Open(ctx, filepath.Join(dir, "b.zip"), Options{}); errors.Is(err, store.ErrUnfinished) {
		t.Error(err)
	}
	put(Options{Create: true, Resume: true}, "b", Location.Close)
	if got := keys(); got != "ab" {
		t.Error(got)
	}
	put(Options{Create: true, Replace: true, Resume: true}, "c", Location.Leave)
	if got := keys(); got != "ab" {
		t.Error(got)
	}
	put(Options{Create: true, Replace: true, Resume: true}, "d", Location.Close)
	if got := keys(); got != "cd" {
		t.Error(got)
	}
}

// What a pipeline is made in is an archive where it says so, whatever that is called; and
// nothing is made for one that leads nowhere.
func TestPipelinesMakeArchives(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if _, err := Open(ctx, dir+"/none|nope:", Options{Create: true}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v, %v are left", left, err)
	}
	for _, url := range []string{dir + "/a/plain|zip:", dir + "/a/named.zip|zip:", dir + "/a/deep|zip:x/y"} {
		l, err := Open(ctx, url, Options{Create: true})
		if err != nil {
			t.Fatal(url, err)
		}
		_, err = l.Store.Put(ctx, join(l.Path, "zarr.json"), []byte("{}"), store.PutOptions{})
		if err := errors.Join(err, l.Close()); err != nil {
			t.Fatal(url, err)
		}
		back, err := Open(ctx, url, Options{})
		if err != nil {
			t.Fatal(url, err)
		}
		text, _, err := back.Store.Get(ctx, join(back.Path, "zarr.json"), store.Range{}, nil)
		if err := errors.Join(err, back.Close()); err != nil || string(text) != "{}" {
			t.Errorf("%s: %q, %v", url, text, err)
		}
	}
}
