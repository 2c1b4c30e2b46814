package hdmf_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store/mem"
)

// long is a series of 10⁸ samples of two channels of which every stored chunk is
// asked for by name.
func long(t testing.TB, listed bool) (*hdmf.Series, *counting) {
	t.Helper()
	const n, chunk = 100_000_000, 100_000
	s := &counting{Store: mem.New(), asked: map[string]int{}}
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	w := writer{t, g}
	array[int16](w, "s/data", "int16", []int{n, 2}, []int{chunk, 2}, nil, "unit", "volts", "conversion", 0.5, "offset", 10)
	array(w, "s/channel_conversion", "float64", []int{2}, []int{2}, []float64{1, 100})
	if listed {
		array[float64](w, "s/timestamps", "float64", []int{n}, []int{chunk}, nil)
	} else {
		array(w, "s/starting_time", "float64", []int{}, []int{}, []float64{5}, "rate", 1000.0)
	}
	for _, at := range []int{0, 50_000_000, 99_999_999} {
		check(t, zarr.Write(ctx, w.array("s/data"), zarr.Select(zarr.At(at), zarr.Full()), []int16{int16(at%7 + 1), 2}))
		if listed {
			check(t, zarr.Write(ctx, w.array("s/timestamps"), zarr.Select(zarr.At(at)), []float64{float64(at) / 10}))
		}
	}
	f := w.file()
	out, err := f.Series(ctx, "/s")
	check(t, err)
	clear(s.asked)
	return out, s
}

func TestAStridedReadTouchesWhatItNeeds(t *testing.T) {
	s, store := long(t, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, shape, err := s.Scaled(ctx, zarr.Slice("::10000000, 1"))
	check(t, err)
	runtime.ReadMemStats(&after)
	if len(data) != 10 || !slices.Equal(shape, []int{10}) || data[0] != 2*0.5*100+10 || data[1] != 10 || data[5] != 110 {
		t.Errorf("%v of shape %v", data, shape)
	}
	if len(store.asked) != 10 {
		t.Errorf("chunks %v were asked for", store.asked)
	}
	// Ten chunks of 400 kB, and not the 1.5 GiB between them.
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
		t.Errorf("%d bytes were allocated for 10 values", taken)
	}
}

func TestTimesAreReadWhereSamplesAre(t *testing.T) {
	for _, listed := range []bool{false, true} {
		s, store := long(t, listed)
		got, err := s.Times(ctx, zarr.Slice("::-49999999, :"))
		check(t, err)
		want := []float64{99999.999 + 5, 50000 + 5, 0.001 + 5}
		if listed {
			want = []float64{9999999.9, 5000000, 0}
		}
		if len(got) != 3 || math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 || math.Abs(got[2]-want[2]) > 1e-9 {
			t.Errorf("listed %v: %v, want %v", listed, got, want)
		}
		if most := map[bool]int{false: 0, true: 3}[listed]; len(store.asked) > most {
			t.Errorf("listed %v: chunks %v were asked for", listed, store.asked)
		}
	}
}

// Every way to select has the factors of the channels that it names.
func TestFactorsGoWithTheirChannels(t *testing.T) {
	w := newWriter(t)
	array(w, "s/data", "int16", []int{2, 3, 2}, []int{1, 2, 2}, []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2})
	array(w, "s/channel_conversion", "float32", []int{3}, []int{3}, []float32{1, 10, 100})
	array(w, "s/timestamps", "float64", []int{2}, []int{2}, []float64{3, 4})
	s, err := w.file().Series(ctx, "/s")
	check(t, err)
	if !s.IsScaled() {
		t.Error("channels have factors")
	}
	for _, c := range []struct {
		sel   zarr.Selection
		want  []float64
		times []float64
	}{
		{zarr.All(), []float64{1, 1, 10, 10, 100, 100, 2, 2, 20, 20, 200, 200}, []float64{3, 4}},
		{zarr.Slice("1"), []float64{2, 2, 20, 20, 200, 200}, []float64{4}},
		{zarr.Slice(":, 1"), []float64{10, 10, 20, 20}, []float64{3, 4}},
		{zarr.Slice("::-1, ::-2, 0"), []float64{200, 2, 100, 1}, []float64{4, 3}},
		{zarr.Select(zarr.Full(), zarr.List(2, 0, 2), zarr.At(1)), []float64{100, 1, 100, 200, 2, 200}, []float64{3, 4}},
		{zarr.Points([]int{0, 1, 1}, []int{1, 2, 0}, []int{0, 1, 0}), []float64{10, 200, 2}, []float64{3, 4, 4}},
		{zarr.Box([]int{1, 1, 0}, []int{1, 2, 1}), []float64{20, 200}, []float64{4}},
		{zarr.Slice("0:0"), []float64{}, nil},
		{zarr.Slice(":, 2:1"), []float64{}, []float64{3, 4}},
	} {
		got, _, err := s.Scaled(ctx, c.sel)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v, want %v", c.sel, got, err, c.want)
		}
		if times, err := s.Times(ctx, c.sel); err != nil || !slices.Equal(times, c.times) {
			t.Errorf("%v: times %v, %v, want %v", c.sel, times, err, c.times)
		}
	}
	if _, _, err := s.Scaled(ctx, zarr.Slice("x")); err == nil {
		t.Error("x is no selection")
	}
}

func TestTimesThatAreNotThere(t *testing.T) {
	w := newWriter(t)
	array[int16](w, "few/data", "int16", []int{5}, []int{5}, nil)
	array[float64](w, "few/timestamps", "float64", []int{3}, []int{3}, nil)
	array[int8](w, "vast/data", "int8", []int{1 << 60}, []int{1 << 20}, nil)
	array(w, "vast/starting_time", "float64", []int{}, []int{}, []float64{0}, "rate", 1.0)
	for _, at := range []string{"/few", "/vast"} {
		s, err := w.file().Series(ctx, at)
		check(t, err)
		if times, err := s.Times(ctx, zarr.All()); err == nil {
			t.Errorf("%s: %d times", at, len(times))
		}
	}
}

func TestTablesAndSeriesByTheirPaths(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb"} {
		f := fixture(t, name)
		trials, err := f.Table(ctx, "/intervals/trials")
		check(t, err)
		s, err := f.Series(ctx, "acquisition/ElectricalSeries")
		check(t, err)
		if trials.Rows() == 0 || s.Unit != "volts" {
			t.Errorf("%s: %d trials, %q", name, trials.Rows(), s.Unit)
		}
		for at, want := range map[string]error{"/acquisition": hdmf.ErrNoTable, "/session_description": hdmf.ErrNoTable, "/none": zarr.ErrNoNode} {
			if _, err := f.Table(ctx, at); !errors.Is(err, want) {
				t.Errorf("%s: table %s: %v", name, at, err)
			}
		}
		for at, want := range map[string]error{"/session_description": hdmf.ErrNoSeries, "/intervals/trials": hdmf.ErrNoSeries, "/acquisition": hdmf.ErrNoSeries, "/none": zarr.ErrNoNode} {
			if _, err := f.Series(ctx, at); !errors.Is(err, want) {
				t.Errorf("%s: series %s: %v", name, at, err)
			}
		}
	}
}
