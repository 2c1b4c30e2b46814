package zarr_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// process is a store that another process would see: the same values under a
// name that shares no lock with others.
type process struct {
	*mem.Store
	name string
}

func (p process) URL() string      { return "mem:process" + p.name }
func (p process) Identity() string { return p.URL() }

func TestProcessesThatShareAStoreWithTagsLoseNothing(t *testing.T) {
	for _, codecs := range []string{`["bytes"]`, shardOfFour} {
		s := mem.New()
		spec := zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{8, 8}, DataType: "uint8", Codecs: json.RawMessage(codecs)}
		must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec))
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() {
				n, err := zarr.OpenStore(ctx, process{s, fmt.Sprint(k)}, "a")
				if err != nil {
					t.Error(err)
					return
				}
				for round := range 10 {
					// To something, back to the fill value, and to something again.
					for _, v := range []uint8{uint8(round), 0, uint8(k + 1)} {
						if err := zarr.Write(ctx, n.(*zarr.Array), zarr.Select(zarr.At(k)), slices.Repeat([]uint8{v}, 8)); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		a := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a")).(*zarr.Array)
		got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice(":, 3")))
		if !slices.Equal(got.Data, []uint8{1, 2, 3, 4, 5, 6, 7, 8}) {
			t.Errorf("%.12s: got %v", codecs, got.Data)
		}
	}
}

// An array that was opened before others changed it must not undo what they did
// when it changes something else.
func TestChangesOfMetadataDoNotUndoEachOther(t *testing.T) {
	a := newArray(t, small)
	b := reopen(t, a)
	check(t, a.Resize(ctx, 6))
	attrs := &meta.Attributes{}
	check(t, attrs.Set("by", "b"))
	check(t, b.SetAttributes(ctx, attrs))
	fresh := reopen(t, a)
	if !slices.Equal(fresh.Shape(), []int{6}) || fresh.Attributes().Len() != 1 {
		t.Errorf("shape %v, attributes %s", fresh.Shape(), fresh.Attributes().Append(nil))
	}
	check(t, a.Resize(ctx, 7))
	if fresh := reopen(t, a); !slices.Equal(fresh.Shape(), []int{7}) || fresh.Attributes().Len() != 1 {
		t.Errorf("shape %v, attributes %s", fresh.Shape(), fresh.Attributes().Append(nil))
	}
	check(t, b.Refresh(ctx))
	if !slices.Equal(b.Shape(), []int{7}) {
		t.Errorf("shape %v", b.Shape())
	}
}

func TestChangesOfAGroupDoNotUndoEachOther(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	must[*zarr.Array](t)(g.CreateArray(ctx, "a", small))
	other := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Group)
	check(t, g.Consolidate(ctx))
	attrs := &meta.Attributes{}
	check(t, attrs.Set("k", 1))
	check(t, other.SetAttributes(ctx, attrs))
	fresh := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Group)
	if fresh.Metadata().Consolidated.Len() != 1 || fresh.Attributes().Len() != 1 {
		t.Errorf("%d consolidated nodes, %d attributes", fresh.Metadata().Consolidated.Len(), fresh.Attributes().Len())
	}
}
