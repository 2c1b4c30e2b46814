package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// listContent has names that sort differently as names and as keys: "." comes
// before "/" and "0" after it.
var listContent = map[string][]byte{
	"a.b":           []byte("1"),
	"a/b":           []byte("22"),
	"a/c/0":         []byte("333"),
	"a/c/10":        []byte("4444"),
	"a/c/2":         []byte("55555"),
	"a/c.json":      []byte("666666"),
	"a0":            []byte("7777777"),
	"b/only/deep/x": []byte("88888888"),
	"zarr.json":     []byte("999999999"),
	"é":             {},
}

func testList(t *testing.T, s store.Reader) {
	wantList(t, s, "", "", "a.b", "a/b", "a/c.json", "a/c/0", "a/c/10", "a/c/2", "a0", "b/only/deep/x", "zarr.json", "é")
	wantList(t, s, "", "/", "a.b", "a/", "a0", "b/", "zarr.json", "é")
	wantList(t, s, "a/", "", "a/b", "a/c.json", "a/c/0", "a/c/10", "a/c/2")
	wantList(t, s, "a/", "/", "a/b", "a/c.json", "a/c/")
	wantList(t, s, "a/c/", "/", "a/c/0", "a/c/10", "a/c/2")
	wantList(t, s, "b/", "/", "b/only/")
	wantList(t, s, "b/only/", "", "b/only/deep/x")
	// Nothing lies below a missing prefix, below a value, or below the
	// beginning of a name.
	for _, prefix := range []string{"missing/", "a/missing/", "zarr.json/", "a/b/", "a/b/c/", "b/on/", "zarr/"} {
		wantList(t, s, prefix, "")
		wantList(t, s, prefix, "/")
	}
	for _, delimiter := range []string{"", "/"} {
		for e, err := range s.List(context.Background(), "", delimiter) {
			if errors.Is(err, store.ErrNoList) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if w := int64(len(listContent[e.Key])); !e.IsPrefix && e.Size != w && e.Size != -1 {
				t.Errorf("List says size %d of %q, want %d", e.Size, e.Key, w)
			}
		}
	}
}

func testListNothing(t *testing.T, s store.Reader) {
	wantList(t, s, "", "")
	wantList(t, s, "", "/")
	wantList(t, s, "a/", "/")
}

func testListStops(t *testing.T, s store.Reader) {
	for _, delimiter := range []string{"", "/"} {
		for stop := 1; stop < 6; stop++ {
			n := 0
			for range s.List(context.Background(), "", delimiter) {
				if n++; n == stop {
					break
				}
			}
		}
	}
}

func testListBad(t *testing.T, s store.Reader) {
	for _, prefix := range []string{"a", "/", "a//", "../", "a/../", "./", "/a/", "a\\/", "a\x00/"} {
		for _, delimiter := range []string{"", "/"} {
			err := listError(s, context.Background(), prefix, delimiter)
			if !errors.Is(err, store.ErrBadKey) && !errors.Is(err, store.ErrNoList) {
				t.Errorf("List %q %q: %v, want ErrBadKey", prefix, delimiter, err)
			}
		}
	}
	if listError(s, context.Background(), "", ".") == nil {
		t.Error(`List with delimiter ".": no error`)
	}
}

func testListCancelled(t *testing.T, s store.Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := listError(s, ctx, "", "")
	if !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrNoList) {
		t.Errorf("List: %v, want context.Canceled", err)
	}
}

// listError gives the first error of a listing.
func listError(s store.Reader, ctx context.Context, prefix, delimiter string) error {
	for _, err := range s.List(ctx, prefix, delimiter) {
		if err != nil {
			return err
		}
	}
	return nil
}

// testWrappers checks that wrapping takes nothing away.
func testWrappers(t *testing.T, s store.Reader) {
	ro := store.ReadOnly(s)
	want(t, ro, "a/b", listContent["a/b"])
	wantList(t, ro, "a/", "/", "a/b", "a/c.json", "a/c/")
	if _, err := ro.Put(context.Background(), "a/b", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Put into ReadOnly: %v", err)
	}
	if err := ro.Delete(context.Background(), "a/b"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Delete in ReadOnly: %v", err)
	}
	want(t, ro, "a/b", listContent["a/b"])
	sub, err := store.Sub(ro, "a")
	if err != nil {
		t.Fatal(err)
	}
	want(t, sub, "b", listContent["a/b"])
	wantMissing(t, sub, "a0")
	wantMissing(t, sub, "a/b")
	wantList(t, sub, "", "", "b", "c.json", "c/0", "c/10", "c/2")
	wantList(t, sub, "", "/", "b", "c.json", "c/")
	wantList(t, sub, "c/", "", "c/0", "c/10", "c/2")
	testGetBadKeys(t, sub)
	testListBad(t, sub)
	inner, err := store.Sub(sub, "c/")
	if err != nil {
		t.Fatal(err)
	}
	wantList(t, inner, "", "/", "0", "10", "2")
	o, err := store.Open(context.Background(), inner, "10")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if b, _, err := o.Get(context.Background(), store.Suffix(2), nil); err != nil || string(b) != "44" {
		t.Errorf("open in Sub: %q, %v", b, err)
	}
}
