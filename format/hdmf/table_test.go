package hdmf_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/omnizarr/zarr/internal/thorough"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

var ctx = context.Background()

func table(t testing.TB, f *hdmf.File, at string) *hdmf.Table {
	t.Helper()
	tab, err := hdmf.OpenTable(ctx, group(t, f, at))
	check(t, err)
	return tab
}

func column(t testing.TB, tab *hdmf.Table, name string) *hdmf.Column {
	t.Helper()
	c, err := tab.Column(name)
	check(t, err)
	return c
}

// flat is elements as the expectations have them.
func flat(t testing.TB, v *hdmf.Values, f *hdmf.File) []any {
	t.Helper()
	out := []any{}
	for i := range v.Len() {
		out = append(out, element(t, v, i, f))
	}
	return out
}

// plainRow takes one row out of expected values: by the ends that the indexes
// give, as hdmf defines it.
func plainRow(want map[string]expectedNode, at string, row int) []any {
	data := want[at]
	start, stop := row, row+1
	var ends [][]any
	for name := at + "_index"; want[name].Kind != ""; name += "_index" {
		ends = append([][]any{want[name].Values}, ends...)
	}
	for _, list := range ends {
		end := func(i int) int {
			if i == 0 {
				return 0
			}
			return int(list[i-1].(float64))
		}
		start, stop = end(start), end(stop)
	}
	each := 1
	for _, n := range data.Shape[1:] {
		each *= n
	}
	return append([]any{}, data.Values[start*each:stop*each]...)
}

func TestTablesHaveTheRowsThatTheirIndexesSay(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb", "session_v2_plain.nwb"} {
		f := fixture(t, name)
		var want expected
		check(t, json.Unmarshal(nwbtest.Read(t, name+".expected.json"), &want))
		tables, compared, ragged := 0, 0, 0
		for at, w := range want.Nodes {
			if w.Attributes["colnames"] == nil {
				continue
			}
			tables++
			tab := table(t, f, at)
			if p := tab.Problems(); p != nil {
				t.Errorf("%s: %v", at, p)
			}
			var names []any
			for _, c := range tab.Columns() {
				names = append(names, c.Name())
				if w := want.Nodes[at+"/"+c.Name()]; c.Rows() != tab.Rows() || w.Values == nil {
					continue
				}
				cells, err := c.Read(ctx, 0, tab.Rows())
				check(t, err)
				for i := range tab.Rows() {
					compared++
					if got, w := flat(t, cells.Row(i), f), plainRow(want.Nodes, at+"/"+c.Name(), i); !reflect.DeepEqual(got, w) {
						t.Errorf("%s %s/%s row %d: %v, want %v", name, at, c.Name(), i, got, w)
					}
				}
				if c.Depth() > 0 {
					ragged++
				}
			}
			if !reflect.DeepEqual(names, w.Attributes["colnames"]) {
				t.Errorf("%s: columns %v, want %v", at, names, w.Attributes["colnames"])
			}
		}
		if tables < 6 || compared < 50 || ragged < 4 {
			t.Errorf("%s: %d tables, %d rows, %d ragged columns", name, tables, compared, ragged)
		}
	}
}

func TestADoublyRaggedColumnHasListsOfLists(t *testing.T) {
	f := fixture(t, "session_v2.nwb")
	c := column(t, table(t, f, "/units"), "waveforms")
	if c.Depth() != 2 {
		t.Fatalf("depth %d", c.Depth())
	}
	cells, err := c.ReadRows(ctx, []int{1})
	check(t, err)
	if len(cells.Offsets) != 2 || cells.Rows() != 1 || cells.Offsets[0][1] != len(cells.Offsets[1])-1 {
		t.Errorf("offsets %v", cells.Offsets)
	}
	if got, n := cells.Offsets[1][len(cells.Offsets[1])-1], cells.Shape[0]; got != n {
		t.Errorf("the last list ends at %d of %d", got, n)
	}
}

func TestRowsOfAnotherTable(t *testing.T) {
	f := fixture(t, "session_v3.nwb")
	c := column(t, table(t, f, "/units"), "electrodes")
	other, err := c.Table(ctx)
	check(t, err)
	if other.Group().Path() != "/general/extracellular_ephys/electrodes" {
		t.Errorf("%s", other.Group().Path())
	}
	cells, err := c.ReadRows(ctx, []int{2, 0})
	check(t, err)
	rows, err := cells.Row(1).Ints()
	check(t, err)
	list := []int{}
	for _, r := range rows {
		list = append(list, int(r))
	}
	location, err := column(t, other, "location").ReadRows(ctx, list)
	check(t, err)
	if location.Rows() != len(list) || location.Text(0) == "" {
		t.Errorf("%d rows of %v", location.Rows(), list)
	}
	if none, err := column(t, other, "location").Table(ctx); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
}

// TestAnyRowsOfAnyColumn compares reads of rows with a plain model.
func TestAnyRowsOfAnyColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for try := range thorough.Rounds(60) {
		w := newWriter(t)
		rows := 1 + r.IntN(thorough.Least(60, 200, 200))
		var ends, outer []uint32
		n := 0
		for range rows {
			for range r.IntN(3) {
				n += r.IntN(40)
				ends = append(ends, uint32(n))
			}
			outer = append(outer, uint32(len(ends)))
		}
		inner := 1 + r.IntN(3)
		if try%2 == 0 { // so that not all is read at once
			inner = 100 + r.IntN(200)
		}
		data := make([]int32, n*inner)
		words := make([]string, n)
		for i := range data {
			data[i] = int32(i)
		}
		for i := range words {
			words[i] = fmt.Sprint("word ", i)
		}
		chunk := []int{1 + r.IntN(max(n, 1)), 1 + r.IntN(inner)}
		w.group("t", "colnames", []string{"x", "s"})
		if try%3 == 0 {
			a, err := w.g.CreateArray(ctx, "t/x", zarr.ArraySpec{Shape: []int{n, inner}, DataType: "int32", Chunks: chunk, Shards: []int{chunk[0] * 3, chunk[1]}})
			check(t, err)
			check(t, zarr.Write(ctx, a, zarr.All(), data))
		} else {
			array(w, "t/x", "int32", []int{n, inner}, chunk, data)
		}
		array(w, "t/s", "string", []int{n}, chunk[:1], words)
		for _, name := range []string{"x", "s"} {
			w.index("t", name, ends)
			w.index("t", name+"_index", outer)
		}
		tab := table(t, w.file(), "/t")
		list := make([]int, r.IntN(100))
		for i := range list {
			list[i] = r.IntN(rows)
			if i > 0 && r.IntN(2) == 0 {
				list[i] = min(list[i-1]+1, rows-1)
			}
		}
		x, err := column(t, tab, "x").ReadRows(ctx, list)
		check(t, err)
		s, err := column(t, tab, "s").ReadRows(ctx, list)
		check(t, err)
		from := func(list []uint32, i int) int {
			if i == 0 {
				return 0
			}
			return int(list[i-1])
		}
		for k, row := range list {
			a, b := from(ends, from(outer, row)), from(ends, from(outer, row+1))
			got, err := hdmf.SliceOf[int32](x.Row(k))
			check(t, err)
			if !slices.Equal(got, data[a*inner:b*inner]) {
				t.Fatalf("try %d row %d: %v, want %v", try, row, got, data[a*inner:b*inner])
			}
			for i := range b - a {
				if got := s.Row(k).Text(i); got != words[a+i] {
					t.Fatalf("try %d row %d: %q, want %q", try, row, got, words[a+i])
				}
			}
			if shape := x.Row(k).Shape; !slices.Equal(shape, []int{b - a, inner}) {
				t.Fatalf("try %d row %d: shape %v", try, row, shape)
			}
			if lists := x.Offsets[0][k+1] - x.Offsets[0][k]; lists != int(outer[row])-from(outer, row) {
				t.Fatalf("try %d row %d: %d lists", try, row, lists)
			}
		}
	}
}

func TestIndexesThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		ends []uint32
		rows []int
	}{
		"decreasing":     {[]uint32{4, 2, 6}, []int{1}},
		"beyond the end": {[]uint32{4, 8, 11}, []int{2}},
		"far beyond":     {[]uint32{4, 8, 1<<32 - 1}, []int{0, 2}},
	} {
		w := newWriter(t)
		w.group("t", "colnames", []string{"x"})
		array(w, "t/x", "float64", []int{10}, []int{4}, make([]float64, 10))
		w.index("t", "x", c.ends)
		x := column(t, table(t, w.file(), "/t"), "x")
		if _, err := x.ReadRows(ctx, c.rows); !errors.Is(err, hdmf.ErrIndex) || !strings.Contains(err.Error(), "x_index") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := x.Read(ctx, 0, 3); !errors.Is(err, hdmf.ErrIndex) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := x.ReadRows(ctx, []int{0}); err != nil {
			t.Errorf("%s: a good row: %v", name, err)
		}
		for _, rows := range [][]int{{3}, {-1}} {
			if _, err := x.ReadRows(ctx, rows); err == nil {
				t.Errorf("%s: row %v was read", name, rows)
			}
		}
	}
}

func TestAnIndexOfManyRowsIsReadInParts(t *testing.T) {
	w := newWriter(t)
	const rows = 1 << 40 // which nobody wrote: all lists are empty
	w.group("t", "colnames", []string{"x"})
	array(w, "t/x", "float64", []int{10}, []int{4}, make([]float64, 10))
	array[uint64](w, "t/x_index", "uint64", []int{rows}, []int{1000}, nil, "neurodata_type", "VectorIndex")
	a, err := w.g.Array(ctx, "t/x_index")
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.Slice("5000:5003"), []uint64{2, 5, 5}))
	x := column(t, table(t, w.file(), "/t"), "x")
	cells, err := x.ReadRows(ctx, []int{5002, 5000, 0, 5001})
	check(t, err)
	if !reflect.DeepEqual(cells.Offsets, [][]int{{0, 0, 2, 2, 5}}) {
		t.Errorf("%v", cells.Offsets)
	}
	if _, err := x.Read(ctx, 0, rows); err == nil || !strings.Contains(err.Error(), "MaxRead") {
		t.Errorf("%v", err)
	}
	if _, err := x.ReadRows(ctx, []int{5003}); !errors.Is(err, hdmf.ErrIndex) { // ends at 0 again
		t.Errorf("%v", err)
	}
}

func TestTablesThatAreNone(t *testing.T) {
	w := newWriter(t)
	w.group("plain")
	w.group("odd", "colnames", 7)
	w.group("gaps", "colnames", []string{"a", "missing", "a", "dir", "one"})
	array(w, "gaps/a", "int8", []int{3}, []int{3}, []int8{1, 2, 3})
	array(w, "gaps/id", "int8", []int{4}, []int{4}, []int8{0, 1, 2, 3})
	array(w, "gaps/one", "int8", []int{}, []int{}, []int8{1})
	w.group("gaps/dir")
	w.group("ring", "colnames", []string{"a"})
	ref := func(to string) any {
		return map[string]any{"_REFERENCE": map[string]any{"source": ".", "path": "/ring/" + to}}
	}
	array(w, "ring/a", "int8", []int{3}, []int{3}, []int8{1, 2, 3}, "target", ref("b"))
	array(w, "ring/b", "int8", []int{3}, []int{3}, []int8{1, 2, 3}, "target", ref("a"))
	w.group("other", "colnames", []string{"a"})
	array(w, "other/a", "int8", []int{3}, []int{3}, []int8{1, 2, 3})
	array(w, "other/b", "int8", []int{3}, []int{3}, []int8{1, 2, 3}, "target", ref("a")) // of another table
	f := w.file()
	if c := column(t, table(t, f, "/other"), "a"); c.Depth() != 0 {
		t.Errorf("depth %d", c.Depth())
	}
	if _, err := hdmf.OpenTable(ctx, group(t, f, "/plain")); !errors.Is(err, hdmf.ErrNoTable) {
		t.Errorf("%v", err)
	}
	if _, err := hdmf.OpenTable(ctx, group(t, f, "/odd")); err == nil || !strings.Contains(err.Error(), "colnames: must be an array, not a number") {
		t.Errorf("%v", err)
	}
	tab := table(t, f, "/gaps")
	if len(tab.Columns()) != 1 || len(tab.Problems()) != 5 || tab.Rows() != 4 {
		t.Errorf("%d columns, %d rows, %v", len(tab.Columns()), tab.Rows(), tab.Problems())
	}
	if _, err := tab.Column("missing"); !errors.Is(err, hdmf.ErrNoColumn) {
		t.Errorf("%v", err)
	}
	if p := table(t, f, "/ring").Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "index") {
		t.Errorf("%v", p)
	}
}

// TestIndexesThatAreLinks has tables whose columns lie in another table, as files
// have them that were exported with links.
func TestIndexesThatAreLinks(t *testing.T) {
	w := newWriter(t)
	link := func(name, to string) any { return map[string]any{"name": name, "source": ".", "path": to} }
	w.group("src", "colnames", []string{"x"})
	array(w, "src/x", "float64", []int{3}, []int{3}, []float64{0.1, 0.2, 0.3})
	w.index("src", "x", []uint32{2, 3})
	array(w, "src/id", "int64", []int{2}, []int{2}, []int64{0, 1})
	w.group("all", "colnames", []string{"x"}, "_LINKS", []any{link("id", "/src/id"), link("x", "/src/x"), link("x_index", "/src/x_index")})
	w.group("other", "colnames", []string{"y"}, "_LINKS", []any{link("y", "/src/x"), link("ends", "/src/x_index")})
	w.group("twice", "colnames", []string{"x"}, "_LINKS", []any{link("x", "/all/x"), link("x_index", "/all/x_index")})
	w.group("own", "colnames", []string{"x"}, "_LINKS", []any{link("x_index", "/src/x_index")})
	array(w, "own/x", "float64", []int{3}, []int{3}, []float64{0.1, 0.2, 0.3})
	w.group("lost", "colnames", []string{"x"}, "_LINKS", []any{link("x", "/src/x"), link("x_index", "/gone")})
	f := w.file()
	for at, name := range map[string]string{"/src": "x", "/all": "x", "/other": "y", "/twice": "x", "/own": "x"} {
		tab := table(t, f, at)
		c := column(t, tab, name)
		if c.Depth() != 1 || c.Rows() != 2 || tab.Problems() != nil {
			t.Errorf("%s: depth %d, %d rows, %v", at, c.Depth(), c.Rows(), tab.Problems())
			continue
		}
		cells, err := c.Read(ctx, 0, 2)
		check(t, err)
		got, err := cells.Row(0).Floats()
		check(t, err)
		if !slices.Equal(got, []float64{0.1, 0.2}) {
			t.Errorf("%s: %v", at, got)
		}
	}
	lost := table(t, f, "/lost")
	if p := lost.Problems(); len(lost.Columns()) != 0 || len(p) != 1 || !strings.Contains(p[0].Error(), "/gone") {
		t.Errorf("%d columns, %v", len(lost.Columns()), p)
	}
}

func TestIndexesInAnotherFile(t *testing.T) {
	home := t.TempDir()
	g, err := zarr.CreateGroup(ctx, filepath.Join(home, "src.zarr"))
	check(t, err)
	defer g.Close()
	w := writer{t, g}
	w.group("units", "colnames", []string{"x"})
	array(w, "units/x", "float64", []int{3}, []int{3}, []float64{0.1, 0.2, 0.3})
	w.index("units", "x", []uint32{2, 3})
	put(t, filepath.Join(home, "f.zarr"), `{}`)
	put(t, filepath.Join(home, "f.zarr", "t"), `{"colnames":["x"],"_LINKS":[{"name":"x","source":"../src.zarr","path":"/units/x"},{"name":"x_index","source":"../src.zarr","path":"/units/x_index"}]}`)
	c := column(t, table(t, open(t, filepath.Join(home, "f.zarr")), "/t"), "x")
	if c.Depth() != 1 || c.Rows() != 2 {
		t.Errorf("depth %d, %d rows", c.Depth(), c.Rows())
	}
}

func TestAnAlignedTableHasCategories(t *testing.T) {
	w := newWriter(t)
	w.group("t", "colnames", []string{}, "categories", []string{"red", "blue"})
	array(w, "t/id", "int64", []int{2}, []int{2}, []int64{0, 1})
	for _, name := range []string{"red", "blue"} {
		w.group("t/"+name, "colnames", []string{"x"})
		array(w, "t/"+name+"/x", "int16", []int{2}, []int{2}, []int16{1, 2})
	}
	tab := table(t, w.file(), "/t")
	if !slices.Equal(tab.Categories(), []string{"red", "blue"}) || tab.Rows() != 2 {
		t.Errorf("%v, %d rows", tab.Categories(), tab.Rows())
	}
	blue, err := tab.Category(ctx, "blue")
	check(t, err)
	if len(blue.Columns()) != 1 || blue.Rows() != 2 {
		t.Errorf("%d columns, %d rows", len(blue.Columns()), blue.Rows())
	}
	if _, err := tab.Category(ctx, "green"); err == nil {
		t.Error("a category that is not there was opened")
	}
}

func BenchmarkScatteredRaggedRows(b *testing.B) {
	const rows, each = 200_000, 40
	ends := make([]uint32, rows)
	times := make([]float64, rows*each)
	for i := range ends {
		ends[i] = uint32((i + 1) * each)
	}
	for i := range times {
		times[i] = float64(i) / 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]int, 2000)
	for i := range list {
		list[i] = r.IntN(rows)
	}
	for _, chunk := range []int{1 << 12, 1 << 15, 1 << 18} {
		w := newWriter(b)
		w.group("units", "colnames", []string{"spike_times"})
		array(w, "units/spike_times", "float64", []int{len(times)}, []int{chunk}, times)
		w.index("units", "spike_times", ends)
		b.Run(fmt.Sprint("chunks of ", chunk), func(b *testing.B) {
			for b.Loop() {
				cells, err := column(b, table(b, w.file(), "/units"), "spike_times").ReadRows(ctx, list)
				if err != nil || cells.Len() != 2000*each {
					b.Fatal(err)
				}
			}
		})
	}
}
