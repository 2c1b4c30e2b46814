package write_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// keys are those of a store below a prefix.
func keys(t testing.TB, s store.Reader, prefix string) (out []string) {
	t.Helper()
	for e, err := range s.List(ctx, prefix, "") {
		check(t, err)
		out = append(out, e.Key)
	}
	return out
}

// wants checks that an error says something.
func wants(t testing.TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want %s", err, text)
	}
}

// copies are those that were made of sessions, with consolidated metadata or plain.
var copies = map[string]*mem.Store{}

// copied is a copy of a session in a store of its own.
func copied(t testing.TB, name string, plain bool) *mem.Store {
	t.Helper()
	key := fmt.Sprint(name, plain)
	if copies[key] == nil {
		s := mem.New()
		check(t, copyFile(ctx, "test://", source(t, name), to(s, write.Options{Plain: plain})))
		copies[key] = s
	}
	return copyOf(t, copies[key])
}

func created(t testing.TB, g *write.Group, o write.Options) *mem.Store {
	t.Helper()
	s := mem.New()
	check(t, write.Create(ctx, "test://", g, to(s, o)))
	return s
}

func common(name string, attrs map[string]any) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: name}, Attributes: attrs}
}

func counting(n int) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return v
}

// table has a column "v" of n numbers, and ids.
func table(ids, n int) *write.Group {
	return &write.Group{
		Object: common("DynamicTable", map[string]any{"colnames": []string{"v"}, "description": "x"}),
		Datasets: map[string]*write.Dataset{
			"id": {Object: common("ElementIdentifiers", nil), Data: write.Numbers(counting(ids)), Chunks: []int{max(1, min(ids, 4))}},
			"v":  {Object: common("VectorData", nil), Data: write.Numbers(counting(n)), Chunks: []int{max(1, min(n, 4))}},
		}}
}

func within(name string, g *write.Group) *write.Group {
	return &write.Group{Groups: map[string]*write.Group{name: g}}
}

func TestIndexesWidenedTwiceInOneCommit(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("TestChunksThatCannotBeRemoved writes as many chunks at once")
	}
	s := copied(t, "session_v3.nwb", false)
	old := rows(t, in(t, s), "/units")
	e := edit(t, s)
	for i, change := range []func() error{
		func() error { return e.AppendRows(ctx, "/units", units(300)) },
		func() error { return e.AppendRows(ctx, "/units", units(70000)) },
		func() error { return e.Commit(ctx) },
	} {
		check(t, change())
		if got := rows(t, in(t, s), "/units"); len(got) != 5+4*(i/2) || !slices.Equal(got[:5], old) {
			t.Fatalf("step %d: %d rows:\n%.500s", i, len(got), strings.Join(got, "\n"))
		}
	}
	check(t, e.Close())
	if got := keys(t, s, "units/spike_times_index/"); slices.ContainsFunc(got, func(k string) bool { return strings.Contains(k, "/c/") }) {
		t.Errorf("chunks of before are left: %v", got)
	}
	if got := rows(t, in(t, s), "/units")[8]; !strings.Contains(got, "spike_times=[float64 70000.0]") {
		t.Errorf("%.300s", got)
	}
}

// What somebody stored is not cut because something else is shorter.
func TestListsOfOtherLengthsAreNotCut(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		numbers := make([]float64, 100)
		ragged := table(3, 3)
		ragged.Attributes["colnames"] = []string{"v", "r"}
		ragged.Datasets["r"] = &write.Dataset{Object: common("VectorData", nil), Data: write.Numbers(counting(12)), Chunks: []int{4}}
		ragged.Datasets["r_index"] = &write.Dataset{Object: common("VectorIndex", map[string]any{"target": to1("/ragged/r")}), Data: write.Numbers([]uint8{1, 2, 3})}
		s := created(t, &write.Group{Groups: map[string]*write.Group{
			"more":   table(3, 12),
			"fewer":  table(12, 3),
			"ragged": ragged,
			"series": {Object: typed("TimeSeries"), Datasets: map[string]*write.Dataset{
				"data": {Data: write.Numbers(numbers), Chunks: []int{10}}, "timestamps": {Data: write.Numbers(numbers[:8]), Chunks: []int{10}}}},
			"late": {Object: typed("TimeSeries"), Datasets: map[string]*write.Dataset{
				"data": {Data: write.Numbers(numbers[:8])}, "timestamps": {Data: write.Numbers(numbers)}}},
		}}, write.Options{Layout: layout})
		before, all := dump(t, in(t, s)), keys(t, s, "")
		_, err := s.Put(ctx, ".omnizarr-edit", []byte(`{"lengths":{"more/v":`), store.PutOptions{}) // allows nothing
		check(t, err)
		e := edit(t, s)
		one := write.Column{Data: write.Numbers([]int64{-1})}
		v := write.Rows{Columns: map[string]write.Column{"v": one}}
		wants(t, e.AppendSamples(ctx, "/series", write.Numbers([]float64{-1}), []float64{8}), "data has 100 samples, timestamps 8")
		wants(t, e.AppendSamples(ctx, "/late", write.Numbers([]float64{-1}), []float64{8}), "data has 8 samples, timestamps 100")
		wants(t, e.AppendRows(ctx, "/more", v), `column "v" has 12 entries, the table 3`)
		wants(t, e.AppendRows(ctx, "/fewer", v), `column "v" has 3 entries, the table 12`)
		wants(t, e.AppendRows(ctx, "/ragged", write.Rows{Columns: map[string]write.Column{"v": one, "r": {Data: one.Data, Counts: [][]int{{1}}}}}), `column "r" has 12 entries, its index ends at 3`)
		check(t, e.Commit(ctx))
		same(t, dump(t, in(t, s)), before)
		if got := keys(t, s, ""); !slices.Equal(got, all) {
			t.Errorf("keys %v, had %v", got, all)
		}
	}
}

func TestNothingIsReplacedByWhatIsAdded(t *testing.T) {
	for _, name := range sessions {
		s := memory(t, name)
		if thorough.Enabled {
			s = copied(t, name, false)
		}
		e := edit(t, s)
		all := keys(t, s, "")
		for _, at := range []string{"/specifications", "specifications/core/x", "/specifications/core/../x"} {
			for _, err := range []error{e.AddGroup(ctx, at, &write.Group{}), e.AddDataset(ctx, at, &write.Dataset{Data: write.Scalar(1)}), e.Link(ctx, at, to1("/units"))} {
				wants(t, err, "the cached schemas of the file are in /specifications")
			}
		}
		check(t, e.AddGroup(ctx, "/specifications2", &write.Group{}))
		for i, change := range []func(key string) error{
			func(key string) error {
				_, err := s.Put(ctx, key, []byte("{broken"), store.PutOptions{})
				return err
			},
			func(key string) error { return s.Delete(ctx, key) }, // what is below is no leftover
		} {
			key := "units/.zgroup"
			if name == "session_v3.nwb" {
				key = "units/zarr.json"
			}
			check(t, change(key))
			e = edit(t, s)
			if err := e.AddGroup(ctx, "/units", &write.Group{}); err == nil {
				t.Errorf("%s change %d: added", name, i)
			}
			if got := keys(t, s, ""); len(got) != len(all)-i {
				t.Errorf("%s change %d: %d keys, had %d", name, i, len(got), len(all))
			}
		}
	}
}

// What is appended may lie in an array of which parts are not stored.
func TestRowsOfAnotherArray(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{6}, DataType: "int64", Chunks: []int{2}, FillValue: []byte("7")})
		check(t, err)
		check(t, zarr.Write(ctx, a, zarr.Select(zarr.Span(2, 4)), []int64{1, 2}))
		s := created(t, within("t", table(1, 1)), write.Options{Layout: layout})
		e := edit(t, s)
		check(t, e.AppendRows(ctx, "/t", write.Rows{Columns: map[string]write.Column{"v": {Data: write.Array(a)}}}))
		check(t, e.Commit(ctx))
		if got := strings.Join(rows(t, in(t, s), "/t"), ""); strings.Count(got, "v=[int64 7]") != 4 || !strings.Contains(got, "v=[int64 1]") {
			t.Errorf("%v: %s", layout, got)
		}
	}
}

func TestTablesWithRowsInCommon(t *testing.T) {
	parent := &write.Group{
		Object:   common("AlignedDynamicTable", map[string]any{"colnames": []string{}, "categories": []string{"a"}, "description": "x"}),
		Datasets: map[string]*write.Dataset{"id": {Object: common("ElementIdentifiers", nil), Data: write.Numbers(counting(2))}},
		Groups:   map[string]*write.Group{"a": table(2, 2), "b": table(2, 2)},
	}
	s := created(t, within("t", parent), write.Options{})
	e := edit(t, s)
	one := write.Rows{Columns: map[string]write.Column{"v": {Data: write.Numbers([]int64{5})}}}
	wants(t, e.AppendRows(ctx, "/t", write.Rows{IDs: []int64{2}}), `has rows in common with its categories ["a"]`)
	wants(t, e.AppendRows(ctx, "/t/a", one), "is a category of /t")
	check(t, e.AppendRows(ctx, "/t/b", one))
}

func TestRowsOfEnumerations(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		g := table(3, 3)
		g.Attributes["colnames"] = []string{"v", "kind"}
		g.Datasets["kind"] = &write.Dataset{Object: common("EnumData", map[string]any{"elements": to1("/t/kind_elements")}), Data: write.Numbers([]uint8{0, 1, 0})}
		g.Datasets["kind_elements"] = &write.Dataset{Object: common("VectorData", nil), Data: write.Text([]string{"a", "b"})}
		s := created(t, within("t", g), write.Options{Layout: layout})
		e := edit(t, s)
		check(t, e.AppendRows(ctx, "/t", write.Rows{Columns: map[string]write.Column{"v": {Data: write.Numbers([]int64{7})}, "kind": {Data: write.Numbers([]uint8{1})}}}))
		check(t, e.Commit(ctx))
		if got := rows(t, in(t, s), "/t"); len(got) != 4 || got[3] != "id=[int64 3] v=[int64 7] kind=[uint8 1] " {
			t.Errorf("%q", got)
		}
	}
}

// An error before anything was written leaves the editor as it was.
func TestWhatCannotBeAdded(t *testing.T) {
	for _, name := range sessions {
		s := copied(t, name, false)
		e := edit(t, failAfter(s, 0))
		wants(t, e.AddGroup(ctx, "/q", nil), "there is nil")
		wants(t, e.AddDataset(ctx, "/q", nil), "there is nil")
		wants(t, e.AddGroup(ctx, "/q", &write.Group{Datasets: map[string]*write.Dataset{"d": nil}}), "there is nil")
		wants(t, e.AddGroup(ctx, "/q", &write.Group{Groups: map[string]*write.Group{"a/b": {}}}), "cannot be the name")
		wants(t, e.Link(ctx, "/q", hdmf.Reference{}), "path")
		wants(t, e.Link(ctx, "/q", hdmf.Reference{Source: "."}), "path")
		if _, err := e.File().Object(ctx, "/q"); !errors.Is(err, zarr.ErrNoNode) {
			t.Errorf("%v", err)
		}
		check(t, e.Commit(ctx))
	}
}

// Nobody wants chunks of one row because a table was empty when it was made.
func TestEmptyTablesGetLongerChunks(t *testing.T) {
	width := thorough.Of(5, 500)
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3}[:thorough.Least(1, 2, 2)] {
		g := table(0, 0)
		g.Attributes["colnames"] = []string{"v", "w", "s"}
		g.Datasets["w"] = &write.Dataset{Object: common("VectorData", nil), Data: write.Numbers([]float32{}, 0, width)}
		g.Datasets["s"] = &write.Dataset{Object: common("VectorData", nil), Data: write.Text(nil)}
		start := created(t, within("t", g), write.Options{Layout: layout})
		grow := func(e *write.Editor, n int) error {
			return e.AppendRows(ctx, "/t", write.Rows{Columns: map[string]write.Column{
				"v": {Data: write.Numbers(counting(n))}, "w": {Data: write.Numbers(make([]float32, width*n), n, width)}, "s": {Data: write.Text(make([]string, n))}}})
		}
		s := copyOf(t, start)
		e := edit(t, s)
		check(t, grow(e, 2000))
		check(t, grow(e, 10))
		check(t, e.Commit(ctx))
		if got := len(keys(t, s, "t/")); got > 40 {
			t.Errorf("%v: %d keys", layout, got)
		}
		got := rows(t, in(t, s), "/t")
		if len(got) != 2010 || !strings.HasPrefix(got[1999], "id=[int64 1999] v=[int64 1999] w=[float32 0.0 ") || !strings.HasPrefix(got[2009], "id=[int64 2009] v=[int64 9] ") {
			t.Errorf("%v: %d rows, %.100s", layout, len(got), fmt.Sprint(got[1999:]))
		}
		// What is left by an interruption may be cut in another way.
		s = copyOf(t, start)
		e = edit(t, s)
		check(t, grow(e, 2000))
		check(t, e.Close())
		e = edit(t, s)
		check(t, grow(e, 3))
		check(t, e.Commit(ctx))
		if got := rows(t, in(t, s), "/t"); len(got) != 3 {
			t.Errorf("%v: %d rows", layout, len(got))
		}
	}
}
