package conformance

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// bucketful is what samples has made, which nobody changes.
var bucketful store.Store

// samples are hierarchies of every format, in one store as a bucket has them.
func samples(t *testing.T) store.Store {
	t.Helper()
	if bucketful != nil {
		return bucketful
	}
	ctx := context.Background()
	s := mem.New()
	put := func(key string, value []byte) {
		if _, err := s.Put(ctx, key, value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	folder := func(key, dir string) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(dir, name)
			data, err := os.ReadFile(name)
			put(key+"/"+filepath.ToSlash(rel), data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	spec := zarr.ArraySpec{Shape: []int{512, 512}, Chunks: []int{64, 64}, DataType: "uint16"}
	for _, c := range []struct{ format, path string }{{"zarr3", "v3.zarr"}, {"zarr2", "v2.zarr"}, {"n5", "x.n5"}, {"zarr2", "c2.zarr"}, {"zarr3", "c3.zarr"}} {
		g, err := zarr.CreateGroupIn(ctx, s, c.path, zarr.As(c.format))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "g/c", "g/d"} {
			if _, err := g.CreateArray(ctx, name, spec); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(c.path, "c") {
			if err := g.Consolidate(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := nwbtest.Unpack(t, "session_v2.nwb.zarr", "session_v3.nwb.zarr")
	folder("session_v2.nwb.zarr", filepath.Join(dir, "session_v2.nwb.zarr"))
	folder("session_v3.nwb.zarr", filepath.Join(dir, "session_v3.nwb.zarr"))
	picture, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	if err == nil {
		r := rand.New(rand.NewPCG(1, 2))
		noise := make([]uint16, 512*512)
		for i := range noise {
			noise[i] = uint16(r.Uint32())
		}
		err = zarr.Write(ctx, picture, zarr.All(), noise)
	}
	for name, to := range map[string]export.Format{"cog.tif": {COG: true}, "plain.tif": {}} {
		at := filepath.Join(t.TempDir(), name)
		var data []byte
		if err == nil {
			_, err = copying.Copy(ctx, picture, at, copying.Options{To: to, Chunks: []int{64, 64}})
		}
		if err == nil {
			data, err = os.ReadFile(at)
		}
		put(name, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for e, err := range s.List(ctx, "c3.zarr/", "") {
		if err != nil {
			t.Fatal(err)
		}
		w, _ := z.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(e.Key, "c3.zarr/"), Method: zip.Store})
		v, _, _ := s.Get(ctx, e.Key, store.All(), nil)
		w.Write(v)
	}
	z.Close()
	put("c3.zarr.zip", packed.Bytes())
	bucketful = s
	return s
}

// opener opens URLs far://b/KEY in a store.
func opener(s store.Store) zarr.Option {
	return zarr.Locate(locate.Options{Schemes: locate.Schemes{"far": func(ctx context.Context, url string, opt locate.Options) (locate.Location, error) {
		return locate.Remote(ctx, url, opt, func(_ context.Context, base string) (store.Store, error) {
			return store.Sub(s, strings.Trim(strings.TrimPrefix(base, "far://b"), "/"))
		})
	}}})
}

// How many requests opening takes, and how many times it waits for one. Servers
// that cannot list are asked no more than those that can.
func TestRequestsOfOpening(t *testing.T) {
	content := samples(t)
	open := func(ctx context.Context, url string, opts ...zarr.Option) (io.Closer, error) {
		n, err := zarr.Open(ctx, url, opts...)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
	file := func(ctx context.Context, url string, opts ...zarr.Option) (io.Closer, error) {
		f, err := hdmf.Open(ctx, url, hdmf.Zarr(opts...))
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	below := func(ctx context.Context, url string, opts ...zarr.Option) (io.Closer, error) {
		g, err := zarr.OpenGroup(ctx, url, opts...)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"a", "g/c"} {
			if _, err := g.Array(ctx, name); err != nil {
				return g, err
			}
		}
		return g, nil
	}
	for _, c := range []struct {
		url             string
		open            func(ctx context.Context, url string, opts ...zarr.Option) (io.Closer, error)
		requests, waits int
		fails           bool
	}{
		{url: "v3.zarr", open: open, requests: 1, waits: 1},
		{url: "v3.zarr/a", open: open, requests: 1, waits: 1},
		{url: "c3.zarr", open: below, requests: 1, waits: 1},
		{url: "c2.zarr|zarr2:", open: below, requests: 1, waits: 1},
		{url: "c2.zarr|zarr2:a", open: open, requests: 1, waits: 1},
		{url: "c2.zarr", open: below, requests: 2, waits: 2},
		{url: "v2.zarr", open: open, requests: 5, waits: 3},
		{url: "v2.zarr/a", open: open, requests: 4, waits: 2},
		{url: "v2.zarr/a|zarr2:", open: open, requests: 3, waits: 1},
		{url: "x.n5/a", open: open, requests: 2, waits: 1}, // each document once
		{url: "x.n5/a|n5:", open: open, requests: 1, waits: 1},
		{url: "cog.tif", open: open, requests: 1, waits: 1},
		{url: "plain.tif", open: open, requests: 2, waits: 2}, // its directory is behind the tiles
		{url: "c3.zarr.zip", open: open, requests: 2, waits: 2},
		{url: "c3.zarr.zip/a", open: open, requests: 2, waits: 2},
		{url: "session_v3.nwb.zarr", open: file, requests: 1, waits: 1},
		{url: "session_v2.nwb.zarr", open: file, requests: 3, waits: 3},
		{url: "nothing", open: open, requests: 6, waits: 3, fails: true},
		{url: "nothing.zarr", open: open, requests: 6, waits: 4, fails: true},
		{url: "nothing.zarr|zarr3:", open: open, requests: 2, waits: 2, fails: true},
		{url: "nothing.n5/a", open: open, requests: 6, waits: 2, fails: true},
	} {
		t.Run(c.url, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &far.Store{Store: content, Requests: 64, NoList: true}
				begin := time.Now()
				opened, err := c.open(t.Context(), "far://b/"+c.url, opener(s), zarr.ReadOnly())
				if (err != nil) != c.fails {
					t.Fatal(err)
				}
				log, _ := s.Log()
				if len(log) != c.requests || time.Since(begin) != time.Duration(c.waits)*far.Wait {
					t.Errorf("%d requests, waits for %d: want %d, %d: %q", len(log), time.Since(begin)/far.Wait, c.requests, c.waits, log)
				}
				if err == nil && opened.Close() != nil {
					t.Error("it does not close")
				}
			})
		})
	}
}

// A group far away without consolidated metadata is listed once, and the documents in
// it are asked for at once.
func TestRequestsOfWalks(t *testing.T) {
	content := samples(t)
	for _, c := range []struct {
		url             string
		requests, waits int
	}{
		// The root, its list, a, b and g, the list of g, c and d.
		{"v3.zarr", 1 + 1 + 3 + 1 + 2, 1 + 1 + 1 + 1 + 1},
		{"c3.zarr", 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &far.Store{Store: content, Requests: 64}
			begin := time.Now()
			g, err := zarr.OpenGroup(t.Context(), "far://b/"+c.url, opener(s), zarr.ReadOnly())
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			var paths []string
			for n, err := range g.Walk(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				paths = append(paths, n.Path())
			}
			log, _ := s.Log()
			if got := strings.Join(paths, " "); got != "a b g g/c g/d" {
				t.Errorf("%s: %s", c.url, got)
			}
			if len(log) != c.requests || time.Since(begin) != time.Duration(c.waits)*far.Wait {
				t.Errorf("%s: %d requests, waits for %d: want %d, %d: %q", c.url, len(log), time.Since(begin)/far.Wait, c.requests, c.waits, log)
			}
		})
	}
}

// How many requests it takes to make a node: all that must be known before is asked for
// at once.
func TestRequestsOfCreating(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}, DataType: "uint16"}
	for _, c := range []struct {
		what     string
		create   func(ctx context.Context, opt zarr.Option) (io.Closer, error)
		requests int
	}{
		{"an array", func(ctx context.Context, opt zarr.Option) (io.Closer, error) {
			return zarr.CreateArray(ctx, "far://b/new", spec, opt)
		}, 7},
		{"a group", func(ctx context.Context, opt zarr.Option) (io.Closer, error) {
			return zarr.CreateGroup(ctx, "far://b/new.zarr", opt)
		}, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &far.Store{Store: mem.New(), Requests: 64}
			begin := time.Now()
			n, err := c.create(t.Context(), opener(s))
			if err != nil {
				t.Fatal(err)
			}
			log, _ := s.Log()
			if len(log) != c.requests || time.Since(begin) != 2*far.Wait {
				t.Errorf("%s: %d requests, waits for %d: want %d, 2: %q", c.what, len(log), time.Since(begin)/far.Wait, c.requests, log)
			}
			if err := n.Close(); err != nil {
				t.Error(err)
			}
			if n, err := c.create(t.Context(), opener(s)); !errors.Is(err, zarr.ErrExist) {
				t.Errorf("a second time: %v, %v", n, err)
			}
		})
	}
}
