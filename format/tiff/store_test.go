package tiff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/zip"
)

var (
	_ store.Store      = (*tiff.Store)(nil)
	_ store.Opener     = (*tiff.Store)(nil)
	_ store.Parallel   = (*tiff.Store)(nil)
	_ store.Near       = (*tiff.Store)(nil)
	_ store.Identified = (*tiff.Store)(nil)
	_ store.Located    = (*tiff.Store)(nil)
)

func TestRangesOfChunks(t *testing.T) {
	p := gray(10, 1, 'a')
	s := open(t, "a.tif", little().file(p))
	value := p.tiles[0]
	for _, c := range []struct {
		r      store.Range
		lo, hi int
		err    error
	}{
		{store.All(), 0, 10, nil},
		{store.Part(0, 3), 0, 3, nil},
		{store.Part(7, 3), 7, 10, nil},
		{store.Part(10, 0), 10, 10, nil},
		{store.Part(7, 4), 0, 0, store.ErrRange},
		{store.Part(-1, 4), 0, 0, store.ErrRange},
		{store.Part(11, 0), 0, 0, store.ErrRange},
		{store.Part(5, 1<<62), 0, 0, store.ErrRange},
		{store.Suffix(4), 6, 10, nil},
		{store.Suffix(400), 0, 10, nil},
		{store.UpTo(10), 0, 10, nil},
		{store.UpTo(9), 0, 0, store.ErrTooLarge},
	} {
		for _, dst := range [][]byte{nil, []byte("head"), append(make([]byte, 0, 100), "head"...)} {
			before := bytes.Clone(dst)
			got, info, err := s.Get(ctx, "c/0/0", c.r, dst)
			o, err2 := s.Open(ctx, "c/0/0")
			check(t, err2)
			got2, _, err2 := o.Get(ctx, c.r, bytes.Clone(before))
			if !errors.Is(err, c.err) || !errors.Is(err2, c.err) || !bytes.Equal(dst, before) {
				t.Errorf("%v: %v, %v", c.r, err, err2)
			}
			if want := append(before, value[c.lo:c.hi]...); err == nil && (!bytes.Equal(got, want) || !bytes.Equal(got2, want) || info.Size != 10) {
				t.Errorf("%v: %q and %q, want %q", c.r, got, got2, want)
			}
			if err != nil && !strings.Contains(err.Error(), "c/0/0") {
				t.Errorf("%v does not name the key", err)
			}
		}
	}
}

func TestKeysThatAreNotThere(t *testing.T) {
	s := open(t, "a.tif", little().file(append(ramp(2), gray(7, 4, 0))...))
	for _, key := range []string{
		"c/0", "c/0/0", "0/c", "0/c/2/0/0", "0/c/0/0/1", "0/c/0/0", "0/c/0/0/0/0", "0/c/00/0/0", "0/c/-1/0/0", "0/c/+1/0/0", "0/c/0/0/0x0", "2/zarr.json",
		"2/c/0/0", "0/0/zarr.json", "ifd/3/zarr.json", "ifd/0/0/zarr.json", "ifd/x/zarr.json", "ifd/0/c/1/0/0", "ifd/c/0", "zarr", "zarr.json/x", "x/zarr.json", ".zarray", "0",
		"ifd", "0/c/99999999999999999999/0/0",
	} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrNotExist) || strings.Count(err.Error(), key+`"`) != 1 {
			t.Errorf("Get %q: %v", key, err)
		}
		o, err := s.Open(ctx, key)
		if err == nil {
			_, _, err = o.Get(ctx, store.All(), nil)
		}
		if !errors.Is(err, store.ErrNotExist) {
			t.Errorf("Open %q: %v", key, err)
		}
	}
	for _, key := range []string{"", "/", "a//b", "../a", "./zarr.json", "/zarr.json", "c/0/../0", "a\\b"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Get %q: %v", key, err)
		}
		if _, err := s.Open(ctx, key); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Open %q: %v", key, err)
		}
	}
	if _, err := s.Put(ctx, "zarr.json", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	if err := s.Delete(ctx, "0/"); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
}

func TestListings(t *testing.T) {
	pages := ramp(12)
	pages[3].tiles = [][]byte{nil} // which is not stored
	s := open(t, "a.tif", little().file(append(pages, gray(7, 4, 0).without(tag.ImageWidth))...))
	list := func(prefix, delimiter string) string {
		var out []string
		for e, err := range s.List(ctx, prefix, delimiter) {
			check(t, err)
			out = append(out, e.Key)
		}
		if !slices.IsSorted(out) {
			t.Errorf("%q is not sorted: %v", prefix, out)
		}
		return strings.Join(out, " ")
	}
	for _, c := range [][3]string{
		{"", "/", "0/ 1/ zarr.json"},
		{"0/", "/", "0/c/ 0/zarr.json"},
		{"0/c/", "/", "0/c/0/ 0/c/1/ 0/c/10/ 0/c/11/ 0/c/2/ 0/c/3/ 0/c/4/ 0/c/5/ 0/c/6/ 0/c/7/ 0/c/8/ 0/c/9/"},
		{"0/c/10/", "", "0/c/10/0/0"},
		{"0/c/10/0/", "/", "0/c/10/0/0"},
		{"0/c/3/", "", ""},
		{"0/c/12/", "", ""},
		{"0/c/1/0/0/", "", ""},
		{"0/zarr.json/", "", ""},
		{"1/", "", "1/zarr.json"},
		{"2/", "", ""},
		{"x/", "/", ""},
		{"ifd/11/", "", "ifd/11/c/0/0/0 ifd/11/zarr.json"},
		{"", "", "0/c/0/0/0 0/c/1/0/0 0/c/10/0/0 0/c/11/0/0 0/c/2/0/0 0/c/4/0/0 0/c/5/0/0 0/c/6/0/0 0/c/7/0/0 0/c/8/0/0 0/c/9/0/0 0/zarr.json 1/zarr.json zarr.json"},
	} {
		if got := list(c[0], c[1]); got != c[2] {
			t.Errorf("%q by %q: %s, want %s", c[0], c[1], got, c[2])
		}
	}
	for e := range s.List(ctx, "", "") {
		if e.Key != "0/c/0/0/0" {
			t.Errorf("%s after the listing was given up", e.Key)
		}
		break
	}
	for _, err := range s.List(ctx, "0", "/") {
		if !errors.Is(err, store.ErrBadKey) {
			t.Error(err)
		}
	}
}

func TestCancelledContexts(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	inner := holding(t, "a.tif", little().file(ramp(3)...))
	if _, err := tiff.Open(cancelled, inner, "a.tif"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	f, err := tiff.Open(ctx, inner, "a.tif")
	check(t, err)
	s := f.Store()
	for _, key := range []string{"zarr.json", "c/0/0/0", "ifd/0/zarr.json"} {
		if _, _, err := s.Get(cancelled, key, store.All(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := s.Open(cancelled, key); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", key, err)
		}
		if _, _, err := s.Get(ctx, key, store.All(), nil); err != nil {
			t.Errorf("%s afterwards: %v", key, err)
		}
	}
	for _, err := range s.List(cancelled, "", "") {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if _, err := f.Fields(cancelled, 0, -1, 100); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// flaky fails every other read, after it has spoilt the memory.
type flaky struct {
	store.Store
	mu   sync.Mutex
	n    int
	fail bool
}

func (f *flaky) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := store.Open(ctx, f.Store, key)
	return flakyObject{o, f}, err
}

type flakyObject struct {
	store.Object
	f *flaky
}

var errFlaky = errors.New("line is down")

func (o flakyObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	o.f.mu.Lock()
	o.f.n++
	fail := o.f.fail && o.f.n%2 == 0
	o.f.mu.Unlock()
	if fail {
		clear(dst[:cap(dst)])
		return dst, store.Info{}, errFlaky
	}
	return o.Object.Get(ctx, r, dst)
}

func TestReadsThatFailLeaveNothingWrong(t *testing.T) {
	pages := ramp(40)
	for i, p := range pages { // tables far from each other
		p.tiles = [][]byte{p.tiles[0][:8], slices.Concat(p.tiles[0][8:], make([]byte, 6000))}
		p.with(tag.Longs(tag.RowsPerStrip, 2), tag.Longs(tag.StripByteCounts, 8, 8), tag.Text(tag.Software, strings.Repeat(fmt.Sprint(i), 50)))
	}
	s := &flaky{Store: holding(t, "a.tif", little().file(pages...))}
	f, err := tiff.Open(ctx, s, "a.tif")
	check(t, err)
	s.fail = true
	failed := 0
	for i := range 400 {
		n := i * 7 % 40
		b, _, err := f.Store().Get(ctx, fmt.Sprintf("c/%d/1/0", n), store.All(), nil)
		if err == nil && b[0] != byte(16*n+8) {
			t.Fatalf("page %d: %v", n, b)
		}
		fields, err2 := f.Fields(ctx, n, -1, 1000)
		for _, x := range fields {
			if x.ID == tag.Software && x.Text() != strings.Repeat(fmt.Sprint(n), 50) {
				t.Fatalf("page %d: %q", n, x.Text())
			}
		}
		if err != nil || err2 != nil {
			failed++
		}
		if err != nil && !errors.Is(err, errFlaky) || err2 != nil && !errors.Is(err2, errFlaky) {
			t.Fatal(err, err2)
		}
	}
	if failed == 0 {
		t.Error("nothing failed")
	}
}

func TestManyGoroutines(t *testing.T) {
	_, files := fixtures(t)
	name := "subifd_pyramid.tif"
	if files[name] == nil {
		for n := range files {
			if strings.Contains(n, "pyr") && strings.HasSuffix(n, ".tif") {
				name = n
			}
		}
	}
	s := open(t, name, files[name])
	var keys []string
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		keys = append(keys, e.Key)
	}
	s = open(t, name, files[name])
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range keys {
				if _, _, err := s.Get(ctx, keys[(i*5+j)%len(keys)], store.All(), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestAFileThatIsGoneIsNoMissingChunk(t *testing.T) {
	inner := holding(t, "a.tif", little().file(gray(4, 4, 1)))
	f, err := tiff.Open(ctx, keyed{inner}, "a.tif")
	check(t, err)
	check(t, inner.Delete(ctx, "a.tif"))
	_, _, err = f.Store().Get(ctx, "c/0/0", store.All(), nil)
	if err == nil || errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
}

// keyed hides that a store can hold values open.
type keyed struct{ store.Reader }

func TestWhatTheStoreOfTheFileSays(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "a.tif"), little().file(gray(4, 4, 1)), 0o666))
	inner, err := file.Open(dir, file.Options{})
	check(t, err)
	defer inner.Close()
	f, err := tiff.Open(ctx, inner, "a.tif")
	check(t, err)
	defer f.Close()
	s := f.Store()
	if !s.Near() || s.Concurrency() != inner.Concurrency() || s.URL() != store.JoinURL(inner.URL(), "a.tif") || s.Identity("") != store.Identity(inner, "a.tif") {
		t.Errorf("near %v, concurrency %d, URL %s, identity %s", s.Near(), s.Concurrency(), s.URL(), s.Identity(""))
	}
	o, err := s.Open(ctx, "c/0/0")
	check(t, err)
	held, err := store.Open(ctx, inner, "a.tif")
	check(t, err)
	defer held.Close()
	if store.Tag(o) != store.Tag(held) || !store.IsNear(o) {
		t.Errorf("tag %q, of the file %q", store.Tag(o), store.Tag(held))
	}
	url, off, length, err := store.Locate(ctx, s, "c/0/0")
	if err != nil || !strings.HasSuffix(url, "/a.tif") || off != 8 || length != 16 {
		t.Error(url, off, length, err)
	}
	if _, _, _, err := store.Locate(ctx, s, "zarr.json"); !errors.Is(err, store.ErrNoPlace) {
		t.Error(err)
	}
	if _, _, _, err := store.Locate(ctx, s, "c/0/1"); !errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
}

func TestURLs(t *testing.T) {
	dir := t.TempDir()
	data := little().file(gray(16, 16, 1), gray(8, 8, 7))
	check(t, os.WriteFile(filepath.Join(dir, "x.tif"), data, 0o666))
	check(t, os.WriteFile(filepath.Join(dir, "no_extension"), data, 0o666))
	z, err := zip.Create(filepath.Join(dir, "some.zip"), zip.Options{})
	check(t, err)
	_, err = z.Put(ctx, "deep/x.tif", data, store.PutOptions{})
	check(t, err)
	check(t, z.Close())
	for _, c := range []struct {
		url   string
		first byte
	}{
		{"x.tif/0", 1}, {"x.tif/1", 7}, {"x.tif/ifd/0", 1}, {"x.tif|tiff:ifd/1", 7}, {"no_extension|tiff:1", 7},
		{"some.zip/deep/x.tif/1", 7}, {"some.zip|zip:deep/x.tif|tiff:ifd/1", 7}, {"some.zip/deep/x.tif/ifd/0", 1},
	} {
		a, err := zarr.OpenArray(ctx, filepath.Join(dir, c.url))
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if v := pixels(t, a); v.Data[0] != c.first {
			t.Errorf("%s begins with %d", c.url, v.Data[0])
		}
		check(t, a.Close())
	}
	n, err := zarr.Open(ctx, filepath.Join(dir, "some.zip/deep/x.tif"))
	check(t, err)
	defer n.Close()
	if url, off, length, err := store.Locate(ctx, n.Store(), "0/c/0/0"); err == nil {
		b, err := os.ReadFile(filepath.Join(dir, "some.zip"))
		check(t, err)
		if !strings.HasSuffix(url, "some.zip") || !bytes.Equal(b[off:off+length], gray(16, 16, 1).tiles[0]) {
			t.Errorf("%s at %d is another tile", url, off)
		}
	} else if !errors.Is(err, store.ErrNoPlace) { // a compressed entry has none
		t.Error(err)
	}
	if _, err := zarr.Open(ctx, filepath.Join(dir, "x.tif/5")); !errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
}

func TestReadingAllocatesLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations are counted without the race detector")
	}
	s := open(t, "a.tif", little().file(ramp(3)...))
	dst := make([]byte, 0, 100)
	n := testing.AllocsPerRun(200, func() {
		o, err := s.Open(ctx, "c/1/0/0")
		check(t, err)
		_, _, err = o.Get(ctx, store.All(), dst)
		check(t, err)
		o.Close()
	})
	if n > 3 {
		t.Errorf("%v allocations for a chunk", n)
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := zarr.Open(ctx, server.URL+"/missing.tif")
	if !errors.Is(err, store.ErrNotExist) || strings.Count(err.Error(), "missing.tif") != 1 {
		t.Errorf("got %v", err)
	}
}
