package hdmf_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

func series(t testing.TB, f *hdmf.File, at string) *hdmf.Series {
	t.Helper()
	s, err := hdmf.OpenSeries(ctx, group(t, f, at))
	check(t, err)
	return s
}

func TestSeriesOfASession(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb"} {
		f := fixture(t, name)
		es := series(t, f, "/acquisition/ElectricalSeries")
		if es.Unit != "volts" || es.Timestamps() == nil || es.Len() != es.Timestamps().Shape()[0] {
			t.Errorf("%s: %q, %v", name, es.Unit, es.Timestamps())
		}
		if _, ok := es.Rate(); ok {
			t.Errorf("%s: has a rate", name)
		}
		lfp := series(t, f, "/processing/ecephys/LFP/LFPSeries")
		if lfp.Timestamps() == nil || lfp.Timestamps().Path() != "/acquisition/ElectricalSeries/timestamps" {
			t.Errorf("%s: the times of another series: %v", name, lfp.Timestamps())
		}
		times, err := lfp.Times(ctx, zarr.Slice("0:3"))
		check(t, err)
		first, last, err := es.Span(ctx)
		check(t, err)
		if times[0] != first || last <= first {
			t.Errorf("%s: %v, from %v to %v", name, times, first, last)
		}
		found := 0
		for m, err := range f.Root().Walk(ctx) {
			check(t, err)
			if g, ok := m.Object.(*hdmf.Group); ok && hdmf.IsSeries(ctx, g) {
				found++
				_, err := hdmf.OpenSeries(ctx, g)
				check(t, err)
			}
		}
		if found < 8 {
			t.Errorf("%s: %d series", name, found)
		}
	}
}

func TestASeriesInAnotherFile(t *testing.T) {
	for _, dir := range []string{"external_v2", "external_v3"} {
		f := fixture(t, dir+"/linked")
		s := series(t, f, "/acquisition/linked_data")
		if s.Data().File() == f || s.Timestamps() == nil || s.Timestamps().File() != s.Data().File() {
			t.Errorf("%s: %s", dir, s.Data().File().URL())
		}
		data, shape, err := s.Scaled(ctx, zarr.Slice("2:5"))
		check(t, err)
		if len(shape) != 2 || shape[0] != 3 || len(data) != 3*shape[1] {
			t.Errorf("%s: %v", dir, shape)
		}
	}
}

func TestScaledData(t *testing.T) {
	w := newWriter(t)
	array(w, "s/data", "int16", []int{3, 2}, []int{2, 2}, []int16{1, 2, 3, 4, 5, 6}, "unit", "volts", "conversion", 0.5, "offset", 10)
	array(w, "s/channel_conversion", "float32", []int{2}, []int{2}, []float32{1, 100})
	array(w, "s/starting_time", "float64", []int{}, []int{}, []float64{5}, "rate", 10.0, "unit", "seconds")
	s := series(t, w.file(), "/s")
	data, shape, err := s.Scaled(ctx, zarr.Slice("1:3"))
	check(t, err)
	if !slices.Equal(data, []float64{11.5, 210, 12.5, 310}) || !slices.Equal(shape, []int{2, 2}) {
		t.Errorf("%v of shape %v", data, shape)
	}
	times, err := s.Times(ctx, zarr.Slice("1:3"))
	check(t, err)
	d, err := s.Duration(ctx)
	check(t, err)
	rate, ok := s.Rate()
	if !slices.Equal(times, []float64{5.1, 5.2}) || math.Abs(d-0.3) > 1e-12 || rate != 10 || !ok || !math.IsNaN(s.Resolution) {
		t.Errorf("%v, %v s, %v/s", times, d, rate)
	}
	for time, want := range map[float64]int{4.99: -1, 5: 0, 5.05: 0, 5.1: 1, 5.2: 2, 99: 2} {
		if i, err := s.At(ctx, time); i != want || err != nil {
			t.Errorf("at %v: sample %d, want %d (%v)", time, i, want, err)
		}
	}
	for _, time := range []float64{math.NaN(), math.Inf(-1)} {
		if i, err := s.At(ctx, time); i != -1 || err != nil {
			t.Errorf("at %v: sample %d (%v)", time, i, err)
		}
	}
	if i, err := s.At(ctx, math.Inf(1)); i != 2 || err != nil {
		t.Errorf("at the end of time: sample %d (%v)", i, err)
	}
	if v, _, err := s.Scaled(ctx, zarr.Box([]int{2, 0}, []int{2, 2})); err != nil || len(v) != 2 {
		t.Errorf("of the last sample and the next, which is none: %v, %v", v, err)
	}
	if _, _, err := s.Scaled(ctx, zarr.Select(zarr.At(3))); err == nil {
		t.Error("samples beyond the end were read")
	}
	if _, err := s.Times(ctx, zarr.Select(zarr.At(-4))); err == nil {
		t.Error("times before the start were read")
	}
}

func TestTheSampleAtATimeOfAList(t *testing.T) {
	w := newWriter(t)
	const n = 100_000
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i)*0.5 + 3
	}
	array(w, "s/data", "int8", []int{n}, []int{n}, make([]int8, n))
	array(w, "s/timestamps", "float64", []int{n}, []int{1000}, times)
	s := series(t, w.file(), "/s")
	for time, want := range map[float64]int{math.NaN(): -1, 2: -1, 3: 0, 3.2: 0, 4: 2, 3 + 0.5*77777: 77777, 1e9: n - 1} {
		if i, err := s.At(ctx, time); i != want || err != nil {
			t.Errorf("at %v: sample %d, want %d (%v)", time, i, want, err)
		}
	}
}

func TestTimesThatAreThoseOfAnotherSeries(t *testing.T) {
	w := newWriter(t)
	link := func(name, to string) any {
		return []any{map[string]any{"name": name, "source": ".", "path": to}}
	}
	for name, to := range map[string]string{"b": "/c", "c": "/a", "ring": "/ring2", "ring2": "/ring"} {
		w.group(name, "_LINKS", link("timestamps", to))
		array(w, name+"/data", "int8", []int{2}, []int{2}, []int8{1, 2})
	}
	array(w, "a/data", "int8", []int{2}, []int{2}, []int8{1, 2})
	array(w, "a/timestamps", "float64", []int{2}, []int{2}, []float64{0.5, 0.75})
	f := w.file()
	if s := series(t, f, "/b"); s.Timestamps().Path() != "/a/timestamps" {
		t.Errorf("%s", s.Timestamps().Path())
	}
	if _, err := hdmf.OpenSeries(ctx, group(t, f, "/ring")); !errors.Is(err, hdmf.ErrLinks) {
		t.Errorf("%v", err)
	}
}

func TestSeriesThatAreNone(t *testing.T) {
	w := newWriter(t)
	w.group("empty")
	array(w, "timeless/data", "int8", []int{2}, []int{2}, []int8{1, 2})
	array(w, "still/data", "int8", []int{2}, []int{2}, []int8{1, 2})
	array(w, "still/starting_time", "float64", []int{}, []int{}, []float64{0}, "rate", 0)
	array(w, "scalar/data", "int8", []int{}, []int{}, []int8{1})
	array(w, "words/data", "string", []int{1}, []int{1}, []string{"a"})
	array(w, "words/starting_time", "float64", []int{}, []int{}, []float64{0}, "rate", 1)
	array(w, "odd/data", "int8", []int{2}, []int{2}, []int8{1, 2}, "conversion", "x")
	array(w, "odd/starting_time", "float64", []int{}, []int{}, []float64{0}, "rate", 1)
	f := w.file()
	for at, says := range map[string]string{"/empty": "no time series", "/timeless": "no time series", "/still": "rate of 0", "/scalar": "single value", "/odd": `data.conversion: must be a number that fits 64 bits, not "x"`} {
		_, err := hdmf.OpenSeries(ctx, group(t, f, at))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, _, err := series(t, f, "/words").Scaled(ctx, zarr.Slice("0:1")); !errors.Is(err, hdmf.ErrNoNumber) {
		t.Errorf("%v", err)
	}
}

func TestAllObjectsOfAType(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb", "session_v2_plain.nwb"} {
		f := fixture(t, name)
		count := func(typ string) (paths []string) {
			for o, err := range f.All(ctx, typ) {
				check(t, err)
				paths = append(paths, o.Path())
			}
			return paths
		}
		exact := count("ElectricalSeries")
		if !slices.Equal(exact, []string{"/acquisition/ElectricalSeries", "/processing/ecephys/LFP/LFPSeries"}) {
			t.Errorf("%s: %v", name, exact)
		}
		series := count("TimeSeries")
		for _, at := range exact {
			if !slices.Contains(series, at) {
				t.Errorf("%s: %s is no TimeSeries", name, at)
			}
		}
		if !reflect.DeepEqual(count("core.TimeSeries"), series) || count("hdmf-common.TimeSeries") != nil {
			t.Errorf("%s: the namespace of TimeSeries", name)
		}
		if got := count("NWBFile"); !slices.Equal(got, []string{"/"}) {
			t.Errorf("%s: %v", name, got)
		}
		if tables := count("DynamicTable"); !slices.Contains(tables, "/units") || !slices.Contains(tables, "/intervals/trials") {
			t.Errorf("%s: tables %v", name, tables)
		}
		if got := count("NoSuchType"); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNumbersOfEveryType(t *testing.T) {
	for _, name := range []string{"custom_v2_pickle", "custom_v3"} {
		f := fixture(t, name)
		for m, err := range group(t, f, "/types").Members(ctx) {
			check(t, err)
			d, ok := m.Object.(*hdmf.Dataset)
			if !ok || d.DType().Kind != hdmf.Number || strings.HasPrefix(d.DType().Name, "complex") {
				continue
			}
			v, err := d.Read(ctx, zarr.All())
			check(t, err)
			all, err := v.Floats()
			check(t, err)
			for i := range all {
				w := element(t, v, i, f)
				if b, ok := w.(bool); ok {
					w = map[bool]float64{true: 1}[b]
				}
				if w, ok := w.(float64); ok && w != all[i] {
					t.Errorf("%s %s[%d]: %v, want %v", name, d.Path(), i, all[i], w)
				}
			}
			if ints, err := v.Ints(); err == nil {
				for i := range ints {
					if float64(ints[i]) != all[i] {
						t.Errorf("%s %s[%d]: %d, want %v", name, d.Path(), i, ints[i], all[i])
					}
				}
			} else if !strings.HasPrefix(d.DType().Name, "float") {
				t.Errorf("%s: %v", d.Path(), err)
			}
		}
	}
}
