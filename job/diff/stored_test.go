package diff

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// A chunk of a few bytes may lie in any number of blocks: they are not listed.
func TestAChunkInManyBlocksTakesNoMemory(t *testing.T) {
	shape := []int{1 << 24, 1 << 25}
	x := array(t, zarr.ArraySpec{Shape: shape, Chunks: []int{1 << 10, 1 << 10}, DataType: "uint8"})
	s := mem.New()
	y, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: shape, Chunks: []int{1 << 23, 1 << 25}, DataType: "uint8"})
	jobtest.Check(t, err)
	jobtest.Check(t, jobtest.Err(s.Put(ctx, "c/0/0", []byte("chunk"), store.PutOptions{})))
	n := alloctest.Bytes(func() { _, err = Nodes(ctx, x, y, Options{}) })
	if err == nil || !strings.Contains(err.Error(), "c/0/0") {
		t.Errorf("got %v", err)
	}
	if n > 128<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
