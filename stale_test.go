package zarr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// ones is n times one.
func ones(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func TestAHandleOlderThanAShrinkKeepsToTheNewShape(t *testing.T) {
	for _, codecs := range []string{`["bytes"]`, `["bytes","gzip"]`} {
		a := newArray(t, zarr.ArraySpec{Shape: []int{32}, Chunks: []int{8}, DataType: "uint8", Codecs: json.RawMessage(codecs)})
		old := reopen(t, a)
		check(t, zarr.Write(ctx, old, zarr.All(), ones(32)))
		check(t, a.Resize(ctx, 12))
		if err := zarr.Write(ctx, old, zarr.Box([]int{12}, []int{20}), ones(20)); !errors.Is(err, zarr.ErrRange) && !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("beyond the new shape: %v", err)
		}
		v := nd.Of(ones(1), 1, 1)
		if err := old.WriteFrom(ctx, zarr.Points([]int{20}), v); err == nil {
			t.Error("a point beyond the new shape is written")
		}
		check(t, a.Resize(ctx, 32))
		for i, got := range must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())).Data {
			if want := i < 12; (got == 1) != want {
				t.Fatalf("element %d is %d", i, got)
			}
		}
	}
}

// An old handle takes the last chunk for smaller than it is, and must not throw
// away what others have written to the rest.
func TestAHandleOlderThanAGrowthLosesNothing(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{10}, Chunks: []int{8}, DataType: "uint8"})
	old := reopen(t, a)
	check(t, zarr.Write(ctx, old, zarr.All(), ones(10)))
	check(t, a.Resize(ctx, 16))
	check(t, zarr.Write(ctx, a, zarr.All(), ones(16)))
	check(t, zarr.Write(ctx, old, zarr.Box([]int{8}, []int{2}), []uint8{7, 7}))
	if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("8:"))).Data; fmt.Sprint(got) != "[7 7 1 1 1 1 1 1]" {
		t.Errorf("got %v", got)
	}
}

func TestWritersWhileTheShapeChanges(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{64}, Chunks: []int{4}, DataType: "uint8"})
	var wg sync.WaitGroup
	for range 4 {
		own := reopen(t, a)
		wg.Go(func() {
			for k := range 40 {
				at := k * 13 % 60
				if err := zarr.Write(ctx, own, zarr.Box([]int{at}, []int{3}), ones(3)); err != nil && !errors.Is(err, zarr.ErrRange) && !errors.Is(err, zarr.ErrSelection) {
					t.Error(err)
				}
			}
		})
	}
	for k := range 20 {
		check(t, a.Resize(ctx, []int{10, 64}[k%2]))
	}
	wg.Wait()
	check(t, a.Resize(ctx, 10))
	check(t, a.Resize(ctx, 64))
	for i, got := range must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())).Data {
		if i >= 10 && got != 0 {
			t.Fatalf("element %d was outside and is %d", i, got)
		}
	}
}

// Another process shares no count of changes: its handle looks at the document
// when it has not done so for a second.
func TestAHandleNoticesAShrinkByAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mem.New()
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{32}, Chunks: []int{8}, DataType: "uint8"}))
		other := must[zarr.Node](t)(zarr.OpenStore(ctx, process{s, "other"}, "a")).(*zarr.Array)
		check(t, zarr.Write(ctx, other, zarr.All(), ones(32)))
		check(t, a.Resize(ctx, 8))
		time.Sleep(time.Second)
		if err := zarr.Write(ctx, other, zarr.Box([]int{8}, []int{8}), ones(8)); err == nil {
			t.Error("written beyond the new shape")
		}
	})
}

func TestWritingLeavesTheHeapAsItWas(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{16}, Chunks: []int{8}, DataType: "string"})
	words := make([]string, 16)
	for i := range words {
		words[i] = fmt.Sprint("old ", i)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), words))
	src := nd.Make(nd.RefSize, 2)
	src.Heap = &nd.Heap{}
	src.Heap.Add([]byte("newer"))
	nd.PutRef(src.Data, 0, 0, 3)
	nd.PutRef(src.Data[nd.RefSize:], 0, 3, 2)
	for _, sel := range []zarr.Selection{zarr.Points([]int{3, 12}), zarr.Slice("1:12:8"), zarr.Slice("4:6"), zarr.Select(zarr.List(7, 1))} {
		check(t, a.WriteFrom(ctx, sel, src))
	}
	if n := len(src.Heap.Blobs()); n != 1 {
		t.Errorf("the heap has %d blobs", n)
	}
	got := must[ndArray[string]](t)(readArray[string](a, zarr.All())).Data
	if got[3] != "new" || got[12] != "er" || got[4] != "new" || got[7] != "new" || got[1] != "er" || got[2] != "old 2" || got[9] != "er" {
		t.Errorf("got %q", got)
	}
}

func TestSizesThatOverflowAreRefusedFirst(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{1 << 32, 1 << 32}, Chunks: []int{1 << 10, 1 << 10}, DataType: "uint8"}
	a := newArray(t, spec)
	if _, err := readArray[uint8](a, zarr.Mask(nil)); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("a mask of nothing for 2⁶⁴ elements: %v", err)
	}
	spec.Shape, spec.Chunks = []int{2, 1 << 32, 1 << 32}, []int{1, 1 << 10, 1 << 10}
	b := newArray(t, spec)
	if err := zarr.Append(ctx, b, 0, make([]uint8, 4)); err == nil || b.Shape()[0] != 2 {
		t.Errorf("appended to layers of 2⁶⁴ elements: %v, shape %v", err, b.Shape())
	}
	c := newArray(t, zarr.ArraySpec{Shape: []int{math.MaxInt - 1}, Chunks: []int{1}, DataType: "uint8"})
	if err := zarr.Append(ctx, c, 0, make([]uint8, 4)); !errors.Is(err, zarr.ErrRange) || c.Shape()[0] != math.MaxInt-1 {
		t.Errorf("appended beyond what can be counted: %v, shape %v", err, c.Shape())
	}
}

func TestConsolidatedMetadataFollowsItsHandle(t *testing.T) {
	s := mem.New()
	root := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	for _, path := range []string{"x/a", "x/b", "y/c"} {
		must[*zarr.Array](t)(root.CreateArray(ctx, path, small))
	}
	check(t, root.Consolidate(ctx))
	g := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Group)
	x := must[*zarr.Group](t)(g.Group(ctx, "x")) // from the consolidated metadata
	must[*zarr.Array](t)(g.CreateArray(ctx, "x/new", small))
	must[*zarr.Group](t)(x.CreateGroup(ctx, "deep/er"))
	check(t, g.Delete(ctx, "y"))
	check(t, x.Delete(ctx, "b"))
	a := must[*zarr.Array](t)(g.Array(ctx, "x/a"))
	check(t, a.Resize(ctx, 9))
	wide := small
	wide.Shape, wide.Chunks, wide.Overwrite = []int{7}, []int{7}, true
	want := []string{"x", "x/a", "x/deep", "x/deep/er", "x/new"}
	for round := range 3 {
		if got := paths(t, g); !slices.Equal(got, want) {
			t.Errorf("round %d: got %v", round, got)
		}
		if got := paths(t, x); !slices.Equal(got, want[1:]) {
			t.Errorf("round %d: in a group below: %v", round, got)
		}
		for _, gone := range []string{"y", "y/c", "x/b"} {
			if _, err := g.Open(ctx, gone); !errors.Is(err, zarr.ErrNoNode) {
				t.Errorf("round %d: %s was deleted: %v", round, gone, err)
			}
		}
		must[*zarr.Array](t)(x.Array(ctx, "new"))
		if got := must[*zarr.Array](t)(g.Array(ctx, "x/a")).Shape()[0]; got != []int{9, 9, 7}[round] {
			t.Errorf("round %d: x/a has %d elements", round, got)
		}
		if round == 0 {
			check(t, g.Consolidate(ctx))
		} else {
			must[*zarr.Array](t)(g.CreateArray(ctx, "x/a", wide))
		}
	}
}

// Who opens the hierarchy anew believes consolidated metadata, which is as old as it is,
// until it is written again.
func TestConsolidatedMetadataIsOldForNewHandles(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	for _, path := range []string{"x/a", "x/b"} {
		must[*zarr.Array](t)(g.CreateArray(ctx, path, small))
	}
	check(t, g.Consolidate(ctx))
	must[*zarr.Array](t)(g.CreateArray(ctx, "x/new", small))
	check(t, g.Delete(ctx, "x/b"))
	check(t, must[*zarr.Array](t)(g.Array(ctx, "x/a")).Resize(ctx, 9))
	for _, c := range []struct {
		opts   []zarr.Option
		paths  []string
		length int
	}{
		{nil, []string{"x", "x/a", "x/b"}, 4},
		{[]zarr.Option{zarr.BypassConsolidated()}, []string{"x", "x/a", "x/new"}, 9},
		{nil, []string{"x", "x/a", "x/new"}, 9}, // consolidated again
	} {
		anew := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "", c.opts...)).(*zarr.Group)
		if got := paths(t, anew); !slices.Equal(got, c.paths) {
			t.Errorf("%v, want %v", got, c.paths)
		}
		if n := must[*zarr.Array](t)(anew.Array(ctx, "x/a")).Shape()[0]; n != c.length {
			t.Errorf("x/a has %d elements, want %d", n, c.length)
		}
		if c.opts != nil {
			check(t, g.Consolidate(ctx))
		}
	}
}

func TestOverwriteRemovesOnlyWhatIsTheNodes(t *testing.T) {
	over := small
	over.Overwrite = true
	for _, format := range []string{"zarr3", "zarr2", "n5"} {
		dir := t.TempDir()
		write := func(name string) string {
			path := filepath.Join(dir, filepath.FromSlash(name))
			check(t, os.MkdirAll(filepath.Dir(path), 0o777))
			check(t, os.WriteFile(path, []byte("mine"), 0o666))
			return path
		}
		create := func() error {
			a, err := zarr.CreateArray(ctx, dir, over, zarr.As(format))
			if err != nil {
				return err
			}
			defer a.Close()
			return zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4})
		}
		check(t, create())
		check(t, create()) // what is its own can be replaced
		for _, name := range []string{"notes.txt", "photos/1.jpg", "c/notes", "9/x"} {
			file := write(name)
			if err := create(); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s with %s: %v", format, name, err)
			}
			a := must[*zarr.Array](t)(zarr.OpenArray(ctx, dir, zarr.As(format)))
			if err := zarr.Remove(ctx, a); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s with %s: Remove: %v", format, name, err)
			}
			if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())).Data; !slices.Equal(got, []uint8{1, 2, 3, 4}) {
				t.Errorf("%s with %s: the array is %v", format, name, got)
			}
			check(t, a.Close())
			if text, err := os.ReadFile(file); string(text) != "mine" {
				t.Errorf("%s: %s is %q, %v", format, name, text, err)
			}
			check(t, os.Remove(file))
		}
		// A folder that is no node is not a node's.
		dir = t.TempDir()
		other := filepath.Join(dir, "other")
		write("other/letter.txt")
		if a, err := zarr.CreateArray(ctx, other, over, zarr.As(format)); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), "letter.txt") {
			t.Errorf("%s: a folder of other files: %v", format, err)
			a.Close()
		}
	}
	// A group with all kinds of nodes is removed whole.
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, "g"))
	keys := small
	keys.Keys = json.RawMessage(`{"name":"v2","configuration":{"separator":"."}}`)
	for path, spec := range map[string]zarr.ArraySpec{"a": small, "b/c": keys} {
		a := must[*zarr.Array](t)(g.CreateArray(ctx, path, spec))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	}
	check(t, g.Consolidate(ctx))
	check(t, zarr.Remove(ctx, g))
	for entry := range s.List(ctx, "g/", "") {
		t.Errorf("%s is left", entry.Key)
	}
}
