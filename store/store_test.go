package store_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

// plain is a store that can do nothing besides.
type plain struct{ store.Store }

func TestStoreThatIsNoOpener(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return plain{mem.New()} })
}

// tagless is a store that says nothing of versions.
type tagless struct{ store.Store }

func (s tagless) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.Store.Get(ctx, key, r, dst)
	info.ETag = ""
	return out, info, err
}

// TestAValueThatChangesItsSize is replaced between two ranges of it: without tags its size
// tells.
func TestAValueThatChangesItsSize(t *testing.T) {
	ctx := context.Background()
	for _, tags := range []bool{true, false} {
		s := mem.New()
		var r store.Reader = plain{s}
		if !tags {
			r = tagless{s}
		}
		o, err := store.Open(ctx, r, "k")
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range []string{"first", "first", "a longer one"} {
			if _, err := s.Put(ctx, "k", []byte(value), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			_, _, err := o.Get(ctx, store.Part(1, 2), nil)
			if i == 0 && err != nil || i == 2 && !errors.Is(err, store.ErrChanged) {
				t.Errorf("%q, tags %v: %v", value, tags, err)
			}
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadOnlyOfAReader(t *testing.T) {
	storetest.RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
		s := mem.New()
		for key, value := range content {
			if _, err := s.Put(context.Background(), key, value, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return store.ReadOnly(plain{s})
	})
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		r              store.Range
		size, off, len int64
		err            error
	}{
		{store.All(), 10, 0, 10, nil},
		{store.Part(2, 3), 10, 2, 3, nil},
		{store.Part(10, 0), 10, 10, 0, nil},
		{store.Part(8, 3), 10, 0, 0, store.ErrRange},
		{store.Part(-1, 3), 10, 0, 0, store.ErrRange},
		{store.Part(1, -1), 10, 0, 0, store.ErrRange},
		{store.Part(math.MaxInt64, math.MaxInt64), 10, 0, 0, store.ErrRange},
		{store.Suffix(3), 10, 7, 3, nil},
		{store.Suffix(30), 10, 0, 10, nil},
		{store.Suffix(-3), 10, 10, 0, nil},
		{store.UpTo(10), 10, 0, 10, nil},
		{store.UpTo(9), 10, 0, 0, store.ErrTooLarge},
		{store.UpTo(-1), 0, 0, 0, store.ErrTooLarge},
	} {
		off, n, err := c.r.Resolve(c.size)
		if off != c.off || n != c.len || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%+v of %d: %d, %d, %v; want %d, %d, %v", c.r, c.size, off, n, err, c.off, c.len, c.err)
		}
	}
}

func TestKeysAndPrefixes(t *testing.T) {
	for _, key := range []string{"a", "a/b", "..a", "a..", "...", "a b", ".zarray", "é/ö", "C:"} {
		if err := store.CheckKey(key); err != nil {
			t.Error(err)
		}
		if err := store.CheckPrefix(key + "/"); err != nil {
			t.Error(err)
		}
		if err := store.CheckPrefix(key); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("prefix %q: %v", key, err)
		}
	}
	for _, key := range []string{"", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a\\b", "a\x00"} {
		if err := store.CheckKey(key); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if store.CheckPrefix("") != nil || store.CheckList("", "") != nil || store.CheckList("a/", ".") == nil {
		t.Error("prefix and delimiter of a listing")
	}
}

func TestErrorsNameOnePlace(t *testing.T) {
	inner := store.WrapError("get", "file:///x", "a.zip", &fs.PathError{Op: "open", Path: "/x/a.zip", Err: store.ErrNotExist})
	if got, want := inner.Error(), `get "a.zip" in file:///x: file does not exist`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	outer := store.WrapError("open", "zip", "k\n", inner)
	if got, want := outer.Error(), `open "k\n" in zip: file does not exist`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !errors.Is(outer, store.ErrNotExist) || !errors.Is(outer, os.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if store.WrapError("get", "u", "k", nil) != nil {
		t.Error("an error out of nothing")
	}
	if got := store.WrapError("list", "u", "", store.ErrNoList).Error(); got != "list u: store cannot list keys" {
		t.Error(got)
	}
}

func TestSubForwards(t *testing.T) {
	s := mem.New()
	sub, err := store.Sub(s, "a/b/")
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := sub.(store.Conditional); !ok || !c.Conditional() {
		t.Error("Conditional is lost")
	}
	if p, ok := sub.(store.Parallel); !ok || p.Concurrency() != s.Concurrency() {
		t.Error("Concurrency is lost")
	}
	if _, ok := store.As[*mem.Store](sub); ok {
		t.Error("the store inside has other keys and must not be found")
	}
	if sub.URL() != "mem:/a/b" {
		t.Errorf("URL %s", sub.URL())
	}
	if same, err := store.Sub(s, ""); err != nil || same != store.Store(s) {
		t.Errorf("Sub of nothing: %v", err)
	}
	for _, prefix := range []string{"/", "..", "a//", "/a", "a/../b"} {
		if b, err := store.Sub(s, prefix); !errors.Is(err, store.ErrBadKey) && b != store.Store(s) {
			t.Errorf("Sub %q: %v", prefix, err)
		}
	}
	if _, _, err := sub.Get(context.Background(), "k", store.All(), nil); err == nil || !strings.Contains(err.Error(), `"a/b/k"`) {
		t.Errorf("the error should name the whole key: %v", err)
	}
}

func TestJoinURL(t *testing.T) {
	for _, c := range [][3]string{
		{"mem:x", "a b", "mem:x/a b"},
		{"file:///d", "a b/c?", "file:///d/a%20b/c%3F"},
		{"https://h/d/?q=1", "a", "https://h/d/a?q=1"},
	} {
		if got := store.JoinURL(c[0], c[1]); got != c[2] {
			t.Errorf("%s and %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// doubled is a wrapper that can be unwrapped.
type doubled struct{ plain }

func (d doubled) Unwrap() store.Store { return d.Store }

func TestAs(t *testing.T) {
	s := mem.New()
	if got, ok := store.As[*mem.Store](doubled{plain{s}}); !ok || got != s {
		t.Error("not found through a wrapper")
	}
	if _, ok := store.As[*mem.Store](plain{s}); ok {
		t.Error("found though it is not shown")
	}
}

// What a store is can be seen through every wrapper; what it can do is hidden by
// ReadOnly.
func TestBehind(t *testing.T) {
	m := mem.New()
	wrapped := store.ReadOnly(wrapper{store.ReadOnly(m)})
	if _, ok := store.As[*mem.Store](wrapped); ok {
		t.Error("a read-only store was unwrapped")
	}
	if got, ok := store.Behind[*mem.Store](wrapper{wrapped}); !ok || got != m {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := store.Behind[*testing.T](wrapped); ok {
		t.Error("found what is not there")
	}
}

type wrapper struct{ store.Store }

func (w wrapper) Unwrap() store.Store { return w.Store }
