package write_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func edit(t testing.TB, s store.Store) *write.Editor {
	t.Helper()
	e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
	check(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return e
}

// trials are two more rows of the trials of the sessions.
func trials() write.Rows {
	refs := []hdmf.Reference{to1("/acquisition/ElectricalSeries"), to1("/acquisition/counts"), to1("/acquisition/counts")}
	return write.Rows{Columns: map[string]write.Column{
		"start_time": {Data: write.Numbers([]float64{100, 101})},
		"stop_time":  {Data: write.Numbers([]float64{100.5, 101.5})},
		"correct":    {Data: write.Numbers([]bool{true, true})},
		"stim_name":  {Data: write.Text([]string{"new", "newer"})},
		"tags":       {Data: write.Text([]string{"p", "q", "r"}), Counts: [][]int{{0, 3}}},
		"timeseries": {Data: write.Compounds(
			write.Field{Name: "idx_start", Data: write.Numbers([]int32{0, 1, 2})},
			write.Field{Name: "count", Data: write.Numbers([]int32{1, 1, 1})},
			write.Field{Name: "timeseries", Data: write.References(refs)}), Counts: [][]int{{1, 2}}},
	}}
}

// units are two more rows of the units: with a column that is ragged twice.
func units(n int) write.Rows {
	spikes := make([]float64, n+1)
	for i := range spikes {
		spikes[i] = float64(i)
	}
	return write.Rows{IDs: []int64{77, 78}, Columns: map[string]write.Column{
		"quality":         {Data: write.Text([]string{"good", "bad"})},
		"electrode_group": {Data: write.References([]hdmf.Reference{to1("/general/extracellular_ephys/shank0"), to1("/general/extracellular_ephys/shank0")})},
		"electrodes":      {Data: write.Numbers([]int64{5, 4, 3}), Counts: [][]int{{1, 2}}},
		"spike_times":     {Data: write.Numbers(spikes), Counts: [][]int{{n, 1}}},
		"obs_intervals":   {Data: write.Numbers([]float64{1, 2, 3, 4}, 2, 2), Counts: [][]int{{2, 0}}},
		"waveform_mean":   {Data: write.Numbers(make([]float64, 24), 2, 6, 2)},
		"waveforms":       {Data: write.Numbers(make([]float64, 18), 3, 6), Counts: [][]int{{1, 1}, {1, 2}}},
	}}
}

// rows is what a table shows: as many rows as it has ids, cell by cell.
func rows(t testing.TB, f *hdmf.File, at string) []string {
	t.Helper()
	o, err := f.Object(ctx, at)
	check(t, err)
	table, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	check(t, err)
	out := make([]string, table.Rows())
	for _, c := range append([]*hdmf.Column{table.IDs()}, table.Columns()...) {
		cells, err := c.Read(ctx, 0, table.Rows())
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			return nil
		}
		for i := range out {
			out[i] += fmt.Sprint(c.Name(), "=", dumpValues(t, f, cells.Row(i)), " ")
		}
	}
	return out
}

// sessions are the same in both layouts. What is different between them is values, of which
// the race detector sees nothing.
var sessions = []string{"session_v2.nwb", "session_v3.nwb"}

func init() {
	if race.Enabled && !thorough.Enabled {
		sessions = sessions[1:]
	}
}

func TestRowsAreAppended(t *testing.T) {
	for i, name := range sessions {
		for j, plain := range []bool{false, true} {
			if !thorough.Enabled && i != j {
				continue // TestInterruptedEdits has the others
			}
			s := copied(t, name, plain)
			before := dump(t, in(t, s))
			old := rows(t, in(t, s), "/intervals/trials")
			e := edit(t, s)
			check(t, e.AppendRows(ctx, "/intervals/trials", trials()))
			same(t, dump(t, in(t, s)), before) // nothing is seen before the commit
			check(t, e.AppendRows(ctx, "/units", units(3)))
			check(t, e.Commit(ctx))
			check(t, e.Close())
			for _, f := range []*hdmf.File{in(t, s), in(t, s, zarr.BypassConsolidated())} {
				got := rows(t, f, "/intervals/trials")
				if len(got) != len(old)+2 || !slices.Equal(got[:len(old)], old) {
					t.Errorf("%s: %d rows, had %d:\n%s", name, len(got), len(old), strings.Join(got, "\n"))
				}
				want := "id=[int64 5] start_time=[float64 101.0] stop_time=[float64 101.5] tags=[p q r] timeseries=map[count:[int32 1 1] idx_start:[int32 1 2] timeseries:[/acquisition/counts /acquisition/counts]] correct=[bool true] stim_name=[newer] "
				if last := got[len(got)-1]; sorted(last) != sorted(want) {
					t.Errorf("%s: last row\n%s, want\n%s", name, last, want)
				}
				got = rows(t, f, "/units")
				if len(got) != 7 || !strings.Contains(got[5], "id=[int64 77]") || !strings.Contains(got[5], "spike_times=[float64 0.0 1.0 2.0]") || !strings.Contains(got[6], "spike_times=[float64 3.0]") {
					t.Errorf("%s: %v", name, got[5:])
				}
			}
		}
	}
}

func sorted(s string) string {
	parts := strings.Split(s, " ")
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// An index of eight bits is made wider where the layout can do it at once, and is
// an error before anything is written where it cannot.
func TestIndexesThatBecomeTooLong(t *testing.T) {
	for _, name := range sessions {
		s := thorough.Of(copied, func(t testing.TB, name string, _ bool) *mem.Store { return memory(t, name) })(t, name, false)
		before := dump(t, in(t, s))
		e := edit(t, s)
		err := e.AppendRows(ctx, "/units", units(300))
		if name == "session_v2.nwb" {
			if err == nil || !strings.Contains(err.Error(), "index spike_times_index: 310 does not fit in uint8") {
				t.Errorf("got %v", err)
			}
			check(t, e.Commit(ctx)) // of nothing
			same(t, dump(t, in(t, s)), before)
			check(t, e.AppendRows(ctx, "/units", units(3))) // it can still be used
			check(t, e.Commit(ctx))
			check(t, e.Close())
			if got := rows(t, in(t, s), "/units"); len(got) != 7 {
				t.Errorf("%d rows", len(got))
			}
			continue
		}
		check(t, err)
		same(t, dump(t, in(t, s)), before)
		check(t, e.Commit(ctx))
		got := rows(t, in(t, s), "/units")
		if len(got) != 7 || !strings.Contains(got[6], "spike_times=[float64 300.0]") {
			t.Errorf("%.300v", got[6])
		}
		o, err := in(t, s).Object(ctx, "/units/spike_times_index")
		check(t, err)
		if n := o.(*hdmf.Dataset).DType().Name; n != "uint16" {
			t.Errorf("index is %s", n)
		}
		if thorough.Least(true, false, false) {
			check(t, e.Close())
			continue // TestChunksThatCannotBeRemoved does it once more too
		}
		// Once more, to the other names.
		check(t, e.AppendRows(ctx, "/units", units(70000)))
		check(t, e.Commit(ctx))
		if got := rows(t, in(t, s), "/units"); len(got) != 9 || !strings.Contains(got[8], "spike_times=[float64 70000.0]") {
			t.Errorf("%d rows", len(got))
		}
		check(t, e.Close())
		if _, _, err := s.Get(ctx, "units/spike_times_index/c.0", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("the old chunk is still there: %v", err)
		}
	}
}

func TestSamplesAreAppended(t *testing.T) {
	for _, name := range sessions {
		s := memory(t, name)
		e := edit(t, s)
		check(t, e.AppendSamples(ctx, "/acquisition/counts", write.Numbers([]uint64{1, 2, 3, 4, 5, 6}, 2, 3), []float64{50, 51}))
		check(t, e.AppendSamples(ctx, "/acquisition/bool_events", write.Numbers([]bool{true}), nil))
		check(t, e.AppendSamples(ctx, "/acquisition/words", write.Text([]string{"more"}), []float64{9}))
		for want, err := range map[string]error{
			"1 times for 2 samples":            e.AppendSamples(ctx, "/acquisition/counts", write.Numbers(make([]uint64, 6), 2, 3), []float64{1}),
			"elements are uint64, not float64": e.AppendSamples(ctx, "/acquisition/counts", write.Numbers(make([]float64, 3), 1, 3), []float64{1}),
			"shape [3]":                        e.AppendSamples(ctx, "/acquisition/counts", write.Numbers(make([]uint64, 3)), []float64{1}),
			"has a rate":                       e.AppendSamples(ctx, "/acquisition/bool_events", write.Numbers([]bool{true}), []float64{1}),
			"is a link":                        e.AppendSamples(ctx, "/processing/ecephys/LFP/LFPSeries", write.Numbers(make([]float32, 2), 1, 2), []float64{1}),
			"has no data":                      e.AppendSamples(ctx, "/acquisition", write.Numbers([]int8{1}), nil),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		check(t, e.Commit(ctx))
		f := in(t, s)
		for at, want := range map[string]string{
			"/acquisition/counts/data":       "4 5 6]",
			"/acquisition/counts/timestamps": "50.0 51.0]",
			"/acquisition/bool_events/data":  "true]",
			"/acquisition/words/data":        "more]",
		} {
			o, err := f.Object(ctx, at)
			check(t, err)
			if got := fmt.Sprint(dumpObject(t, f, o)["values"]); !strings.HasSuffix(got, want) {
				t.Errorf("%s: %s", at, got)
			}
		}
	}
}

func TestObjectsAttributesAndLinksAreAdded(t *testing.T) {
	for _, name := range sessions[:thorough.Least(1, len(sessions), len(sessions))] {
		s := memory(t, name)
		before := dump(t, in(t, s))
		e, err := write.Edit(ctx, "test://", to(s, write.Options{Unchecked: true})) // of the types that are added, the file caches no schema
		check(t, err)
		t.Cleanup(func() { check(t, e.Close()) })
		check(t, e.AddGroup(ctx, "/scratch/new", &write.Group{
			Object:   write.Object{Type: hdmf.Type{Namespace: "core", Name: "ScratchData"}, Attributes: map[string]any{"first": to1("/scratch/new/a")}},
			Datasets: map[string]*write.Dataset{"a": {Object: typed("A"), Data: write.Numbers([]int8{1, 2})}},
			Groups:   map[string]*write.Group{"sub": {Datasets: map[string]*write.Dataset{"t": {Data: write.Text([]string{"x"})}}}},
			Links:    map[string]hdmf.Reference{"same": to1("/scratch/new/a")},
		}))
		check(t, e.AddDataset(ctx, "/scratch/new/late", &write.Dataset{Data: write.References([]hdmf.Reference{to1("/scratch/new/a"), to1("/units")})}))
		check(t, e.SetAttribute(ctx, "/scratch/new/a", "unit", "volts"))
		check(t, e.SetAttribute(ctx, "/", "notes", []string{"a", "b"}))
		check(t, e.SetAttribute(ctx, "/units", "best", to1("/scratch/new/a")))
		check(t, e.Link(ctx, "/scratch/probe", to1("/general/devices/probe")))
		check(t, e.Link(ctx, "/general/extracellular_ephys/shank0/again", to1("/scratch/new/a")))
		for want, err := range map[string]error{
			"something already":          e.AddDataset(ctx, "/units/id", &write.Dataset{Data: write.Scalar(1)}),
			"there is something already": e.Link(ctx, "/scratch/probe", to1("/units")),
			"behind a link":              e.SetAttribute(ctx, "/scratch/probe", "a", 1),
			"is reserved":                e.SetAttribute(ctx, "/units", "zarr_link", 1),
			"no Zarr node":               e.AddDataset(ctx, "/nowhere/a", &write.Dataset{Data: write.Scalar(1)}),
			"is a dataset":               e.AddDataset(ctx, "/units/id/a", &write.Dataset{Data: write.Scalar(1)}),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		same(t, dump(t, in(t, s)), before)
		check(t, e.Commit(ctx))
		for _, f := range []*hdmf.File{in(t, s), in(t, s, zarr.BypassConsolidated())} {
			got := dump(t, f)
			for at, want := range map[string]string{
				"/scratch/new/same": "link to /scratch/new/a", "/scratch/probe": "link to /general/devices/probe",
				"/general/extracellular_ephys/shank0/again": "link to /scratch/new/a", "/general/extracellular_ephys/shank0/device": "link to /general/devices/probe",
			} {
				if got[at] != want {
					t.Errorf("%s is %v", at, got[at])
				}
			}
			for at, want := range map[string]string{
				"/scratch/new": "first:[/scratch/new/a] false", "/scratch/new/a": "unit:volts", "/": "notes:[a b]", "/units": "best:[/scratch/new/a] false",
				"/scratch/new/late": "values:[/scratch/new/a /units]", "/scratch/new/sub/t": "values:[x]",
			} {
				if text := fmt.Sprint(got[at]); !strings.Contains(text, want) {
					t.Errorf("%s lacks %s: %s", at, want, text)
				}
			}
			if f.Layout() == hdmf.V2 {
				o, err := f.Object(ctx, "/scratch/new")
				check(t, err)
				a, _ := o.Attribute("first")
				if r := a.References[0]; r.ObjectID != id(t, f, "/scratch/new/a") || r.SourceObjectID != f.ID() || r.ObjectID == "" {
					t.Errorf("%+v", r)
				}
			}
		}
	}
}

// At whatever change an edit is interrupted, the file shows the old rows or the
// new ones: to readers of the consolidated metadata those of both tables together,
// to others those of each table. Doing it again makes the rest.
func TestInterruptedEdits(t *testing.T) {
	first := 0 // of the changes of a file that are interrupted: of each file others
	for i, name := range sessions {
		for j, plain := range []bool{false, true} {
			if !thorough.Enabled && i == j {
				continue // TestRowsAreAppended has the others, without interruptions
			}
			start := mem.New()
			check(t, copyFile(ctx, "test://", in(t, few(t, name), zarr.BypassConsolidated()), to(start, write.Options{Plain: plain})))
			change := func(s store.Store, t testing.TB) error {
				e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
				if err != nil {
					return err
				}
				defer e.Close()
				many := 3
				if name == "session_v3.nwb" {
					many = 300 // the index becomes wider
				}
				if err := e.AppendRows(ctx, "/intervals/trials", trials()); err != nil {
					return err
				}
				if err := e.AppendRows(ctx, "/units", units(many)); err != nil {
					return err
				}
				return e.Commit(ctx)
			}
			done := copyOf(t, start)
			check(t, change(done, t))
			tables := []string{"/intervals/trials", "/units"}
			var old, fresh [][]string
			for _, at := range tables {
				old, fresh = append(old, rows(t, in(t, start), at)), append(fresh, rows(t, in(t, done), at))
			}
			whole := false
			for n := thorough.Of(first, 0); !whole; n += stride(29) {
				s := failAfter(copyOf(t, start), n)
				err := change(s, t)
				if whole = err == nil; !whole && !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				for _, bypass := range []bool{false, true} {
					var opts []zarr.Option
					if bypass {
						opts = append(opts, zarr.BypassConsolidated())
					}
					f := in(t, s.Store, opts...)
					var shown []bool
					for i, at := range tables {
						got := rows(t, f, at)
						isNew := slices.Equal(got, fresh[i])
						if !isNew && !slices.Equal(got, old[i]) {
							t.Fatalf("%s plain %v bypass %v after %d changes: %s shows %d rows:\n%s", name, plain, bypass, n, at, len(got), strings.Join(got, "\n"))
						}
						shown = append(shown, isNew)
					}
					if !plain && !bypass && shown[0] != shown[1] {
						t.Errorf("%s after %d changes: one table is new and the other old", name, n)
					}
				}
				if whole || errors.Is(err, write.ErrStale) {
					continue
				}
				// What is left does not hinder the next edit; a table that was
				// finished gets its rows again.
				check(t, change(s.Store, t))
				for i, at := range tables {
					got := rows(t, in(t, s.Store), at)
					if !slices.Equal(got[:len(fresh[i])], fresh[i]) {
						t.Fatalf("%s after %d changes and another edit: %s", name, n, strings.Join(got, "\n"))
					}
				}
			}
			first += 7
		}
	}
}

// source is a session, or few of it where time matters.
func source(t testing.TB, name string) *hdmf.File {
	t.Helper()
	if thorough.Enabled {
		return in(t, memory(t, name))
	}
	return in(t, few(t, name), zarr.BypassConsolidated())
}

// few is a session with nothing but the tables and a series, and no schemas.
func few(t testing.TB, name string) *mem.Store {
	t.Helper()
	s := mem.New()
	for key, data := range nwbtest.Files(t, name+".zarr") {
		if dir, _, deep := strings.Cut(key, "/"); deep && dir != "intervals" && dir != "units" && !strings.HasPrefix(key, "acquisition/counts/") && !strings.HasPrefix(key, "acquisition/.z") && key != "acquisition/zarr.json" {
			continue
		}
		data = []byte(strings.Replace(string(data), `".specloc"`, `"none"`, 1))
		_, err := s.Put(ctx, key, data, store.PutOptions{})
		check(t, err)
	}
	return s
}

func copyOf(t testing.TB, s *mem.Store) *mem.Store {
	t.Helper()
	out := mem.New()
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		data, _, err := s.Get(ctx, e.Key, store.All(), nil)
		check(t, err)
		_, err = out.Put(ctx, e.Key, data, store.PutOptions{})
		check(t, err)
	}
	return out
}

func TestRowsThatDoNotFit(t *testing.T) {
	stores := map[string]*mem.Store{}
	for _, name := range sessions {
		stores[name] = thorough.Of(few, memory)(t, name)
	}
	for want, change := range map[string]func(r *write.Rows){
		`nothing is given for column "correct"`: func(r *write.Rows) { delete(r.Columns, "correct") },
		`no such column: "extra"`:               func(r *write.Rows) { r.Columns["extra"] = write.Column{Data: write.Text([]string{"a", "b"})} },
		"has 1 rows, others have 2":             func(r *write.Rows) { r.Columns["stim_name"] = write.Column{Data: write.Text([]string{"a"})} },
		"counts are given for 0":                func(r *write.Rows) { r.Columns["tags"] = write.Column{Data: write.Text([]string{"a", "b"})} },
		"counts for 2 entries, there are 3": func(r *write.Rows) {
			r.Columns["tags"] = write.Column{Data: write.Text([]string{"a", "b", "c"}), Counts: [][]int{{1, 1}}}
		},
		"a count of -1":                   func(r *write.Rows) { r.Columns["tags"] = write.Column{Data: write.Text(nil), Counts: [][]int{{-1, 1}}} },
		"elements are bool, not text":     func(r *write.Rows) { r.Columns["correct"] = write.Column{Data: write.Text([]string{"a", "b"})} },
		"elements are float64, not int64": func(r *write.Rows) { r.Columns["start_time"] = write.Column{Data: write.Numbers([]int64{1, 2})} },
		"id has 3 rows":                   func(r *write.Rows) { r.IDs = []int64{1, 2, 3} },
		`field 2 is "timeseries", not "x"`: func(r *write.Rows) {
			n := write.Numbers([]int32{1})
			r.Columns["timeseries"] = write.Column{Data: write.Compounds(write.Field{Name: "idx_start", Data: n}, write.Field{Name: "count", Data: n}, write.Field{Name: "x", Data: write.References([]hdmf.Reference{to1("/units")})}), Counts: [][]int{{1, 0}}}
		},
	} {
		for _, name := range sessions {
			e := edit(t, failAfter(stores[name], 0)) // nothing is written
			r := trials()
			change(&r)
			if err := e.AppendRows(ctx, "/intervals/trials", r); err == nil || !strings.Contains(err.Error(), strings.Replace(want, "id has 3 rows", "others have 3", 1)) {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}
