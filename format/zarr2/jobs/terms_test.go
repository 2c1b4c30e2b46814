package jobs_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// put stores documents.
func put(t testing.TB, s store.Store, documents map[string]string) {
	t.Helper()
	for key, text := range documents {
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		jobtest.Check(t, err)
	}
}

func zarray(dtype, fill string, rank int) string {
	shape := "[]"
	if rank == 1 {
		shape = "[4]"
	}
	chunks := strings.ReplaceAll(shape, "4", "2")
	return fmt.Sprintf("{\n  \"zarr_format\": 2,\n  \"shape\": %s,\n  \"chunks\": %s,\n  \"dtype\": \"%s\",\n  \"compressor\": null,\n  \"fill_value\": %s,\n  \"order\": \"C\",\n  \"filters\": null,\n  \"dimension_separator\": \".\"\n}\n",
		shape, chunks, dtype, fill)
}

// dataset is one of Zarr v2, as xarray has them, beside an array that is not xarray's.
func dataset(t testing.TB) store.Store {
	t.Helper()
	s := mem.New()
	dims := "{\n  \"_ARRAY_DIMENSIONS\": [\"x\"]\n}\n"
	documents := map[string]string{".zgroup": "{\n  \"zarr_format\": 2\n}\n", ".zattrs": "{\n  \"title\": \"all\"\n}\n"}
	for name, c := range map[string]string{
		"nan": `<f4 "NaN"`, "number": `<f8 -9999.0`, "zero": "<i2 0", "none": "<i2 null", "nofloat": "<f8 null",
		"bool": "|b1 false", "text": `<U2 "a"`, "complex": "<c8 [0.0, 1.0]", "sparse": "<i4 7",
	} {
		dtype, fill, _ := strings.Cut(c, " ")
		documents[name+"/.zarray"], documents[name+"/.zattrs"] = zarray(dtype, fill, 1), dims
		size := map[string]int{"<f4": 4, "<f8": 8, "<i2": 2, "|b1": 1, "<U2": 8, "<c8": 8, "<i4": 4}[dtype]
		if name != "sparse" {
			documents[name+"/0"] = string(make([]byte, 2*size))
			documents[name+"/1"] = string(make([]byte, 2*size))
		}
	}
	documents["plain/.zarray"], documents["plain/0"] = zarray("<i2", "null", 1), "\x01\x00\x02\x00"
	documents["sub/.zgroup"] = documents[".zgroup"]
	documents["sub/one/.zarray"], documents["sub/one/.zattrs"], documents["sub/one/0"] = zarray("<i2", "null", 0), "{\n  \"_ARRAY_DIMENSIONS\": []\n}\n", "\x05\x00"
	put(t, s, documents)
	return s
}

func open[N zarr.Node](t testing.TB, s store.Store, path string, opts ...zarr.Option) N {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path, opts...)
	jobtest.Check(t, err)
	return n.(N)
}

// meant is what every array tells xarray, and its elements.
func meant(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for n, err := range open[*zarr.Group](t, s, "").Walk(ctx) {
		jobtest.Check(t, err)
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		missing, _ := xarray.Missing(a.Metadata(), a.Format())
		var values strings.Builder
		out := bufio.NewWriter(&values)
		jobtest.Check(t, elements.Write(ctx, out, "json", a, zarr.All(), elements.Plain()))
		jobtest.Check(t, out.Flush())
		dims := a.DimensionNames()
		all[n.Path()] = fmt.Sprintf("%v %q %s", dims, missing, values.String())
	}
	return all
}

func document(t testing.TB, s store.Store, key string) map[string]any {
	t.Helper()
	var doc map[string]any
	jobtest.Check(t, json.Unmarshal([]byte(jobtest.Content(t, s)[key]), &doc))
	return doc
}

func into(t testing.TB, src store.Store, opts copying.Options) store.Store {
	t.Helper()
	dst := mem.New()
	sum, err := copying.Into(ctx, open[*zarr.Group](t, src, ""), dst, "", opts)
	jobtest.Check(t, err)
	if len(sum.NotCopied) != 0 {
		t.Errorf("not copied: %v", sum.NotCopied)
	}
	return dst
}

func TestCopiesMeanTheSameToXarray(t *testing.T) {
	src := dataset(t)
	three := into(t, src, copying.Options{})
	for key, want := range map[string]map[string]any{
		"nan": {"_FillValue": "AAAAAAAA+H8="}, "number": {"_FillValue": "AAAAAICHw8A="}, "zero": {"_FillValue": 0.0}, "none": nil,
		"bool": {"_FillValue": false}, "text": {"missing_value": "a"}, "complex": {"_FillValue": []any{"AAAAAAAAAAA=", "AAAAAAAA8D8="}},
		"sub/one": nil,
	} {
		doc := document(t, three, key+"/zarr.json")
		if got, _ := doc["attributes"].(map[string]any); len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: attributes %v, want %v", key, got, want)
		}
	}
	if doc := document(t, three, "sub/one/zarr.json"); !reflect.DeepEqual(doc["dimension_names"], []any{}) {
		t.Errorf("dimension_names %v", doc["dimension_names"])
	}
	two := into(t, three, copying.Options{To: jobs.Format()})
	same := into(t, src, copying.Options{To: jobs.Format()})
	want := meant(t, src)
	for name, s := range map[string]store.Store{"Zarr v3": three, "back": two, "Zarr v2": same} {
		got := meant(t, s)
		delete(got, "sub/one")
		for path, text := range got {
			if text != want[path] {
				t.Errorf("%s: %s is %s, was %s", name, path, text, want[path])
			}
		}
	}
	before := jobtest.Content(t, src)
	for name, s := range map[string]store.Store{"back": two, "same": same} {
		after := jobtest.Content(t, s)
		for key, text := range before {
			if name == "back" && key == "plain/.zarray" {
				continue // null is zero in Zarr v3
			}
			if strings.Contains(key, ".z") && after[key] != text {
				t.Errorf("%s: %s is\n%s, was\n%s", name, key, after[key], text)
			}
		}
	}
}

// modern makes a dataset of Zarr v3 with chunks that are not stored.
func modern(t testing.TB, keys string) store.Store {
	t.Helper()
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	jobtest.Check(t, err)
	for name, c := range map[string][3]string{
		"plain": {"int16", "0", ""}, "packed": {"int16", "0", "-9"}, "nan": {"float32", `"NaN"`, `"AAAAAAAA+H8="`},
		"number": {"float32", `"NaN"`, `"AAAAAICHw8A="`}, "double": {"float32", "0", `"MzMzMzM/j8A="`}, "text": {"string", `""`, ""},
	} {
		a, err := g.CreateArray(ctx, name, zarr.ArraySpec{Shape: []int{7}, Chunks: []int{2}, DataType: c[0], FillValue: json.RawMessage(c[1]), DimensionNames: []string{"x"}, Keys: json.RawMessage(keys)})
		jobtest.Check(t, err)
		if c[2] != "" {
			attrs := a.Attributes().Clone()
			if attrs == nil {
				attrs = a.Metadata().Clone().Attrs()
			}
			jobtest.Check(t, attrs.Set("_FillValue", json.RawMessage(c[2])))
			jobtest.Check(t, a.SetAttributes(ctx, attrs))
		}
		if c[0] == "int16" {
			jobtest.Check(t, zarr.Write(ctx, a, zarr.Slice("2:4"), []int16{3, 4}))
		}
	}
	_, err = g.CreateArray(ctx, "one", zarr.ArraySpec{Shape: []int{}, DataType: "int8", Keys: json.RawMessage(keys)})
	jobtest.Check(t, err)
	return s
}

func TestChunksThatAreNotStoredAreWrittenWhereTheyWouldChange(t *testing.T) {
	src := modern(t, `"default"`)
	two := into(t, src, copying.Options{To: jobs.Format()})
	check := func(s store.Store) {
		t.Helper()
		content := jobtest.Content(t, s)
		for name, want := range map[string]struct {
			fill   any
			chunks int
		}{"plain": {nil, 4}, "packed": {-9.0, 4}, "nan": {"NaN", 0}, "number": {-9999.0, 4}, "double": {nil, 4}, "text": {nil, 4}, "one": {nil, 1}} {
			if fill := document(t, s, name+"/.zarray")["fill_value"]; fill != want.fill {
				t.Errorf("%s: fill value %v", name, fill)
			}
			chunks := 0
			for key := range content {
				if strings.HasPrefix(key, name+"/") && !strings.Contains(key, ".z") {
					chunks++
				}
			}
			if chunks != want.chunks {
				t.Errorf("%s: %d chunks, want %d", name, chunks, want.chunks)
			}
		}
		if got, want := meant(t, s), meant(t, src); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := content["one/.zattrs"]; !strings.Contains(got, `"_ARRAY_DIMENSIONS": []`) {
			t.Errorf("one: %s", got)
		}
	}
	check(two)
	// Chunks that are stored are not decoded for it.
	keys := modern(t, `{"name":"v2","configuration":{"separator":"."}}`)
	sum, err := copying.Into(ctx, open[*zarr.Group](t, keys, ""), mem.New(), "", copying.Options{To: jobs.Format()})
	if err != nil || sum.Passed != 1 {
		t.Errorf("%d chunks as bytes, %v", sum.Passed, err)
	}
	// So does a migration, also one that was stopped.
	start := func() store.Store { return modern(t, `{"name":"v2","configuration":{"separator":"."}}`) }
	s := start()
	dry, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2", DryRun: true})
	jobtest.Check(t, err)
	if dry.Chunks != 3+3+4+4+4+1 || !maps.Equal(jobtest.Content(t, s), jobtest.Content(t, start())) {
		t.Errorf("got %+v", dry)
	}
	total := changes(t, s, "zarr2")
	check(s)
	want, values := jobtest.Content(t, s), meant(t, src)
	for n := range total {
		if !tried(n, total) {
			continue
		}
		s := start()
		_, err := jobs.Migrate(ctx, &jobtest.Failing{Store: s, Left: n}, "", jobs.MigrateOptions{To: "zarr2"})
		if !errors.Is(err, jobtest.ErrFull) {
			t.Fatal(err)
		}
		if got := meant(t, s); !maps.Equal(got, values) {
			t.Errorf("after %d changes: %v", n, got)
		}
		_, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"})
		jobtest.Check(t, err)
		if got := jobtest.Content(t, s); !maps.Equal(got, want) {
			t.Errorf("after %d changes it ended otherwise", n)
		}
	}
	_, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{})
	jobtest.Check(t, err)
	if got, want := meant(t, s), meant(t, src); got["packed"] != want["packed"] || got["number"] != want["number"] {
		t.Errorf("back: %v, want %v", got, want)
	}
}

func TestMigrationMeansTheSameToXarrayAndGoesBack(t *testing.T) {
	s := dataset(t)
	before, want := jobtest.Content(t, s), meant(t, s)
	_, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{})
	jobtest.Check(t, err)
	for key := range jobtest.Content(t, s) {
		if strings.HasSuffix(key, "zarr.json") && strings.Contains(jobtest.Content(t, s)[key], "_ARRAY_DIMENSIONS") {
			t.Errorf("%s still has _ARRAY_DIMENSIONS", key)
		}
	}
	got := meant(t, s)
	delete(got, "sub/one")
	for path, text := range got {
		if text != want[path] {
			t.Errorf("%s is %s, was %s", path, text, want[path])
		}
	}
	report, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"})
	jobtest.Check(t, err)
	if report.Chunks != 0 {
		t.Errorf("got %+v", report)
	}
	after := jobtest.Content(t, s)
	for key, text := range before {
		if key != "plain/.zarray" && after[key] != text {
			t.Errorf("%s is\n%s, was\n%s", key, after[key], text)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d keys, were %d", len(after), len(before))
	}
	// Bytes have no missing value in Zarr v3.
	s = mem.New()
	put(t, s, map[string]string{".zarray": zarray("|S2", `"YWE="`, 1), ".zattrs": `{"_ARRAY_DIMENSIONS":["x"]}`})
	report, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{DryRun: true})
	jobtest.Check(t, err)
	if len(report.Lost) != 1 || !strings.Contains(strings.Join(report.Lines(), "\n"), "missing ones to xarray") {
		t.Errorf("got %v", report.Lines())
	}
	sum, err := copying.Into(ctx, open[*zarr.Array](t, s, ""), mem.New(), "", copying.Options{})
	if err != nil || len(sum.NotCopied) != 1 || !strings.HasPrefix(sum.NotCopied[0], "/: elements that are") {
		t.Errorf("%v, %v", sum.NotCopied, err)
	}
}

func TestNoMoreChunksAreWrittenOutThanCanBe(t *testing.T) {
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{1 << 40, 1 << 40}, Chunks: []int{1, 1}, DataType: "int8", DimensionNames: []string{"y", "x"}, Keys: json.RawMessage(`"v2"`)}
	_, err := zarr.CreateArrayIn(ctx, s, "", spec)
	jobtest.Check(t, err)
	if _, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"}); !errors.Is(err, jobs.ErrNoMigration) || !strings.Contains(err.Error(), "not stored") {
		t.Errorf("got %v", err)
	}
}

func TestMissingValuesOfAnotherType(t *testing.T) {
	src := modern(t, `"default"`)
	for _, to := range []copying.Format{copying.Zarr3(), jobs.Format()} {
		dst := into(t, src, copying.Options{To: to, DataType: "float64"})
		for path, want := range map[string]string{"packed": "-9", "number": "-9999", "plain": ""} {
			a := open[*zarr.Array](t, dst, path)
			if missing, _ := xarray.Missing(a.Metadata(), a.Format()); string(missing) != want {
				t.Errorf("%s in %s: %s is missing", path, to.Name(), missing)
			}
		}
	}
}
