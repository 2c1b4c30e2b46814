package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var small = zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}

func newGroup(t testing.TB, opts ...zarr.Option) *zarr.Group {
	t.Helper()
	return must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, mem.New(), "", opts...))
}

// paths walks a group.
func paths(t testing.TB, g *zarr.Group) []string {
	t.Helper()
	var out []string
	for n, err := range g.Walk(ctx) {
		check(t, err)
		out = append(out, n.Path())
	}
	return out
}

func TestAHierarchyIsMadeListedAndDeleted(t *testing.T) {
	g := newGroup(t)
	must[*zarr.Array](t)(g.CreateArray(ctx, "b/x", small))
	must[*zarr.Group](t)(g.CreateGroup(ctx, "a"))
	must[*zarr.Array](t)(g.CreateArray(ctx, "b/c/y", small))
	if got := paths(t, g); !slices.Equal(got, []string{"a", "b", "b/c", "b/c/y", "b/x"}) {
		t.Errorf("got %v", got)
	}
	sub := must[*zarr.Group](t)(g.Group(ctx, "/b/"))
	var names []string
	for n, err := range sub.Children(ctx) {
		check(t, err)
		names = append(names, n.Path())
	}
	if !slices.Equal(names, []string{"b/c", "b/x"}) {
		t.Errorf("children %v", names)
	}
	a := must[*zarr.Array](t)(sub.Array(ctx, "c/y"))
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	check(t, sub.Delete(ctx, "c"))
	if got := paths(t, g); !slices.Equal(got, []string{"a", "b", "b/x"}) {
		t.Errorf("got %v after a delete", got)
	}
	for _, k := range keys(t, g.Store()) {
		if strings.HasPrefix(k, "b/c/") {
			t.Errorf("%s is left", k)
		}
	}
	wantError(t, sub.Delete(ctx, "c"), "no Zarr node here", "b/c")
	wantError(t, sub.Delete(ctx, ""), "cannot delete itself")
}

func TestWalkingStopsWhenTold(t *testing.T) {
	g := newGroup(t)
	for _, p := range []string{"a/b", "c", "d"} {
		must[*zarr.Group](t)(g.CreateGroup(ctx, p))
	}
	n := 0
	for range g.Walk(ctx) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d nodes", n)
	}
}

func TestNodesNearbyAreOpenedByAllWorkersInOrder(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	var want []string
	for i := range 100 {
		path := fmt.Sprintf("g/c/%03d", i)
		must[*zarr.Array](t)(g.CreateArray(ctx, path, small))
		want = append(want, path)
	}
	for _, workers := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			count := &gauge{Store: s, hold: func(context.Context) error { time.Sleep(time.Millisecond); return nil }}
			g := must[zarr.Node](t)(zarr.OpenStore(ctx, count, "g/c", zarr.Workers(workers))).(*zarr.Group)
			if got := paths(t, g); !slices.Equal(got, want) {
				t.Errorf("%d workers: got %v", workers, got)
			}
			if n := count.most.Load(); n != int64(workers) {
				t.Errorf("%d workers: %d at once", workers, n)
			}
			// A walk that ends early leaves nothing behind, and its workers are free again.
			for range 3 {
				n := 0
				for range g.Walk(ctx) {
					if n++; n == 20 {
						break
					}
				}
				if n := count.now.Load(); n != 0 {
					t.Errorf("%d workers: %d still under way", workers, n)
				}
			}
			count.most.Store(0)
			paths(t, g)
			if n := count.most.Load(); n != int64(workers) {
				t.Errorf("%d workers: %d at once after walks that ended early", workers, n)
			}
		})
	}
}

func TestANodeThatCannotBeOpenedDoesNotHideTheOthers(t *testing.T) {
	g := newGroup(t)
	must[*zarr.Array](t)(g.CreateArray(ctx, "a", small))
	must[*zarr.Array](t)(g.CreateArray(ctx, "z", small))
	_, err := g.Store().Put(ctx, "m/zarr.json", []byte("{"), store.PutOptions{})
	check(t, err)
	_, err = g.Store().Put(ctx, "k/notes.txt", []byte("no node"), store.PutOptions{})
	check(t, err)
	var good []string
	bad := 0
	for n, err := range g.Children(ctx) {
		if err != nil {
			bad++
			wantError(t, err, "m", "zarr.json", "not JSON")
			if n != nil {
				t.Errorf("an error and a node %T", n)
			}
			continue
		}
		good = append(good, n.Path())
	}
	if bad != 1 || !slices.Equal(good, []string{"a", "z"}) {
		t.Errorf("%d errors and %v", bad, good)
	}
}

func TestWhatIsThereIsNotReplacedUnasked(t *testing.T) {
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "x/a", small))
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	_, err := zarr.CreateArrayIn(ctx, s, "x/a", small)
	if !errors.Is(err, zarr.ErrExist) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "create array", "x/a", "there is a node already")
	_, err = zarr.CreateArrayIn(ctx, s, "x/a/below", small)
	wantError(t, err, "is an array and cannot hold nodes")
	_, err = zarr.CreateGroupIn(ctx, s, "x/a")
	wantError(t, err, "there is a node already")
	if _, err = zarr.CreateGroupIn(ctx, s, "x"); !errors.Is(err, zarr.ErrExist) {
		t.Errorf("a second group in silence: %v", err)
	}
	root := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Group)
	g := must[*zarr.Group](t)(root.RequireGroup(ctx, "x"))
	_, err = root.RequireGroup(ctx, "x/a")
	wantError(t, err, "is an array, not a group")
	if got := paths(t, g); !slices.Equal(got, []string{"x/a"}) {
		t.Errorf("got %v", got)
	}
	over := small
	over.Overwrite = true
	a = must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "x/a", over))
	if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())); !slices.Equal(got.Data, []uint8{0, 0, 0, 0}) {
		t.Errorf("old chunks are left: %v", got.Data)
	}
	must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", over))
	if got := keys(t, s); !slices.Equal(got, []string{"zarr.json"}) {
		t.Errorf("keys %v are left under a new root", got)
	}
}

func TestOneOfSeveralCreatorsWins(t *testing.T) {
	s := mem.New()
	var won, lost sync.Map
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			_, err := zarr.CreateArrayIn(ctx, s, "g/a", small)
			switch {
			case err == nil:
				won.Store(k, true)
			case errors.Is(err, zarr.ErrExist):
				lost.Store(k, true)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	won.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d created the same array", n)
	}
}

func TestPathsThatAreNoneAreRefused(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	for _, p := range []string{"..", "a/../b", "../x", "a//b", ".", "a\x00b", `a\b`, "__zarr_hidden", "a/__zarr__/b"} {
		if _, err := zarr.CreateArrayIn(ctx, s, p, small); err == nil {
			t.Errorf("array at %q", p)
		}
		if _, err := zarr.CreateGroupIn(ctx, s, p); err == nil {
			t.Errorf("group at %q", p)
		}
		if _, err := g.Open(ctx, p); err == nil {
			t.Errorf("%q opened", p)
		}
		if err := g.Delete(ctx, p); err == nil {
			t.Errorf("%q deleted", p)
		}
	}
	if got := keys(t, s); !slices.Equal(got, []string{"zarr.json"}) {
		t.Errorf("keys %v", got)
	}
}

func TestOpeningTheWrongKindSaysSo(t *testing.T) {
	dir := t.TempDir()
	root := must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, "g.zarr")))
	defer root.Close()
	must[*zarr.Array](t)(root.CreateArray(ctx, "a", small))
	_, err := zarr.OpenGroup(ctx, filepath.Join(dir, "g.zarr", "a"))
	wantError(t, err, "is an array, not a group", "g.zarr/a")
	_, err = zarr.OpenArray(ctx, filepath.Join(dir, "g.zarr"))
	wantError(t, err, "is a group, not an array", "g.zarr")
	_, err = zarr.Open(ctx, filepath.Join(dir, "g.zarr", "none"))
	if !errors.Is(err, store.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "none")
	n := must[zarr.Node](t)(zarr.Open(ctx, filepath.Join(dir, "g.zarr"), zarr.ReadOnly()))
	defer n.Close()
	if _, err := n.(*zarr.Group).CreateGroup(ctx, "new"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}

// spelled is attributes as they are written, but for spaces between them.
func spelled(a *meta.Attributes) string {
	return strings.Join(strings.Fields(string(a.Append(nil))), "")
}

func TestAttributesAreKeptAsTheyAre(t *testing.T) {
	text := `{"z": 1.0, "a": [NaN, -Infinity, 1e400], "ключ": {"x": null}, "n": 12345678901234567890}`
	attrs := must[*meta.Attributes](t)(meta.ParseAttributes([]byte(text)))
	spec := small
	spec.Attributes = attrs
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "g/a", spec))
	want := spelled(attrs)
	if got := spelled(reopen(t, a).Attributes()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	mine := a.Attributes()
	check(t, mine.Set("z", 2))
	if got := spelled(a.Attributes()); got != want {
		t.Error("a copy changed the array")
	}
	check(t, a.SetAttributes(ctx, mine))
	if got := string(reopen(t, a).Attributes().Raw("z")); got != "2" {
		t.Errorf("z is %s", got)
	}
	g := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "g")).(*zarr.Group)
	check(t, g.SetAttributes(ctx, attrs))
	again := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "g"))
	if got := spelled(again.Attributes()); got != want {
		t.Errorf("group has %s", got)
	}
}

func TestMembersThatAreNotUnderstoodAreKept(t *testing.T) {
	s := mem.New()
	doc := `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
		`"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"],"x-note":{"must_understand":false,"text":"keep"}}`
	_, err := s.Put(ctx, "zarr.json", []byte(doc), store.PutOptions{})
	check(t, err)
	a := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Array)
	check(t, a.Resize(ctx, 6))
	text, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
	check(t, err)
	if !strings.Contains(string(text), `"x-note"`) || !strings.Contains(string(text), `"keep"`) {
		t.Errorf("the member is gone: %s", text)
	}
}

func TestAnArrayWithAnUnknownCodecShowsItsMetadata(t *testing.T) {
	s := mem.New()
	doc := `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
		`"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes",{"name":"future","configuration":{"x":1}%s}],"attributes":{"k":1}}`
	for _, optional := range []string{"", `,"must_understand":false`} {
		_, err := s.Put(ctx, "zarr.json", []byte(strings.Replace(doc, "%s", optional, 1)), store.PutOptions{})
		check(t, err)
		a := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "")).(*zarr.Array)
		if a.Attributes().Len() != 1 || !slices.Equal(a.Shape(), []int{4}) {
			t.Error("metadata is not shown")
		}
		_, err = zarr.Read[uint8](ctx, a, zarr.All())
		wantError(t, err, "codec future: unknown codec", a.URL())
		if !errors.Is(err, codec.ErrUnknown) {
			t.Errorf("got %v", err)
		}
		wantError(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}), "codec future: unknown codec")
		for _, err := range zarr.Chunks[uint8](ctx, a) {
			wantError(t, err, "codec future")
		}
		check(t, a.SetAttributes(ctx, a.Attributes()))
		text, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
		check(t, err)
		if !strings.Contains(string(text), `"future"`) || (optional != "") != strings.Contains(string(text), "must_understand") {
			t.Errorf("the codec changed: %s", text)
		}
	}
	bad := small
	bad.Codecs = json.RawMessage(`["bytes","future"]`)
	_, err := zarr.CreateArrayIn(ctx, s, "new", bad)
	wantError(t, err, "codec future: unknown codec")
}

func TestConsolidatedMetadataIsPreferredBypassedAndRefreshed(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	must[*zarr.Array](t)(g.CreateArray(ctx, "x/a", small))
	check(t, g.Consolidate(ctx))
	must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "x/b", small))

	open := func(opts ...zarr.Option) *zarr.Group {
		return must[zarr.Node](t)(zarr.OpenStore(ctx, s, "", opts...)).(*zarr.Group)
	}
	if got := paths(t, open()); !slices.Equal(got, []string{"x", "x/a"}) {
		t.Errorf("preferred: %v", got)
	}
	if got := paths(t, open(zarr.BypassConsolidated())); !slices.Equal(got, []string{"x", "x/a", "x/b"}) {
		t.Errorf("bypassed: %v", got)
	}
	_, err := open().Array(ctx, "x/b")
	if !errors.Is(err, store.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "consolidated metadata", "x/b")
	sub := must[*zarr.Group](t)(open().Group(ctx, "x"))
	if got := paths(t, sub); !slices.Equal(got, []string{"x/a"}) {
		t.Errorf("below a group: %v", got)
	}
	check(t, open().Consolidate(ctx))
	if got := paths(t, open()); !slices.Equal(got, []string{"x", "x/a", "x/b"}) {
		t.Errorf("refreshed: %v", got)
	}
	// The documents of the nodes themselves are not needed to read them, but to write.
	check(t, zarr.Write(ctx, must[*zarr.Array](t)(open().Array(ctx, "x/a")), zarr.All(), []uint8{1, 2, 3, 4}))
	check(t, s.Delete(ctx, "x/a/zarr.json"))
	a := must[*zarr.Array](t)(open().Array(ctx, "x/a"))
	if err := zarr.Write(ctx, a, zarr.All(), []uint8{5, 6, 7, 8}); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("a write without a document: %v", err)
	}
	if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())); got.Data[3] != 4 {
		t.Errorf("got %v", got.Data)
	}
}

func TestAGroupMayBeUsedByGoroutines(t *testing.T) {
	g := newGroup(t)
	var wg sync.WaitGroup
	for k := range 4 {
		name := string(rune('a' + k))
		wg.Go(func() {
			for range 5 {
				if _, err := g.CreateArray(ctx, name+"/x", zarr.ArraySpec{Shape: []int{4}, DataType: "uint8", Overwrite: true}); err != nil {
					t.Error(err)
				}
				if err := g.Consolidate(ctx); err != nil && !errors.Is(err, store.ErrNotExist) {
					t.Error(err)
				}
				for range g.Walk(ctx) {
				}
				attrs := g.Attributes()
				if err := attrs.Set(name, 1); err != nil {
					t.Error(err)
				}
				if err := g.SetAttributes(ctx, attrs); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
