package held

import (
	"context"
	"path"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

var documents = []string{".zattrs", ".zarray", ".zgroup", "zarr.json", ".zmetadata"}

func isDocument(key string) bool { return slices.Contains(documents, path.Base(key)) }

// Some values are held back and some are not: readers see no difference.
func TestHeldReadsAsOneStore(t *testing.T) {
	storetest.RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
		h := New(mem.New(), func(key string) bool { return len(key)%2 == 0 }, nil)
		for key, value := range content {
			if _, err := h.Put(context.Background(), key, value, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return h
	})
}

func TestHeldDocumentsAreStoredInOrder(t *testing.T) {
	ctx := context.Background()
	base := mem.New()
	put := func(s store.Store, key, text string) {
		t.Helper()
		if _, err := s.Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put(base, "a/.zattrs", "old")
	put(base, "a/.zarray", "old")
	h := New(base, isDocument, documents)
	for _, key := range []string{".zmetadata", ".zattrs", "a/.zarray", "b/.zarray", "b/.zattrs", "a/0", "c/zarr.json", "b/.zarray"} {
		put(h, key, "new")
	}
	if err := h.Delete(ctx, "a/.zattrs"); err != nil {
		t.Fatal(err)
	}
	if err := h.Delete(ctx, "nothing/.zattrs"); err != nil {
		t.Fatal(err)
	}
	// Both are new, and stored before the nodes that were there.
	h.Adds("b")
	h.Adds("c")
	want := []string{"b/.zattrs", "b/.zarray", "c/zarr.json", "a/.zattrs", "a/.zarray", ".zattrs", ".zmetadata"}
	if got := h.Changes(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	list := func(s store.Store) (keys []string) {
		for e, err := range s.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, e.Key)
		}
		return keys
	}
	if got := list(base); !slices.Equal(got, []string{"a/.zarray", "a/.zattrs", "a/0"}) {
		t.Errorf("stored already: %v", got)
	}
	all := []string{".zattrs", ".zmetadata", "a/.zarray", "a/0", "b/.zarray", "b/.zattrs", "c/zarr.json"}
	if got := list(h); !slices.Equal(got, all) {
		t.Errorf("got %v", got)
	}
	if err := h.Flush(ctx, h.Changes()); err != nil {
		t.Fatal(err)
	}
	if got := list(base); !slices.Equal(got, all) || len(h.Changes()) != 0 {
		t.Errorf("got %v, %v left", got, h.Changes())
	}
}
