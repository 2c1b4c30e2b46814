package zarr_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// process is a store that another process would see: the same values under a
// name that shares no lock with others.
type process struct {
	*mem.Store
	name string
}

func (p process) URL() string                { return "mem:process" + p.name }
func (p process) Identity(key string) string { return store.JoinURL(p.URL(), key) }

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

// late is a store in which another process stores a chunk right after it was found
// missing.
type late struct {
	process
	key  string
	once *sync.Once
	then func()
}

func (l late) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := l.process.Get(ctx, key, r, dst)
	if key == l.key {
		l.once.Do(l.then)
	}
	return out, info, err
}

func TestAPartThatStaysEmptyDeletesNothing(t *testing.T) {
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}
	other := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", spec))
	l := late{process{s, "late"}, "c/0", &sync.Once{}, func() { check(t, zarr.Write(ctx, other, zarr.Slice("3"), []uint8{7})) }}
	a := must[zarr.Node](t)(zarr.OpenStore(ctx, l, "")).(*zarr.Array)
	check(t, zarr.Write(ctx, a, zarr.Slice("0"), []uint8{0}))
	got := must[ndArray[uint8]](t)(readArray[uint8](other, zarr.All()))
	if !slices.Equal(got.Data, []uint8{0, 0, 0, 7}) {
		t.Errorf("got %v", got.Data)
	}
}

// Who writes all rows of the last chunk that it knows of, while another process has
// appended one to it, leaves that one alone.
func TestRowsBehindTheEndThatIsKnownStay(t *testing.T) {
	for name, spec := range map[string]zarr.ArraySpec{
		"chunks": {Chunks: []int{4}}, "shards": {Chunks: []int{2}, Shards: []int{4}},
	} {
		for value, want := range map[uint8][]uint8{5: {5, 5, 5, 9}, 0: {0, 0, 0, 9}} {
			s := mem.New()
			spec.Shape, spec.DataType = []int{3}, "uint8"
			a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", spec))
			check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3}))
			other := must[zarr.Node](t)(zarr.OpenStore(ctx, process{s, "other"}, "")).(*zarr.Array)
			check(t, zarr.Write(ctx, other, zarr.Slice("0"), []uint8{1})) // it knows the shape now
			check(t, zarr.Append(ctx, a, 0, []uint8{9}))
			check(t, zarr.Write(ctx, other, zarr.Slice("0:3"), []uint8{value, value, value}))
			got := must[ndArray[uint8]](t)(readArray[uint8](reopen(t, a), zarr.All())).Data
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", name, got, want)
			}
		}
	}
}

// A chunk at the edge that cannot be decoded is replaced when all of it is written.
func TestABrokenChunkAtTheEdgeIsReplaced(t *testing.T) {
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{3}, Chunks: []int{4}, DataType: "uint8"}))
	must[store.Info](t)(s.Put(ctx, "c/0", []byte("nonsense"), store.PutOptions{}))
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3}))
	if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())).Data; !slices.Equal(got, []uint8{1, 2, 3}) {
		t.Errorf("got %v", got)
	}
}
