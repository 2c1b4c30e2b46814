package xarray_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/meta"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sameJSON(t testing.TB, x, y []byte) bool {
	t.Helper()
	var a, b any
	check(t, json.Unmarshal(x, &a))
	check(t, json.Unmarshal(y, &b))
	return reflect.DeepEqual(a, b)
}

// attributes are those of a document, {} for none.
func attributes(t testing.TB, a *meta.Attributes) []byte {
	t.Helper()
	if a == nil {
		return []byte("{}")
	}
	text, err := a.MarshalJSON()
	check(t, err)
	return text
}

// as moves a document to other terms.
func as(t testing.TB, m *meta.Array, from, to format.Terms) *meta.Array {
	t.Helper()
	m = m.Clone()
	what, said := from.Read(m, []*meta.Array{m})
	if !said {
		t.Fatal("not xarray's")
	}
	if lost := to.Write(m, what); lost != "" {
		t.Errorf("lost %s", lost)
	}
	return m
}

// The documents are those that xarray 2026.9 wrote of the same variables in both
// versions of Zarr: each must become what xarray says itself.
func TestDocumentsSayWhatXarrayWouldSay(t *testing.T) {
	f, err := os.Open("testdata/documents.jsonl")
	check(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	count := 0
	for lines.Scan() {
		var c struct {
			Name   string
			Zarray json.RawMessage
			Zattrs json.RawMessage
			V3     json.RawMessage `json:"zarr.json"`
		}
		check(t, json.Unmarshal(lines.Bytes(), &c))
		count++
		two, err := zarr2.ParseArray(c.Zarray, c.Zattrs)
		check(t, err)
		n, err := meta.Parse(c.V3, meta.Registry{})
		check(t, err)
		three := n.(*meta.Array)

		up := as(t, two, xarray.Zarr2, xarray.Zarr3)
		if got, want := attributes(t, up.Attributes), attributes(t, three.Attributes); !sameJSON(t, got, want) {
			t.Errorf("%s in Zarr v3: %s, want %s", c.Name, got, want)
		}
		if len(up.DimensionNames) != len(three.DimensionNames) || up.DimensionNames == nil || up.NoFill {
			t.Errorf("%s: names %v, want %v", c.Name, up.DimensionNames, three.DimensionNames)
		}
		for i, name := range three.DimensionNames {
			if *up.DimensionNames[i] != *name {
				t.Errorf("%s: name %s, want %s", c.Name, *up.DimensionNames[i], *name)
			}
		}
		down := as(t, three, xarray.Zarr3, xarray.Zarr2)
		if got := attributes(t, down.Attributes); !sameJSON(t, got, c.Zattrs) {
			t.Errorf("%s in Zarr v2: %s, want %s", c.Name, got, c.Zattrs)
		}
		if down.NoFill != two.NoFill || !two.NoFill && string(down.FillValue) != string(two.FillValue) {
			t.Errorf("%s in Zarr v2: fill value %s (none: %v), want %s (%v)", c.Name, down.FillValue, down.NoFill, two.FillValue, two.NoFill)
		}
		// Either way, what is missing stays, and nothing is left of the other terms.
		for format, m := range map[string]*meta.Array{"zarr3": three, "": up} {
			if was, ok := xarray.Missing(two, "zarr2"); true {
				if now, still := xarray.Missing(m, format); ok != still || string(was) != string(now) {
					t.Errorf("%s: %s is missing, was %s", c.Name, now, was)
				}
			}
		}
		back := as(t, up, xarray.Zarr3, xarray.Zarr2)
		if got := attributes(t, back.Attributes); !sameJSON(t, got, c.Zattrs) || back.NoFill != two.NoFill || string(back.FillValue) != string(two.FillValue) {
			t.Errorf("%s came back as %s, %s, %v", c.Name, got, back.FillValue, back.NoFill)
		}
	}
	check(t, lines.Err())
	if count < 70 {
		t.Errorf("only %d documents", count)
	}
}

func array(t testing.TB, dtype, fill, attrs string, rank int) *meta.Array {
	t.Helper()
	shape := strings.TrimSuffix(strings.Repeat("4,", rank), ",")
	filters := "null"
	if dtype == "|O" {
		filters = `[{"id":"vlen-utf8"}]`
	}
	zarray := fmt.Sprintf(`{"zarr_format":2,"shape":[%s],"chunks":[%s],"dtype":"%s","fill_value":%s,"order":"C","filters":%s,"compressor":null}`, shape, shape, dtype, fill, filters)
	m, err := zarr2.ParseArray([]byte(zarray), []byte(attrs))
	check(t, err)
	return m
}

const x = `{"_ARRAY_DIMENSIONS":["x"]}`

// Every fill value of Zarr v2 is the missing value of Zarr v3, and comes back.
func TestFillValuesComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fills := map[string][]string{
		"|b1": {"true", "false"}, "<U3": {`""`, `"a"`, `"日本"`}, "|O": {`""`, `"long text"`},
	}
	for _, size := range []int{1, 2, 4, 8} {
		for range 20 {
			n := rng.Int64() >> rng.IntN(63) >> (64 - 8*size)
			fills[fmt.Sprintf("<i%d", size)] = append(fills[fmt.Sprintf("<i%d", size)], fmt.Sprint(n))
			fills[fmt.Sprintf("<u%d", size)] = append(fills[fmt.Sprintf("<u%d", size)], fmt.Sprint(rng.Uint64()>>(64-8*size)))
		}
	}
	spell := func(x float64) string {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return map[bool]string{true: `"NaN"`, false: `"-Infinity"`}[math.IsNaN(x)]
		}
		return fmt.Sprintf("%g", x)
	}
	for range 40 {
		f8 := math.Float64frombits(rng.Uint64())
		f4 := math.Float32frombits(rng.Uint32())
		f2 := dtype.Float16(rng.Uint32()).Float32()
		fills["<f8"] = append(fills["<f8"], spell(f8))
		fills["<f4"] = append(fills["<f4"], spell(float64(f4)))
		fills["<f2"] = append(fills["<f2"], spell(float64(f2)))
		fills["<c8"] = append(fills["<c8"], "["+spell(float64(f4))+","+spell(float64(f2))+"]")
		fills["<c16"] = append(fills["<c16"], "["+spell(f8)+","+spell(float64(f2))+"]")
	}
	for typ, list := range fills {
		for _, fill := range append(list, "null") {
			m := array(t, typ, fill, x, 1)
			up := as(t, m, xarray.Zarr2, xarray.Zarr3)
			if up.Attributes.Raw(xarray.DimensionsAttribute) != nil || string(up.FillValue) != string(m.FillValue) {
				t.Errorf("%s %s: attributes %s, fill value %s", typ, fill, attributes(t, up.Attributes), up.FillValue)
			}
			back := as(t, up, xarray.Zarr3, xarray.Zarr2)
			if string(back.FillValue) != string(m.FillValue) || back.NoFill != m.NoFill || string(attributes(t, back.Attributes)) != x {
				t.Errorf("%s %s came back as %s (none: %v), %s", typ, fill, back.FillValue, back.NoFill, attributes(t, back.Attributes))
			}
		}
	}
}

func TestWhatIsNotXarrays(t *testing.T) {
	for _, attrs := range []string{`{}`, `{"_ARRAY_DIMENSIONS":[]}`, `{"_ARRAY_DIMENSIONS":["x","y"]}`, `{"_ARRAY_DIMENSIONS":"x"}`, `{"_ARRAY_DIMENSIONS":[1]}`} {
		m := array(t, "<i4", "7", attrs, 1)
		before := string(attributes(t, m.Attributes))
		if _, said := xarray.Zarr2.Read(m, nil); said || string(attributes(t, m.Attributes)) != before {
			t.Errorf("%s is taken for xarray's", attrs)
		}
		if _, ok := xarray.Missing(m, "zarr2"); ok {
			t.Errorf("%s: 7 is missing", attrs)
		}
		if _, said := xarray.Zarr3.Read(m, []*meta.Array{m}); said {
			t.Errorf("%s without names is taken for xarray's", attrs)
		}
	}
	// One without dimensions is like the others of its group.
	scalar := array(t, "<i4", "7", "{}", 0)
	for _, c := range []struct {
		beside []*meta.Array
		want   bool
	}{
		{nil, false},
		{[]*meta.Array{scalar}, true},
		{[]*meta.Array{scalar, array(t, "<i4", "0", "{}", 1)}, false},
		{[]*meta.Array{scalar, array(t, "<i4", "0", x, 1)}, true},
	} {
		m := scalar.Clone()
		if what, said := xarray.Zarr3.Read(m, c.beside); said != c.want {
			t.Errorf("among %d: %v", len(c.beside), said)
		} else if said {
			xarray.Zarr2.Write(m, what)
			if got := attributes(t, m.Attributes); string(got) != `{"_ARRAY_DIMENSIONS":[]}` || !m.NoFill {
				t.Errorf("got %s", got)
			}
		}
	}
	// xarray refuses what does not decode: such arrays stay as they are.
	for typ, fill := range map[string]string{"<f4": `1.5`, "<f8": `"AAAA"`, "<i4": `"-9"`, "<u1": `-1`, "<c8": `"AAAAAAAA+H8="`, "<U3": `"a"`, "<M8[s]": `0`, "|S3": `"YQ=="`} {
		m := array(t, typ, "null", x, 1)
		check(t, m.Attrs().Set("_FillValue", json.RawMessage(fill)))
		if _, said := xarray.Zarr3.Read(m, nil); said {
			t.Errorf("%s: %s was read", typ, fill)
		}
		if _, err := xarray.DecodeFill(m.DataType, json.RawMessage(fill)); err == nil {
			t.Errorf("%s: %s was decoded", typ, fill)
		}
	}
}

func TestWhatOneVersionCannotSay(t *testing.T) {
	// A double that a float32 does not have masks nothing in either version.
	m := array(t, "<f4", "null", `{"_ARRAY_DIMENSIONS":["x"],"_FillValue":-999.9}`, 1)
	up := as(t, m, xarray.Zarr2, xarray.Zarr3)
	if fill, ok := xarray.Missing(up, "zarr3"); !ok || string(fill) != "-999.9" {
		t.Errorf("got %s", fill)
	}
	back := as(t, up, xarray.Zarr3, xarray.Zarr2)
	if !back.NoFill || string(back.Attributes.Raw("_FillValue")) != "-999.9" {
		t.Errorf("got %s", attributes(t, back.Attributes))
	}
	// Of an attribute beside a fill value, xarray takes no notice.
	m = array(t, "<i2", "-1", `{"_ARRAY_DIMENSIONS":["x"],"_FillValue":-9}`, 1)
	if fill, ok := xarray.Missing(m, "zarr2"); !ok || string(fill) != "-1" {
		t.Errorf("got %s", fill)
	}
	m = array(t, "|S3", `"YWE="`, x, 1)
	what, _ := xarray.Zarr2.Read(m, nil)
	if lost := xarray.Zarr3.Write(m, what); !strings.Contains(lost, "missing") || m.Attributes.Len() != 0 {
		t.Errorf("got %q, %s", lost, attributes(t, m.Attributes))
	}
	m = array(t, "<U3", `"a"`, `{"_ARRAY_DIMENSIONS":["x"],"missing_value":"b"}`, 1)
	what, _ = xarray.Zarr2.Read(m, nil)
	if lost := xarray.Zarr3.Write(m, what); !strings.Contains(lost, "missing") {
		t.Errorf("got %q", lost)
	}
}
