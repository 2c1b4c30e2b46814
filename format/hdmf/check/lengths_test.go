package check_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// The types of tables and series, with what they inherit from.
const tableTypes = `{"datasets":[{"data_type_def":"VectorData","doc":"d"},{"data_type_def":"VectorIndex","data_type_inc":"VectorData","doc":"d"},
 {"data_type_def":"EnumData","data_type_inc":"VectorData","doc":"d"},{"data_type_def":"DynamicTableRegion","data_type_inc":"VectorData","doc":"d"},{"data_type_def":"ElementIdentifiers","doc":"d"},
 {"data_type_def":"Words","doc":"d","dtype":"ascii","attributes":[{"name":"said","dtype":"ascii","doc":"d","required":false}]}],
 "groups":[{"data_type_def":"File","doc":"d"},{"data_type_def":"DynamicTable","doc":"d"},{"data_type_def":"Trials","data_type_inc":"DynamicTable","doc":"d"},{"data_type_def":"AlignedDynamicTable","data_type_inc":"DynamicTable","doc":"d"},
 {"data_type_def":"TimeSeries","doc":"d"},{"data_type_def":"ImageSeries","data_type_inc":"TimeSeries","doc":"d"}]}`

// table adds a table of three rows: one column of numbers, and one with an index of
// two levels.
func (f files) table(at string) {
	f.group(at, typed("Trials", `"colnames":["x","deep"]`))
	f.ints(at+"/id", typed("ElementIdentifiers"), 0, 1, 2)
	f.floats(at+"/x", typed("VectorData"), []int{3}, 1, 2, 3)
	f.floats(at+"/deep", typed("VectorData"), []int{5}, 1, 2, 3, 4, 5)
	f.index(at, "deep_index", "deep", 2, 2, 5)
	f.index(at, "deep_index_index", "deep_index", 1, 2, 3)
}

func (f files) index(at, name, of string, ends ...int64) {
	f.ints(at+"/"+name, typed("VectorIndex", fmt.Sprintf(`"target":{"_REFERENCE":{"source":".","path":"/%s/%s"}}`, at, of)), ends...)
}

// reshape gives an array another length, and leaves its chunks.
func (f files) reshape(at string, shape ...int) {
	doc := f.load(at + "/zarr.json")
	doc["shape"] = shape
	f.save(at+"/zarr.json", doc)
}

// rowsOf adds rows of a table that something is about.
func (f files) rowsOf(table string, rows ...int64) {
	f.ints("region", typed("DynamicTableRegion", `"table":{"_REFERENCE":{"source":".","path":"/`+table+`"}}`), rows...)
}

func TestLengths(t *testing.T) {
	schema := catalog(t, tableTypes)
	attrs := func(at, typ, more string) func(f files) {
		return func(f files) { f.group(at, typed(typ, more)) }
	}
	category := func(rows int) func(f files) {
		return func(f files) {
			f.group("t", typed("AlignedDynamicTable", `"colnames":["x"],"categories":["c"]`))
			f.move("t/deep", "")
			f.move("t/deep_index", "")
			f.move("t/deep_index_index", "")
			f.group("t/c", typed("DynamicTable", `"colnames":["y"]`))
			f.ints("t/c/id", typed("ElementIdentifiers"), make([]int64, rows)...)
			f.ints("t/c/y", typed("VectorData"), make([]int64, rows)...)
		}
	}
	for name, test := range map[string]struct {
		make func(f files)
		want []string
	}{
		"good":             {func(files) {}, nil},
		"fewer ids":        {func(f files) { f.reshape("t/id", 2) }, []string{"/t/id IncorrectLength there are 2 ids, and 3 rows in all columns"}},
		"no ids":           {func(f files) { f.reshape("t/id", 0) }, []string{"/t/id IncorrectLength there are 0 ids"}},
		"more ids":         {func(f files) { f.reshape("t/id", 4) }, []string{"/t/id IncorrectLength there are 4 ids"}},
		"a cut column":     {func(f files) { f.reshape("t/x", 2) }, []string{"/t/x IncorrectLength the column has 2 rows, the table 3"}},
		"a longer column":  {func(f files) { f.reshape("t/x", 9) }, []string{"/t/x IncorrectLength the column has 9 rows, the table 3"}},
		"a cut ragged one": {func(f files) { f.reshape("t/deep", 4) }, []string{"/t/deep_index BadIndex entry 2 is 5, and deep has 4 values"}},
		"values of no row": {func(f files) { f.reshape("t/deep", 8) }, []string{"/t/deep_index BadIndex the last list ends at 5, and deep has 8 values"}},
		"a cut index":      {func(f files) { f.reshape("t/deep_index", 2) }, []string{"/t/deep_index BadIndex the last list ends at 2, and deep has 5 values", "/t/deep_index_index BadIndex entry 2 is 3, and deep_index has 2 values"}},
		"rows cut":         {func(f files) { f.reshape("t/deep_index_index", 2) }, []string{"/t/deep IncorrectLength the column has 2 rows, the table 3", "/t/deep_index_index BadIndex the last list ends at 2"}},
		"descending":       {func(f files) { f.index("t", "deep_index", "deep", 3, 2, 5) }, []string{"/t/deep_index BadIndex entry 1 is 2, behind 3"}},
		"negative":         {func(f files) { f.index("t", "deep_index", "deep", -1, 2, 5) }, []string{"/t/deep_index BadIndex entry 0 is -1, behind 0"}},
		"beyond":           {func(f files) { f.index("t", "deep_index", "deep", 2, 2, 6) }, []string{"/t/deep_index BadIndex entry 2 is 6, and deep has 5 values"}},
		"never written":    {func(f files) { delete(f, "t/deep_index/c/0") }, []string{"/t/deep_index BadIndex the last list ends at 0"}},
		"written by half":  {func(f files) { f.reshape("t/deep_index", 1<<50) }, []string{"/t/deep_index BadIndex entry 3 is 0, behind 5", "/t/deep_index_index BadIndex the last list ends at 3"}},
		"no such column":   {attrs("t", "Trials", `"colnames":["x","deep","y"]`), []string{`/t MissingError colnames has a name without a column: column "y"`}},
		"not in colnames":  {attrs("t", "Trials", `"colnames":["deep"]`), []string{"/t/x ExtraField colnames does not name this column"}},
		"named twice":      {attrs("t", "Trials", `"colnames":["x","deep","x"]`), []string{`/t BadColumn column "x" is named twice`}},
		"no list":          {func(f files) { f.floats("t/x", typed("VectorData"), nil, 1) }, []string{`/t BadColumn column "x" is no list`}},
		"two indexes":      {func(f files) { f.index("t", "other_index", "deep", 1, 2, 5) }, []string{`/t BadIndex "deep" has two indexes`}},
		"index elsewhere":  {func(f files) { f.floats("y", "", []int{1}, 1); f.index("t", "y_index", "../y", 1, 1, 1) }, []string{"/t/y_index BadIndex is the index of"}},
		"no columns": {func(f files) {
			f.move("t", "")
			f.group("t", typed("Trials", `"colnames":[]`))
			f.ints("t/id", typed("ElementIdentifiers"), 1)
		}, nil},
		"an index of text": {func(f files) {
			f.texts("t/deep_index", typed("VectorIndex", `"target":{"_REFERENCE":{"source":".","path":"/t/deep"}}`), false, "a")
		}, []string{`/t BadIndex column "deep": its index`}},
		"a link as column": {func(f files) {
			f.move("t/x", "x")
			f.group("t", typed("Trials", `"colnames":["x","deep"],"_LINKS":[{"name":"x","source":".","path":"/x"}]`))
			f.reshape("x", 2)
		}, []string{"/t/x IncorrectLength the column has 2 rows"}},
		"elements": {func(f files) {
			f.group("t", typed("Trials", `"colnames":["kind","x","deep"]`))
			f.ints("t/kind", typed("EnumData", `"elements":{"_REFERENCE":{"source":".","path":"/t/kinds"}}`), 0, 0, 1)
			f.texts("t/kinds", typed("VectorData"), false, "a", "b")
		}, nil},
		"a category":       {category(3), nil},
		"a short category": {category(2), []string{"/t/c IncorrectLength the category has 2 rows, the table 3"}},
		"no category":      {func(f files) { category(3)(f); f.move("t/c", "") }, []string{`/t MissingError categories names "c"`}},
		"another category": {func(f files) { category(3)(f); f.group("t/d", typed("DynamicTable", `"colnames":[]`)) }, []string{"/t/d ExtraField categories does not name this table"}},
		"rows":             {func(f files) { f.rowsOf("t", 0, 2, 1) }, nil},
		"rows too far":     {func(f files) { f.rowsOf("t", 0, 3, 1, 7) }, []string{"/region RowOutOfRange element 1 is row 3 of /t, which has 3 rows"}},
		"negative rows":    {func(f files) { f.rowsOf("t", 0, -1) }, []string{"/region RowOutOfRange element 1 is row -1"}},
		"samples":          {func(f files) { f.series("TimeSeries", 5, 2); f.empty("s/timestamps", "float64", "", 5) }, nil},
		"fewer times":      {func(f files) { f.series("TimeSeries", 5, 2); f.empty("s/timestamps", "float64", "", 4) }, []string{"/s IncorrectLength there are 5 samples and 4 times"}},
		"fewer shared times": {func(f files) {
			f.series("TimeSeries", 5)
			f.empty("clock", "float64", "", 4)
			f.group("s", typed("TimeSeries", `"_LINKS":[{"name":"timestamps","source":".","path":"/clock"}]`))
		}, []string{"/s IncorrectLength there are 5 samples and 4 times"}},
		"images elsewhere": {func(f files) {
			f.series("ImageSeries", 0, 0, 0)
			f.empty("s/timestamps", "float64", "", 4)
			f.texts("s/external_file", "", false, "a.avi")
		}, nil},
		"doc": {func(f files) {
			f.group("t/c", `"doc":"what it is"`)
			f.floats("t/x", typed("VectorData", `"doc":"x"`), []int{3}, 1, 2, 3)
		}, nil},
		"words":            {func(f files) { f.texts("w", typed("Words", `"said":"plain"`), false, "plain", "text") }, nil},
		"words not ASCII":  {func(f files) { f.texts("w", typed("Words"), false, "plain", "wört") }, []string{`/w DtypeError element 1 is "wört", must be ASCII`}},
		"saying not ASCII": {func(f files) { f.texts("w", typed("Words", `"said":"wört"`), false, "plain") }, []string{`/w DtypeError attribute "said" is "wört", must be ASCII`}},
		"bytes not ASCII": {func(f files) {
			f.plain("w", "variable_length_bytes", `{"name":"vlen-bytes"}`, typed("Words"), 2)
			f["w/c/0"] = vlen([]string{"plain", "\xff"})
		}, []string{`/w DtypeError element 1 is`}},
		"a word not ASCII": {func(f files) { f.texts("w", typed("Words"), true, "wört") }, []string{`/w DtypeError the dataset is "wört", must be ASCII`}},
		"a table elsewhere": {func(f files) {
			f.move("t", "u")
			f.table("u")
			f.group("l", `"_LINKS":[{"name":"t","source":".","path":"/u"}]`)
			f.reshape("u/x", 2)
		}, []string{"/u/x IncorrectLength the column has 2 rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := made(typed("File"))
			f.table("t")
			test.make(f)
			want(t, findings(t, in(t, f), check.Options{Schema: schema}), test.want...)
		})
	}
}

// Without any schema tables are known by their colnames.
func TestLengthsWithoutSchemas(t *testing.T) {
	f := made("")
	f.table("t")
	f.reshape("t/id", 2)
	want(t, findings(t, in(t, f), check.Options{}), noSchema, "/t/id IncorrectLength there are 2 ids")
}

// sizes counts the bytes that are asked of a store, and what they are of.
type sizes struct {
	store.Store
	mu    sync.Mutex
	bytes map[string]int
}

func (s *sizes) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.Store.Get(ctx, key, r, dst)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes[key] += len(out) - len(dst)
	return out, info, err
}

// Of a table only the indexes are read, and none of the values, however many.
func TestOnlyIndexesAreRead(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		base := mem.New()
		for key, data := range nwbtest.Files(t, name) {
			if _, err := base.Put(ctx, key, data, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		s := &sizes{Store: base, bytes: map[string]int{}}
		n, err := zarr.OpenStore(ctx, s, "")
		if err != nil {
			t.Fatal(err)
		}
		want(t, findings(t, hdmf.Of(ctx, n.(*zarr.Group)), check.Options{}))
		for _, chunk := range []string{"units/spike_times_index/0", "units/spike_times_index/c/0"} {
			if _, _, err := base.Get(ctx, chunk, store.All(), nil); err == nil && s.bytes[chunk] == 0 {
				t.Errorf("%s: %s was not read", name, chunk)
			}
		}
		for key, n := range s.bytes {
			if n > 0 && !strings.Contains(key, "index") && !strings.Contains(key, "zarr.json") && !strings.Contains(key, ".z") &&
				(strings.HasPrefix(key, "units/spike_times/") || strings.HasPrefix(key, "acquisition/ElectricalSeries/data/") || strings.HasPrefix(key, "intervals/trials/start_time/")) {
				t.Errorf("%s: %d bytes of %s were read", name, n, key)
			}
		}
	}
}

// A clock that several series share may have gone on.
func TestMoreSharedTimesAreAWarning(t *testing.T) {
	f := made(typed("File"))
	f.series("TimeSeries", 5)
	f.empty("clock", "float64", "", 6)
	f.group("s", typed("TimeSeries", `"_LINKS":[{"name":"timestamps","source":".","path":"/clock"}]`))
	found := findings(t, in(t, f), check.Options{Schema: catalog(t, tableTypes)})
	want(t, found, "/s IncorrectLength there are 5 samples and 6 times")
	if !found[0].Warning {
		t.Error("is no warning")
	}
}
