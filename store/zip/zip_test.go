package zip

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

var ctx = context.Background()

// object holds b as an object of a store in memory.
func object(t testing.TB, b []byte) store.Object {
	t.Helper()
	s := mem.New()
	if _, err := s.Put(ctx, "a.zip", b, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(ctx, "a.zip")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// counting counts the requests for an object and the bytes that they bring.
type counting struct {
	store.Object
	requests, bytes int
}

func (c *counting) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	b, info, err := c.Object.Get(ctx, r, dst)
	c.requests++
	c.bytes += len(b) - len(dst)
	return b, info, err
}

// archived writes content with the standard library.
func archived(t testing.TB, content map[string][]byte, method uint16) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for key, value := range content {
		f, err := w.CreateHeader(&zip.FileHeader{Name: key, Method: method})
		if err == nil {
			_, err = f.Write(value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReaderOfStoredAndDeflated(t *testing.T) {
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		t.Run(name, func(t *testing.T) {
			storetest.RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
				s, err := Open(ctx, object(t, archived(t, content, method)), "mem:a.zip")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				return s
			})
		})
	}
}

func TestSomethingBeforeTheArchive(t *testing.T) {
	b := archived(t, map[string][]byte{"k": []byte("value")}, zip.Store)
	s, err := Open(ctx, object(t, append([]byte("#!/bin/sh\n"), b...)), "mem:a.zip")
	if err != nil {
		t.Fatal(err)
	}
	if v, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(v) != "value" {
		t.Errorf("got %q, %v", v, err)
	}
}

func TestComment(t *testing.T) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.SetComment(strings.Repeat("PK\x05\x06", 16_000))
	if _, err := w.Create("k"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, object(t, buf.Bytes()), "mem:a.zip")
	if err == nil {
		_, _, err = s.Get(ctx, "k", store.All(), nil)
	}
	// The comment may look like a last record: an error is fine, a wrong
	// answer is not.
	if err != nil && !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestRequests(t *testing.T) {
	content := map[string][]byte{"big": make([]byte, 1<<20), "small": []byte("x")}
	for i := range 500 {
		content[strings.Repeat("x", i%100)+"/"+string(rune('a'+i%26))+strings.Repeat("y", i/26)] = make([]byte, 4000)
	}
	delete(content, "/a")
	obj := &counting{Object: object(t, archived(t, content, zip.Store))}
	s, err := Open(ctx, obj, "mem:a.zip")
	if err != nil {
		t.Fatal(err)
	}
	if obj.requests > 2 || obj.bytes > 200_000 {
		t.Errorf("Open took %d requests and %d bytes", obj.requests, obj.bytes)
	}
	for _, step := range []struct {
		what     string
		key      string
		r        store.Range
		requests int
		bytes    int
	}{
		{"a small value comes with its header", "small", store.All(), 1, 200},
		{"its place is known then", "small", store.All(), 1, 1},
		{"a part needs the header", "big", store.Part(1000, 10), 2, 50},
		{"and then nothing else", "big", store.Suffix(10), 1, 10},
	} {
		obj.requests, obj.bytes = 0, 0
		if _, _, err := s.Get(ctx, step.key, step.r, nil); err != nil {
			t.Fatal(err)
		}
		if obj.requests != step.requests || obj.bytes > step.bytes {
			t.Errorf("%s: %d requests, %d bytes; want %d and at most %d", step.what, obj.requests, obj.bytes, step.requests, step.bytes)
		}
	}
}

func TestFixtures(t *testing.T) {
	open := func(name string) *Store {
		t.Helper()
		s, err := OpenFile(ctx, filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open("zip-slip.zip")
	var keys []string
	for e, err := range s.List(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	if want := []string{"ok/c/0", "ok/c/1", "ok/zarr.json", "zarr.json"}; !slices.Equal(keys, want) {
		t.Errorf("names that lead out are ignored: got %q, want %q", keys, want)
	}
	for _, key := range []string{"outside/zarr.json", "abs/zarr.json", "b/zarr.json", "C:/x/zarr.json", "x/zarr.json"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("Get %q: %v", key, err)
		}
	}
	s = open("zip-duplicate.zip")
	if b, info, err := s.Get(ctx, "zarr.json", store.All(), nil); err != nil || len(b) != 53 || info.Size != 53 {
		t.Errorf("the last of two entries wins: %d bytes, %v", len(b), err)
	}
	s = open("zip-crc.zip")
	_, _, err := s.Get(ctx, "c/0", store.All(), nil)
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "CRC") || !strings.Contains(err.Error(), `"c/0"`) {
		t.Errorf("wrong CRC: %v", err)
	}
	if _, _, err := s.Get(ctx, "c/1", store.All(), nil); err != nil {
		t.Error(err)
	}
}

func TestTruncated(t *testing.T) {
	b := archived(t, map[string][]byte{"k": []byte("value"), "l": make([]byte, 1000)}, zip.Store)
	for n := range b {
		if _, err := Open(ctx, object(t, b[:n]), "mem:a.zip"); !errors.Is(err, ErrFormat) || !strings.HasPrefix(err.Error(), "open zip mem:a.zip: ") {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
}

func TestBomb(t *testing.T) {
	bomb := archived(t, map[string][]byte{"k": make([]byte, 8<<20)}, zip.Deflate)
	open := func(b []byte) *Store {
		t.Helper()
		s, err := Open(ctx, object(t, b), "mem:a.zip")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(bomb)
	if _, _, err := s.Get(ctx, "k", store.UpTo(1<<20), nil); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("more than asked for: %v", err)
	}
	if b, _, err := s.Get(ctx, "k", store.Part(1000, 10), nil); err != nil || len(b) != 10 {
		t.Errorf("the start: %d bytes, %v", len(b), err)
	}
	// The same entry with another size in the directory.
	declare := func(size uint32) []byte {
		b := bytes.Clone(bomb)
		at := bytes.LastIndex(b, []byte("PK\x01\x02"))
		for i := range 4 {
			b[at+24+i] = byte(size >> (8 * i))
		}
		return b
	}
	if b, _, err := open(declare(100)).Get(ctx, "k", store.All(), nil); !errors.Is(err, ErrFormat) || len(b) > 0 {
		t.Errorf("more than declared: %d bytes, %v", len(b), err)
	}
	if _, _, err := open(declare(8<<20+1)).Get(ctx, "k", store.All(), nil); !errors.Is(err, ErrFormat) {
		t.Errorf("less than declared: %v", err)
	}
	s = open(declare(1 << 31))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := s.Get(ctx, "k", store.All(), nil); !errors.Is(err, ErrFormat) {
		t.Errorf("impossibly more than there is: %v", err)
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 1<<20 {
		t.Errorf("%d bytes allocated for an impossible size", allocated)
	}
}
