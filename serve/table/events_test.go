package table_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/table"
)

func TestSpikesOfUnits(t *testing.T) {
	for _, file := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		cache, err := kept.New(1<<20, "", 0)
		check(t, err)
		defer cache.Close()
		units := fixture(t, file, "units", table.Options{Cache: cache, Key: file})
		info, err := units.EventsInfo(t.Context())
		check(t, err)
		if info.Rows != 5 || !slices.Contains(info.Order, "id") || !slices.Contains(info.Order, "quality") || !(info.Start < info.End) {
			t.Fatalf("%s: %+v", file, info)
		}
		q := table.EventsQuery{From: info.Start, To: info.End, Width: 1000, Limit: 500}
		all, err := units.Events(t.Context(), q)
		check(t, err)
		q.Width = 3
		few, err := units.Events(t.Context(), q)
		check(t, err)
		sum := 0
		for i, u := range all.Units {
			sum += u.Count
			if len(u.Times) != u.Count || u.Row != i || u.Label == "" {
				t.Errorf("%s: %+v", file, u)
			}
			var want [3]int
			for _, x := range u.Times {
				want[min(int((x-q.From)/(q.To-q.From)*3), 2)]++
			}
			if got := few.Units[i]; got.Count != u.Count || got.Bins != nil && !slices.Equal(got.Bins, want[:]) || got.Bins == nil && len(got.Times) != u.Count {
				t.Errorf("%s: %+v in three pixels, want %v", file, got, want)
			}
		}
		if sum != info.Count || all.Total != 5 {
			t.Errorf("%s: %d spikes of %d", file, sum, info.Count)
		}
		middle := (info.Start + info.End) / 2
		half, err := units.Events(t.Context(), table.EventsQuery{From: info.Start, To: middle, Width: 1000, Offset: 1, Limit: 2, Sort: "-id"})
		check(t, err)
		if len(half.Units) != 2 || half.Units[0].Row != 3 || half.Units[1].Row != 2 {
			t.Fatalf("%s: %+v", file, half)
		}
		for _, u := range half.Units {
			want := slices.DeleteFunc(slices.Clone(all.Units[u.Row].Times), func(x float64) bool { return x > middle })
			if !slices.Equal(u.Times, want) {
				t.Errorf("%s: row %d has %v, want %v", file, u.Row, u.Times, want)
			}
		}
		if raw, err := json.Marshal(all); err != nil || !strings.Contains(string(raw), `"times":[`) {
			t.Errorf("%s, %v", raw, err)
		}
		for _, q := range []table.EventsQuery{
			{From: 1, To: 0, Width: 5, Limit: 5}, {From: math.NaN(), To: 1, Width: 5, Limit: 5}, {To: 1, Limit: 5}, {To: 1, Width: 1 << 30, Limit: 5}, {To: 1, Width: 5, Limit: 1 << 30},
			{To: 1, Width: 5, Limit: 5, Offset: -1}, {To: 1, Width: 5, Limit: 5, Sort: "no"}, {To: math.Inf(1), Width: 5, Limit: 5}, {To: 1, Width: 1 << 14, Limit: 5000},
		} {
			if e, err := units.Events(t.Context(), q); err == nil {
				t.Errorf("%+v gives %+v", q, e)
			}
		}
		if _, err := fixture(t, file, "intervals/epochs", table.Options{}).Events(t.Context(), q); err == nil {
			t.Error("epochs have spikes")
		}
	}
}

func TestIntervalsBetweenTimes(t *testing.T) {
	for _, file := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		trials := fixture(t, file, "intervals/trials", table.Options{})
		all, err := trials.Intervals(t.Context(), math.Inf(-1), math.Inf(1), 100)
		check(t, err)
		if len(all.Intervals) != 4 || !all.Complete {
			t.Fatalf("%s: %+v", file, all)
		}
		for i, x := range all.Intervals {
			if x.Row != i || x.Stop < x.Start || x.Label == "" {
				t.Errorf("%s: %+v", file, x)
			}
			some, err := trials.Intervals(t.Context(), x.Start, x.Start, 100)
			check(t, err)
			if !slices.Contains(some.Intervals, x) {
				t.Errorf("%s: %+v is not among %+v", file, x, some)
			}
		}
		two, err := trials.Intervals(t.Context(), math.Inf(-1), math.Inf(1), 2)
		if err != nil || two.Complete || !slices.Equal(two.Intervals, all.Intervals[:2]) {
			t.Errorf("%s: %+v, %v", file, two, err)
		}
		if _, err := trials.Intervals(t.Context(), 2, 1, 5); err == nil {
			t.Error("from later to earlier")
		}
		if _, err := fixture(t, file, "units", table.Options{}).Intervals(t.Context(), 0, 1, 5); err == nil {
			t.Error("units are intervals")
		}
	}
}

// many is a table of units with many spikes that are computed, and how many were read.
func many(units, each int, at func(unit, k int) float64) (set *rows.Set, read *atomic.Int64) {
	read = &atomic.Int64{}
	f := rows.Field{Name: "spike_times", Ragged: true}
	f.Lengths = func(_ context.Context, s rows.Span) ([]int, error) { return slices.Repeat([]int{each}, s.Count), nil }
	f.Lists = func(_ context.Context, s rows.Span, parts [][2]int) (values []float64, offsets []int, err error) {
		offsets = []int{0}
		for i := range s.Count {
			for k := parts[i][0]; k < parts[i][1]; k++ {
				values = append(values, at(s.At(i), k))
			}
			offsets = append(offsets, len(values))
		}
		read.Add(int64(len(values)))
		return values, offsets, nil
	}
	return &rows.Set{Rows: rows.Span{Step: 1, Count: units}, Fields: []rows.Field{f}, Events: &rows.Curves{Column: "spike_times"}}, read
}

func TestFewSpikesAreReadToSeeFew(t *testing.T) {
	const units, each = 100, 10_000
	at := func(unit, k int) float64 {
		if unit == 7 {
			k = each - k // in no order
		}
		return float64(k/2) + float64(unit)/100
	}
	set, read := many(units, each, at)
	cache, err := kept.New(4<<20, "", 0)
	check(t, err)
	defer cache.Close()
	tab := table.New(set, table.Options{Cache: cache, Key: "many"})
	info, err := tab.EventsInfo(t.Context())
	check(t, err)
	if info.Count != units*each || info.Start != 0 || info.End != each/2+0.07 {
		t.Errorf("%+v", info)
	}
	if read.Load() != units*each {
		t.Errorf("%d of %d spikes were read once", read.Load(), units*each)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		from := rng.Float64() * each / 2
		to := from + rng.Float64()*100
		read.Store(0)
		e, err := tab.Events(t.Context(), table.EventsQuery{From: from, To: to, Width: 1000, Offset: 5, Limit: 10})
		check(t, err)
		for _, u := range e.Units {
			var want []float64
			for k := range each {
				if x := at(u.Row, k); x >= from && x <= to {
					want = append(want, x)
				}
			}
			slices.Sort(want)
			got := slices.Sorted(slices.Values(u.Times))
			if u.Count != len(want) || !slices.Equal(got, want) {
				t.Fatalf("unit %d from %v to %v has %v, want %v", u.Row, from, to, got, want)
			}
		}
		if n := read.Load(); n > each+9*(200+2*256) {
			t.Errorf("%d spikes were read to see %v to %v", n, from, to)
		}
	}
}

// TestManySpikesAreCountedOnce: the same picture of many spikes takes no more reading.
func TestManySpikesAreCountedOnce(t *testing.T) {
	const units, each = 10, 20_000
	set, read := many(units, each, func(unit, k int) float64 { return float64(k) * float64(unit+1) })
	cache, err := kept.New(4<<20, "", 0)
	check(t, err)
	defer cache.Close()
	tab := table.New(set, table.Options{Cache: cache, Key: "many"})
	_, err = tab.EventsInfo(t.Context())
	check(t, err)
	q := table.EventsQuery{From: 0, To: units * each, Width: 500, Limit: units}
	first, err := tab.Events(t.Context(), q)
	check(t, err)
	read.Store(0)
	again, err := tab.Events(t.Context(), q)
	check(t, err)
	if n := read.Load(); n > 0 {
		t.Errorf("%d spikes were read again", n)
	}
	q.Offset, q.Limit = 3, 2
	some, err := tab.Events(t.Context(), q)
	check(t, err)
	if n := read.Load(); n > 0 {
		t.Errorf("%d spikes of some units were read again", n)
	}
	for i, u := range first.Units {
		if got := again.Units[i]; got.Row != u.Row || got.Label != u.Label || got.Count != u.Count || !slices.Equal(got.Bins, u.Bins) {
			t.Errorf("unit %d is another the second time", i)
		}
	}
	if some.Units[0].Row != 3 || !slices.Equal(some.Units[1].Bins, first.Units[4].Bins) {
		t.Errorf("%+v", some.Units[0].Row)
	}
	q.Width = 400
	if _, err := tab.Events(t.Context(), q); err != nil || read.Load() == 0 {
		t.Errorf("another picture: %v, %d were read", err, read.Load())
	}
}
