package table_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/table"
	"github.com/omnizarr/zarr/store/mem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fixture opens a table of a file.
func fixture(t testing.TB, file, at string, o table.Options) *table.Table {
	t.Helper()
	kinds := std.Kinds()
	s, err := convention.Find(t.Context(), filepath.Join(nwbtest.Unpack(t, file), file, at), kinds.Conventions())
	check(t, err)
	t.Cleanup(func() { s.Close() })
	set, err := table.Of(t.Context(), s, kinds)
	check(t, err)
	return table.New(set, o)
}

func text(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	check(t, err)
	return string(raw)
}

func TestTablesOfBothLayouts(t *testing.T) {
	link := func(ref rows.Ref) any { return ref.Path }
	for _, file := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		trials := fixture(t, file, "intervals/trials", table.Options{Link: link})
		p, err := trials.Page(t.Context(), table.Query{Offset: 1, Limit: 2, Columns: []string{"id", "start_time", "correct", "stim_name", "tags", "timeseries"}})
		check(t, err)
		if got := text(t, p); !strings.HasPrefix(got, `{"total":4,"matched":4,"offset":1,"columns":["id","start_time","correct","stim_name","tags","timeseries"],"rows":[[1,`) || !strings.Contains(got, `{"link":"/`) || !strings.Contains(got, `"values":["`) || !strings.HasSuffix(got, `"index":[1,2]}`) {
			t.Errorf("%s: %s", file, got)
		}
		columns := text(t, trials.Columns())
		for _, want := range []string{`"name":"correct","type":"bool"`, `"name":"tags","type":"string","description":`, `"ragged":true`, `"reference":true`, `"path":"/intervals/trials/start_time"`} {
			if !strings.Contains(columns, want) {
				t.Errorf("%s: no %s in %s", file, want, columns)
			}
		}
		for filter, want := range map[string]string{
			"start_time>=0.5, correct=true": "", "tags~NO SUCH": "[]", "stim_name!=": "[0,1,2,3]", "id=2": "[2]", "id!=2,id>0": "[1,3]", "tags>1": "",
		} {
			p, err := trials.Page(t.Context(), table.Query{Limit: 10, Filter: filter})
			if err != nil || want != "" && text(t, p.Index) != want {
				t.Errorf("%s: %s gives %+v, %v", file, filter, p, err)
			}
		}
		units := fixture(t, file, "units", table.Options{Link: link})
		p, err = units.Page(t.Context(), table.Query{Limit: 5, Sort: "-spike_times", Columns: []string{"spike_times"}})
		check(t, err)
		var lengths []int
		for _, row := range p.Rows {
			var cell struct{ List int }
			check(t, json.Unmarshal(row[0], &cell))
			lengths = append(lengths, cell.List)
		}
		if slices.Reverse(lengths); !slices.IsSorted(lengths) || lengths[4] == 0 {
			t.Errorf("%s: sorted by how many spikes they have: %v", file, lengths)
		}
		p, err = units.Cell(t.Context(), p.Index[0], "spike_times")
		check(t, err)
		var cell struct {
			List   int
			Values []float64
		}
		check(t, json.Unmarshal(p.Rows[0][0], &cell))
		if cell.List != lengths[4] || len(cell.Values) != cell.List {
			t.Errorf("%s: a whole cell is %s", file, p.Rows[0][0])
		}
	}
}

func TestCompoundDatasetsAreTables(t *testing.T) {
	for _, file := range []string{"custom_v2_pickle.zarr", "custom_v3.zarr"} {
		c := fixture(t, file, "holder/ref_table", table.Options{Link: func(ref rows.Ref) any { return ref.Path }})
		p, err := c.Page(t.Context(), table.Query{Limit: 5})
		check(t, err)
		if got := text(t, p); !strings.Contains(got, `"columns":["idx","name","target"]`) || !strings.Contains(got, `{"link":"/thing_`) {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// people is a table of structs.
func people(t testing.TB, n int) (*table.Table, []float32, []uint32) {
	t.Helper()
	type person struct {
		Height float32
		Age    uint32
	}
	fields := `{"name": "struct", "configuration": {"fields": [{"name": "height", "data_type": "float32"}, {"name": "age", "data_type": "uint32"}]}}`
	a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", zarr.ArraySpec{Shape: []int{n}, Chunks: []int{1000}, DataType: fields})
	check(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	list, heights, ages := make([]person, n), make([]float32, n), make([]uint32, n)
	for i := range list {
		list[i] = person{float32(rng.NormFloat64()), uint32(rng.IntN(90))}
		if i%11 == 0 {
			list[i].Height = float32(math.NaN())
		}
		heights[i], ages[i] = list[i].Height, list[i].Age
	}
	check(t, zarr.Write(t.Context(), a, zarr.All(), list))
	set, ok := elements.Table(a)
	if !ok {
		t.Fatal("an array of structs is no table")
	}
	cache, err := kept.New(1<<20, "", 0)
	check(t, err)
	t.Cleanup(func() { cache.Close() })
	return table.New(set, table.Options{Cache: cache, Key: "people"}), heights, ages
}

func TestRowsAreChosenAndSortedAsAModelDoes(t *testing.T) {
	const n = 70_000 // more than one block
	tab, heights, ages := people(t, n)
	for i, c := range []struct {
		filter, sort string
		keep         func(i int) bool
		less         func(i, j int) int
	}{
		{"", "", nil, nil},
		{"age>60", "", func(i int) bool { return ages[i] > 60 }, nil},
		{"age>=60,height<0.5", "", func(i int) bool { return ages[i] >= 60 && heights[i] < 0.5 }, nil},
		{`"age" != 7 , height != 3`, "", func(i int) bool { return ages[i] != 7 && heights[i] == heights[i] }, nil},
		{"height=", "", func(i int) bool { return heights[i] != heights[i] }, nil},
		{"", "age", nil, func(i, j int) int { return int(ages[i]) - int(ages[j]) }},
		{"age<=30", "-age", func(i int) bool { return ages[i] <= 30 }, func(i, j int) int { return int(ages[j]) - int(ages[i]) }},
		{"", "height", nil, func(i, j int) int { return compare(heights[i], heights[j]) }},
		{"age=3", "-height", func(i int) bool { return ages[i] == 3 }, func(i, j int) int { return down(heights[i], heights[j]) }},
	} {
		var want []int
		for i := range n {
			if c.keep == nil || c.keep(i) {
				want = append(want, i)
			}
		}
		if c.less != nil {
			slices.SortStableFunc(want, c.less)
		}
		for _, offset := range []int{0, 100, max(len(want)-7, 0), len(want) + 5} {
			p, err := tab.Page(t.Context(), table.Query{Filter: c.filter, Sort: c.sort, Offset: offset, Limit: 20})
			check(t, err)
			from := min(offset, len(want))
			if p.Total != n || p.Matched != len(want) || !slices.Equal(p.Index, want[from:min(from+20, len(want))]) {
				t.Fatalf("%q by %q from %d on: %d of %d, rows %v, want %d, %v", c.filter, c.sort, offset, p.Matched, p.Total, p.Index, len(want), want[from:min(from+20, len(want))])
			}
			for k, i := range p.Index {
				age := fmt.Sprint(ages[i])
				if string(p.Rows[k][1]) != age {
					t.Fatalf("the age of row %d is %s, want %s", i, p.Rows[k][1], age)
				}
			}
		}
		if i%thorough.Least(4, 2, 1) != 0 {
			continue
		}
		var b bytes.Buffer
		write, err := tab.CSV(t.Context(), table.Query{Filter: c.filter, Sort: c.sort, Columns: []string{"age"}})
		check(t, err)
		check(t, write(&b))
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != len(want)+1 || lines[0] != "age" {
			t.Fatalf("%q by %q: %d lines, want %d", c.filter, c.sort, len(lines), len(want)+1)
		}
		for k, i := range want {
			if lines[k+1] != strconv.Itoa(int(ages[i])) {
				t.Fatalf("line %d is %s, want %d", k+1, lines[k+1], ages[i])
			}
		}
	}
}

func compare(x, y float32) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func down(x, y float32) int {
	if x == x && y == y {
		return -compare(x, y)
	}
	return compare(x, y)
}

// column is one that is computed.
func column(name string, value func(i int) float64) rows.Field {
	read := func(s rows.Span) []float64 {
		out := make([]float64, s.Count)
		for i := range out {
			out[i] = value(s.At(i))
		}
		return out
	}
	return rows.Field{
		Name: name, Bytes: 8, Type: "float64",
		Read: func(_ context.Context, s rows.Span) (rows.Cells, error) {
			list := read(s)
			return func(dst []byte, i int) ([]byte, error) { return fmt.Append(dst, list[i]), nil }, nil
		},
		Numbers: func(_ context.Context, s rows.Span) ([]float64, error) { return read(s), nil },
	}
}

func TestTenToTheSevenRows(t *testing.T) {
	n := 10_000_000
	if !thorough.Enabled {
		n = 10 * thorough.Rounds(200_000)
	}
	set := &rows.Set{Rows: rows.Span{Step: 1, Count: n}, Fields: []rows.Field{column("x", func(i int) float64 { return float64(i * 7919 % n) })}}
	cache, err := kept.New(64<<20, "", 0)
	check(t, err)
	defer cache.Close()
	tab := table.New(set, table.Options{Cache: cache, Key: "x"})
	p, err := tab.Page(t.Context(), table.Query{Sort: "-x", Offset: n - 100, Limit: 100})
	check(t, err)
	for k, i := range p.Index {
		if i*7919%n != 99-k {
			t.Fatalf("row %d is the %d-th from the end", i, 100-k)
		}
	}
	used := alloctest.Bytes(func() {
		for _, q := range []table.Query{{Sort: "-x", Offset: 5000, Limit: 100}, {Offset: n - 100, Limit: 100}} {
			if _, err := tab.Page(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	})
	if used > 1<<20 {
		t.Errorf("two pages of what was sorted before take %d bytes", used)
	}
	more := table.New(&rows.Set{Rows: rows.Span{Step: 1, Count: table.MaxRows + 1}, Fields: set.Fields}, table.Options{})
	for _, q := range []table.Query{{Sort: "x", Limit: 1}, {Filter: "x>3", Limit: 1}} {
		if _, err := more.Page(t.Context(), q); !errors.Is(err, table.ErrTooMuch) {
			t.Errorf("%+v of too many rows: %v", q, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tab.Page(ctx, table.Query{Sort: "x", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that is gone: %v", err)
	}
}

func TestWrongQueries(t *testing.T) {
	tab, _, _ := people(t, 10)
	for _, q := range []table.Query{
		{Limit: -1}, {Limit: table.MaxLimit + 1}, {Offset: -1}, {Columns: []string{"name"}}, {Sort: "name"}, {Sort: "--age"}, {Filter: "age"}, {Filter: ">3"}, {Filter: "age>x"},
		{Filter: "age>"}, {Filter: `age="3`}, {Filter: `"age>3`}, {Filter: "age>3,"}, {Filter: `age="3"4`}, {Filter: "name=3"}, {Filter: "age~3"}, {Filter: strings.Repeat("age>3,", 40) + "age>3"},
	} {
		if p, err := tab.Page(t.Context(), q); !errors.Is(err, table.ErrRequest) {
			t.Errorf("%+v: %+v, %v", q, p, err)
		}
	}
	for _, at := range []int{-1, 10} {
		if _, err := tab.Cell(t.Context(), at, "age"); !errors.Is(err, table.ErrRequest) {
			t.Errorf("row %d of ten: %v", at, err)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"a>3", `a~"x, y", b!=`, `"a\"b"<="1"`, ",", `"`, "a=\\"} {
		f.Add(s)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, s string) {
		list, err := table.ParseFilter(s)
		if err == nil && len(list) > len(s) {
			t.Errorf("%d conditions of %q", len(list), s)
		}
	})
}

func Example() {
	ages := rows.Field{Name: "age", Numbers: func(_ context.Context, s rows.Span) ([]float64, error) {
		return []float64{31, 7, 64}, nil
	}}
	ages.Read = func(_ context.Context, s rows.Span) (rows.Cells, error) {
		return func(dst []byte, i int) ([]byte, error) { return fmt.Append(dst, []int{31, 7, 64}[s.At(i)]), nil }, nil
	}
	t := table.New(&rows.Set{Rows: rows.Span{Step: 1, Count: 3}, Fields: []rows.Field{ages}}, table.Options{})
	p, err := t.Page(context.Background(), table.Query{Filter: "age>=18", Sort: "-age", Limit: 10})
	fmt.Println(p.Index, err)
	// Output: [2 0] <nil>
}
