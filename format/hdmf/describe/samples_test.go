package describe_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// stores are fixtures in memory, which nobody changes.
var stores = map[string]*mem.Store{}

// object opens one of a fixture.
func object(t *testing.T, file, at string) *describe.Object {
	t.Helper()
	if stores[file] == nil {
		s := mem.New()
		for key, data := range nwbtest.Files(t, file) {
			if _, err := s.Put(t.Context(), key, data, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		stores[file] = s
	}
	n, err := zarr.OpenStore(t.Context(), stores[file], "", zarr.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	o, err := new(describe.Convention).Open(t.Context(), n.(*zarr.Group), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o.(*describe.Object)
}

func TestSamplesOfSeries(t *testing.T) {
	for _, file := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		s, err := object(t, file, "/acquisition/ElectricalSeries").Samples(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.Array.Shape(), []int{400, 6}) || s.Unit != "volts" || s.Times == nil || s.Times.Len != 400 || s.Scale == 1 || len(s.Factors) != 6 {
			t.Errorf("%s: %+v", file, s)
		}
		names, err := s.Names(t.Context())
		if err != nil || len(names) != 6 {
			t.Errorf("%s: channels %v, %v", file, names, err)
		}
		if s, err = object(t, file, "/stimulus/presentation/stim_trace/data").Samples(t.Context()); err != nil || s == nil || s.Rate != 60 || s.Unit != "degrees" {
			t.Errorf("%s: data of a series: %+v, %v", file, s, err)
		}
		for _, none := range []string{"/acquisition/words", "/acquisition/video", "/units", "/"} {
			if s, err := object(t, file, none).Samples(t.Context()); s != nil || err != nil {
				t.Errorf("%s: %s is %+v, %v", file, none, s, err)
			}
		}
		units := object(t, file, "/units")
		if zero := units.Zero(t.Context()); !strings.HasPrefix(zero, "20") {
			t.Errorf("%s: seconds count from %q", file, zero)
		}
		bands := units.Bands(t.Context())
		if want := []convention.Band{{Path: "/intervals/epochs", Name: "epochs", Rows: 2}, {Path: "/intervals/trials", Name: "trials", Rows: 4}}; !slices.Equal(bands, want) {
			t.Errorf("%s: %+v", file, bands)
		}
	}
}

func TestColumnsAreShownWithWhereTheyLead(t *testing.T) {
	for _, file := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		show := func(at, column string, most int, span rows.Span) (out []string) {
			t.Helper()
			set, err := object(t, file, at).Rows(t.Context(), "", false)
			if err != nil {
				t.Fatal(err)
			}
			f := set.Field(column)
			cells, err := f.Show(t.Context(), span, most)
			if err != nil {
				t.Fatal(err)
			}
			for i := range span.Count {
				cell, err := cells(nil, i)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, string(cell))
			}
			return out
		}
		two := rows.Listed([]int{3, 0})
		group := show("/general/extracellular_ephys/electrodes", "group", 2, two)
		ref, ok := rows.ParseRef([]byte(group[0]))
		if !ok || ref.File != "." || !strings.HasPrefix(ref.Path, "/general/extracellular_ephys/") || ref.Broken != "" || ref.Row != nil {
			t.Errorf("%s: groups of electrodes are %v", file, group)
		}
		spikes := show("/units", "spike_times", 2, two)
		if !strings.HasPrefix(spikes[0], `{"list":`) || strings.Count(spikes[1], ",") > 3 {
			t.Errorf("%s: spikes are %v", file, spikes)
		}
		electrodes := show("/units", "electrodes", 1, rows.Span{Step: 1, Count: 1})
		_, first, _ := strings.Cut(electrodes[0], `"values":[`)
		ref, ok = rows.ParseRef([]byte(strings.TrimSuffix(first, "]}")))
		if !ok || ref.Row == nil || ref.Path != "/general/extracellular_ephys/electrodes" {
			t.Errorf("%s: electrodes of a unit are %v", file, electrodes)
		}
		series := show("/intervals/epochs", "timeseries", 1, rows.Span{Step: 1, Count: 1})
		_, first, _ = strings.Cut(series[0], `"values":[`)
		if ref, ok = rows.ParseRef([]byte(strings.TrimSuffix(first, "]}"))); !ok || !strings.HasSuffix(ref.Text, "]") || !strings.HasPrefix(ref.Path, "/") {
			t.Errorf("%s: series of an epoch are %v", file, series)
		}
		if mask := show("/processing/ophys/ImageSegmentation/PlaneSegmentation_img", "image_mask", 1, two.Part(1, 1)); !strings.Contains(mask[0], `{"list":`) {
			t.Errorf("%s: masks are %v", file, mask)
		}
	}
}

func TestHeadsOfListsAreTheirBeginnings(t *testing.T) {
	set, err := object(t, "session_v3.nwb.zarr", "/units").Rows(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	f := set.Field("spike_times")
	all := rows.Listed([]int{4, 1, 1, 0})
	values, offsets, err := f.Lists(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	lengths, err := f.Lengths(context.Background(), all)
	if err != nil || len(lengths) != 4 || offsets[4] != len(values) {
		t.Fatalf("%v, %v, %v", offsets, lengths, err)
	}
	for i, n := range lengths {
		if offsets[i+1]-offsets[i] != n {
			t.Errorf("list %d has %d values, and is %d long", i, offsets[i+1]-offsets[i], n)
		}
		if n == 0 {
			continue
		}
		some, at, err := f.Lists(t.Context(), all.Part(i, 1), [][2]int{{n - 1, n}})
		if err != nil || len(some) != 1 || at[1] != 1 || some[0] != values[offsets[i+1]-1] {
			t.Errorf("the last of list %d is %v, %v, want %v", i, some, err, values[offsets[i+1]-1])
		}
		for _, bad := range [][2]int{{0, n + 1}, {-1, n}, {n, n - 1}} {
			if _, _, err := f.Lists(t.Context(), all.Part(i, 1), [][2]int{bad}); err == nil {
				t.Errorf("entries %v of %d were read", bad, n)
			}
		}
	}
}
