package cf

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// golden is what xarray and cftime say: see testdata/make.py.
type golden struct {
	Times []struct {
		Units, Calendar string
		Numbers         []float64
		Times           []*string
	}
	Packed []struct {
		DataType   string `json:"data_type"`
		Stored     json.RawMessage
		Attributes json.RawMessage
		Decoded    []*float64
	}
	Datetime64 []struct {
		Unit    string
		Numbers []int64
		Dates   []string
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(raw, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// stored makes an array of one axis with elements and attributes.
func stored(t *testing.T, dataType string, n int, elements func(*zarr.Array) error, attributes string) *zarr.Array {
	t.Helper()
	attrs, err := meta.ParseAttributes([]byte(attributes))
	if err != nil {
		t.Fatal(err)
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{n}, DataType: dataType, Attributes: attrs})
	if err == nil {
		err = elements(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// decoded is every element as AppendValue tells it, and as Floats does.
func decoded(t *testing.T, a *zarr.Array) (texts []string, numbers []float64) {
	t.Helper()
	d, ok := Of(a)
	if !ok {
		t.Fatalf("%s is not decoded", a.DataType().Name())
	}
	for v, err := range a.Stream(ctx, zarr.All(), 1<<20) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Len() {
			text, err := d.AppendValue(nil, v.At(i), nil)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		part := make([]float64, v.Len())
		d.Floats(part, v.Data)
		numbers = append(numbers, part...)
	}
	return texts, numbers
}

func TestTimesAreThoseOfCftime(t *testing.T) {
	for _, c := range readGolden(t).Times {
		calendar, err := ParseCalendar(c.Calendar)
		if err != nil {
			t.Fatal(err)
		}
		u, err := ParseUnits(c.Units, calendar)
		if err != nil {
			t.Errorf("%s in %s: %v", c.Units, c.Calendar, err)
			continue
		}
		for i, n := range c.Numbers {
			if c.Times[i] == nil {
				continue
			}
			got := u.Float(n)
			if got.String() != *c.Times[i] {
				t.Errorf("%v %s in %s is %s, want %s", n, c.Units, c.Calendar, got, *c.Times[i])
			}
			if n == math.Trunc(n) && u.Int(int64(n)) != got {
				t.Errorf("%v %s in %s is %s as an integer and %s as a float", n, c.Units, c.Calendar, u.Int(int64(n)), got)
			}
			if p, err := ParseTime(got.String(), calendar); err != nil || p.From != got {
				t.Errorf("%s in %s reads as %s, %v", got, c.Calendar, p.From, err)
			}
		}
	}
}

func TestPackedNumbersAreThoseOfXarray(t *testing.T) {
	for _, c := range readGolden(t).Packed {
		a := stored(t, c.DataType, len(c.Decoded), func(a *zarr.Array) error {
			var mem []byte
			err := strictjson.Each(c.Stored, func(_ int, raw json.RawMessage) error {
				elem, err := a.DataType().ParseFill(raw, nil)
				mem = append(mem, elem...)
				return err
			})
			if err != nil {
				return err
			}
			v, err := a.Make(len(c.Decoded))
			if err != nil {
				return err
			}
			copy(v.Data, mem)
			return a.WriteFrom(ctx, zarr.All(), v)
		}, string(c.Attributes))
		texts, numbers := decoded(t, a)
		for i, want := range c.Decoded {
			if want == nil {
				if texts[i] != "null" || !math.IsNaN(numbers[i]) {
					t.Errorf("%s %s: element %d is %s, %v, want none", c.DataType, c.Attributes, i, texts[i], numbers[i])
				}
				continue
			}
			// xarray decodes small integers as float32.
			if math.Abs(numbers[i]-*want) > 1e-6*math.Abs(*want) {
				t.Errorf("%s %s: element %d is %v, want %v", c.DataType, c.Attributes, i, numbers[i], *want)
			}
			var told float64
			if err := json.Unmarshal([]byte(texts[i]), &told); err != nil || told != numbers[i] {
				t.Errorf("%s %s: element %d is %v, told as %s", c.DataType, c.Attributes, i, numbers[i], texts[i])
			}
		}
	}
}

func TestDatesAreThoseOfNumPy(t *testing.T) {
	for _, c := range readGolden(t).Datetime64 {
		name := `{"name":"numpy.datetime64","configuration":{"unit":"` + c.Unit + `","scale_factor":1}}`
		a := stored(t, name, len(c.Numbers)+1, func(a *zarr.Array) error {
			return zarr.Write(ctx, a, zarr.All(), append(c.Numbers, math.MinInt64))
		}, `{}`)
		texts, _ := decoded(t, a)
		if texts[len(c.Numbers)] != "null" {
			t.Errorf("NaT is told as %s", texts[len(c.Numbers)])
		}
		for i, want := range c.Dates {
			switch c.Unit { // NumPy tells times of day as precisely as the unit
			case "h":
				want += ":00:00"
			case "m":
				want += ":00"
			case "ms", "us", "ns":
				want = strings.TrimSuffix(strings.TrimRight(want, "0"), ".")
				if n := strings.Count(want, ":"); n < 2 || strings.HasSuffix(want, ":") || len(want) < 19 {
					want += "0000-00-00T00:00:00"[len(want):]
				}
			}
			if texts[i] != `"`+want+`"` {
				t.Errorf("%d %s is %s, want %s", c.Numbers[i], c.Unit, texts[i], want)
			}
		}
	}
}

func TestDurationsAreToldAsISO(t *testing.T) {
	for _, c := range []struct {
		unit string
		n    int64
		want string
	}{
		{"s", 0, "PT0S"}, {"s", 90061, "P1DT1H1M1S"}, {"s", -90, "-PT1M30S"}, {"D", 3, "P3D"}, {"W", 1, "P7D"},
		{"ms", 1500, "PT1.5S"}, {"ns", -1, "-PT0.000000001S"}, {"Y", 2, "P2Y"}, {"M", 14, "P14M"}, {"M", -24, "-P2Y"},
		{"h", 25, "P1DT1H"}, {"as", 1, "PT0.000000000000000001S"},
	} {
		name := `{"name":"numpy.timedelta64","configuration":{"unit":"` + c.unit + `","scale_factor":1}}`
		a := stored(t, name, 1, func(a *zarr.Array) error { return zarr.Write(ctx, a, zarr.All(), []int64{c.n}) }, `{}`)
		if texts, _ := decoded(t, a); texts[0] != `"`+c.want+`"` {
			t.Errorf("%d %s is %s, want %s", c.n, c.unit, texts[0], c.want)
		}
	}
	a := stored(t, "float64", 3, func(a *zarr.Array) error {
		return zarr.Write(ctx, a, zarr.All(), []float64{1.5, -0.25, 2})
	}, `{"units":"hours","dtype":"timedelta64[ns]"}`)
	texts, numbers := decoded(t, a)
	if strings.Join(texts, " ") != `"PT1H30M" "-PT15M" "PT2H"` || numbers[0] != 5400 {
		t.Error(texts, numbers)
	}
}

// Attributes of others, and nonsense, leave elements alone.
func TestWhatIsNotCFIsLeftAlone(t *testing.T) {
	for _, attrs := range []string{`{}`, `{"units":"m"}`, `{"units":"days since yesterday"}`, `{"scale_factor":"a"}`, `{"_FillValue":"x"}`,
		`{"units":7,"calendar":[]}`, `{"units":"parsecs since 2000-01-01"}`, `{"scale_factor":[1,2]}`, `{"_FillValue":{}}`, `{"units":"hours"}`} {
		a := stored(t, "int16", 1, func(*zarr.Array) error { return nil }, attrs)
		if _, ok := Of(a); ok {
			t.Errorf("%s is decoded", attrs)
		}
	}
	if _, ok := Of(stored(t, "string", 1, func(*zarr.Array) error { return nil }, `{"_FillValue":"x"}`)); ok {
		t.Error("text is decoded")
	}
}

// xarray's own spelling of missing values, in both versions of Zarr.
func TestMissingValuesOfXarray(t *testing.T) {
	for _, c := range []struct{ format, fill, attributes, want string }{
		{"zarr3", "0", `{"_FillValue":"AAAAAACAQ8A="}`, "0.0 null"}, // -39
		{"zarr3", "0", `{"_FillValue":-39}`, "0.0 null"},
		{"zarr3", "0", `{}`, "0.0 -39.0"},
		{"zarr2", "-39", `{}`, "0.0 null"},
		{"zarr2", "0", `{}`, "0.0 -39.0"}, // what programs write who think of none
		{"zarr2", "0", `{"scale_factor":2}`, "null -78.0"},
	} {
		attrs, err := meta.ParseAttributes([]byte(c.attributes))
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{2}, DataType: "float32", FillValue: json.RawMessage(c.fill),
			DimensionNames: []string{"x"}, Attributes: attrs}, zarr.As(c.format))
		if err == nil {
			err = zarr.Write(ctx, a, zarr.All(), []float32{0, -39})
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := zarr.OpenStore(ctx, a.Store(), "")
		if err != nil {
			t.Fatal(err)
		}
		a = again.(*zarr.Array)
		value := a.DataType().AppendValue
		if d, ok := Of(a); ok {
			value = d.AppendValue
		}
		var got []string
		for v, err := range a.Stream(ctx, zarr.All(), 64) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Len() {
				text, err := value(nil, v.At(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(text))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, fill value %s, %s: %s, want %s", c.format, c.fill, c.attributes, got, c.want)
		}
	}
}

// Every day of every calendar has a number, and the next has the next.
func TestDaysOfCalendars(t *testing.T) {
	for _, c := range []Calendar{Gregorian, Standard, Julian, NoLeap, AllLeap, Days360} {
		for _, year := range []int64{-maxYear + 2, -4713, -401, -1, 0, 1, 4, 100, 1500, 1581, 1582, 1583, 1900, 2000, 2024, maxYear - 2} {
			d := c.days(year, 1, 1)
			for k := range int64(800) {
				y, m, n := c.civil(d + k)
				if back := c.days(y, m, n); back != d+k {
					t.Fatalf("calendar %d: day %d is %d-%d-%d, which is day %d", c, d+k, y, m, n, back)
				}
			}
		}
	}
	if !Standard.Date(1582, 10, 10).IsNaT() || Standard.Date(1582, 10, 15).Seconds-Standard.Date(1582, 10, 4).Seconds != 86400 {
		t.Error("ten days were left out in 1582")
	}
}

func FuzzUnits(f *testing.F) {
	for _, s := range []string{"days since 2000-01-01", "hours since 1-1-1 0:0:0", "s since -5-12-31T23:59:59.99+01:30", "d since 1", "weeks  since  2000-02-30"} {
		f.Add(s, int64(5), 1.5)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, text string, n int64, x float64) {
		for c := Gregorian; c <= Days360; c++ {
			u, err := ParseUnits(text, c)
			if err != nil {
				continue
			}
			for _, when := range []Time{u.Int(n), u.Float(x)} {
				if when.IsNaT() {
					continue
				}
				if when.Nanos < 0 || when.Nanos >= second {
					t.Fatalf("%q: %d nanoseconds", text, when.Nanos)
				}
				if p, err := ParseTime(when.String(), c); err != nil || p.From != when {
					t.Fatalf("%q: %s reads as %s, %v", text, when, p.From, err)
				}
			}
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"2025", "2025-06", "2025-06-30", "2025-06-30T12", "2025-06-30 12:30:05.25Z", "-0001-01-01T00:00:00+23:59"} {
		f.Add(s)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, text string) {
		for c := Gregorian; c <= Days360; c++ {
			p, err := ParseTime(text, c)
			if err == nil && (p.From.IsNaT() || p.To.Compare(p.From) < 0) {
				t.Fatalf("%q is from %s to %s", text, p.From, p.To)
			}
		}
	})
}

func TestCalendarsHaveTheirNames(t *testing.T) {
	for c := Gregorian; c <= Days360; c++ {
		if back, err := ParseCalendar(c.String()); err != nil || back != c {
			t.Errorf("%s is %v, %v", c, back, err)
		}
	}
}
