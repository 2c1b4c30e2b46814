package api

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store/mem"
)

// An image whose documents changed is closed, when nobody looks at it any more.
func TestChangedImagesAreClosed(t *testing.T) {
	a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", zarr.ArraySpec{Shape: []int{2, 2}, DataType: "uint8"})
	if err != nil {
		t.Fatal(err)
	}
	set := source.NewSet(source.Options{})
	defer set.Close()
	src, err := set.AddNode("a", a)
	if err != nil {
		t.Fatal(err)
	}
	var l images
	closed := 0
	first := l.acquire(&spot{source: src, path: "/", version: "1"})
	first.close = func() { closed++ }
	if again := l.acquire(&spot{source: src, path: "/", version: "1"}); again != first {
		t.Error("the same image is opened twice")
	}
	l.release(first)
	second := l.acquire(&spot{source: src, path: "/", version: "2"})
	if second == first || closed != 0 {
		t.Errorf("another version is the same image, or it was closed %d times while it is used", closed)
	}
	l.release(first)
	if closed != 1 {
		t.Errorf("closed %d times", closed)
	}
	l.release(second)
}
