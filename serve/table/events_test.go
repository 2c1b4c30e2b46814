package table_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/kept"
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
