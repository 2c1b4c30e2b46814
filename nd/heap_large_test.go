package nd_test

import (
	"go/build"
	"math"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

func TestReferencesBeyond4GiB(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no such memory here")
	}
	const large = 5<<30 + 7
	blob := reserve(t, large+16) // of which nearly nothing is touched
	blob[3], blob[large+2] = 1, 2
	heap := &nd.Heap{}
	heap.Add(nil)
	at := heap.Add(blob)
	ref := make([]byte, nd.RefSize)
	for _, c := range []struct{ off, n int }{{3, large}, {large, 8}, {0, 4 << 30}, {4 << 30, 1}, {0, 0}} {
		nd.PutRef(ref, at, c.off, c.n)
		if got := heap.Blobs().Value(ref); len(got) != c.n || c.n > 0 && &got[0] != &blob[c.off] {
			t.Errorf("%d bytes at %d: got %d", c.n, c.off, len(got))
		}
	}
	// A reference of a multiple of 4 GiB is not the empty one.
	nd.PutRef(ref, 0, 0, 4<<30)
	nd.Rebase(nd.Of(ref, nd.RefSize, 1), []int{0}, at)
	if got := heap.Blobs().Value(ref); len(got) != 4<<30 {
		t.Errorf("after moving to another heap: %d bytes", len(got))
	}
}

func TestAForkedHeapLeavesTheFirstAsItWas(t *testing.T) {
	h := &nd.Heap{}
	at := h.Add([]byte("one"))
	f := h.Fork()
	f.Add([]byte("two"))
	if n := h.Add([]byte("three")); len(h.Blobs()) != 2 || len(f.Blobs()) != 2 || n != 1 {
		t.Errorf("%d and %d blobs", len(h.Blobs()), len(f.Blobs()))
	}
	ref := make([]byte, nd.RefSize)
	nd.PutRef(ref, at, 0, 3)
	if string(f.Blobs().Value(ref)) != "one" {
		t.Error("a reference of the first means something else")
	}
}

// The module must not compile where memory has the other byte order.
func TestBigEndianMachinesAreRefused(t *testing.T) {
	there := build.Default
	there.GOARCH, there.GOOS, there.CgoEnabled = "s390x", "linux", false
	p, err := there.ImportDir(".", 0)
	if err != nil || !slices.Contains(p.GoFiles, "bigendian_is_not_supported.go") {
		t.Errorf("on s390x the files are %v (%v)", p.GoFiles, err)
	}
}
