package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// nwb is a file that nwbinspector has nothing to say about, as far as it is
// critical.
func nwb() files {
	f := made(typed("NWBFile"))
	f.texts("session_start_time", "", true, "2020-01-01T12:00:00Z")
	f.group("general", "")
	f.group("general/subject", typed("Subject"))
	for name, text := range map[string]string{"age": "P90D", "subject_id": "1", "sex": "F", "weight": "2.3 kg", "species": "Mus musculus"} {
		f.texts("general/subject/"+name, "", true, text)
	}
	return f
}

func (f files) series(typ string, shape ...int) {
	f.group("s", typed(typ))
	f.empty("s/data", "int16", "", shape...)
}

func (f files) units(resolution string, ends []int64, times ...float64) {
	f.group("units", typed("Units", `"colnames":["spike_times"]`))
	f.ints("units/id", "", 0, 1)
	f.floats("units/spike_times", resolution, []int{len(times)}, times...)
	f.ints("units/spike_times_index", `"target":{"_REFERENCE":{"source":".","path":"/units/spike_times"}}`, ends...)
}

func (f files) intervals(starts, stops []float64) {
	f.group("trials", typed("TimeIntervals", `"colnames":["start_time","stop_time"]`))
	f.ints("trials/id", "", make([]int64, len(starts))...)
	f.floats("trials/start_time", "", []int{len(starts)}, starts...)
	f.floats("trials/stop_time", "", []int{len(stops)}, stops...)
	ids := []int64{}
	for i := range starts {
		ids = append(ids, int64(i))
	}
	f.ints("trials/id", "", ids...)
}

// The types that checks of nwbinspector are about, with what they inherit from.
const inspectedTypes = `{"datasets":[{"data_type_def":"DynamicTableRegion","doc":"d"}],"groups":[
 {"data_type_def":"NWBFile","doc":"d"},{"data_type_def":"Subject","doc":"d"},
 {"data_type_def":"TimeSeries","doc":"d"},{"data_type_def":"SpatialSeries","data_type_inc":"TimeSeries","doc":"d"},
 {"data_type_def":"ElectricalSeries","data_type_inc":"TimeSeries","doc":"d"},{"data_type_def":"SpikeEventSeries","data_type_inc":"ElectricalSeries","doc":"d"},
 {"data_type_def":"RoiResponseSeries","data_type_inc":"TimeSeries","doc":"d"},{"data_type_def":"ImageSeries","data_type_inc":"TimeSeries","doc":"d"},
 {"data_type_def":"DynamicTable","doc":"d"},{"data_type_def":"Units","data_type_inc":"DynamicTable","doc":"d"},{"data_type_def":"TimeIntervals","data_type_inc":"DynamicTable","doc":"d"}]}`

func TestInspect(t *testing.T) {
	schema := catalog(t, inspectedTypes)
	rate := func(r string) func(f files) {
		return func(f files) {
			f.series("TimeSeries", 5)
			f.floats("s/starting_time", `"rate":`+r, nil, 0)
		}
	}
	subject := func(name, text string) func(f files) {
		return func(f files) { f.texts("general/subject/"+name, "", true, text) }
	}
	for name, test := range map[string]struct {
		make func(f files)
		want []string
	}{
		"nothing": {func(files) {}, nil},
		"start in the future": {func(f files) {
			f.texts("session_start_time", "", true, "2999-12-31T23:59:59Z")
		}, []string{"/ check_session_start_time_future_date future"}},
		"no subject":            {func(f files) { f.move("general/subject", "") }, []string{"/ check_subject_exists no subject"}},
		"age":                   {subject("age", "90 days"), []string{"/general/subject check_subject_age P23W"}},
		"age without numbers":   {subject("age", "P"), []string{"/general/subject check_subject_age "}},
		"range of ages":         {subject("age", "P1D/P3D"), nil},
		"open range of ages":    {subject("age", "P90Y/"), nil},
		"no age":                {func(f files) { f.move("general/subject/age", "") }, []string{"/general/subject check_subject_age neither"}},
		"day of birth":          {func(f files) { f.move("general/subject/age", "general/subject/date_of_birth") }, nil},
		"no id":                 {func(f files) { f.move("general/subject/subject_id", "") }, []string{"/general/subject check_subject_id_exists missing"}},
		"weight":                {subject("weight", "2.3"), []string{"/general/subject check_subject_weight unit"}},
		"weight in micrograms":  {subject("weight", "20 μg"), nil},
		"no sex":                {func(f files) { f.move("general/subject/sex", "") }, []string{"/general/subject check_subject_sex missing"}},
		"sex":                   {subject("sex", "female"), []string{"/general/subject check_subject_sex M, F, O, U"}},
		"sex of worms":          {subject("species", "C. elegans"), []string{"/general/subject check_subject_sex XO, XX"}},
		"name":                  {func(f files) { f.group("general", `"_LINKS":[{"name":"a\\b","source":".","path":"/general"}]`) }, []string{`/general/a\b check_name_slashes slash`}},
		"orientation":           {func(f files) { f.series("TimeSeries", 2, 100) }, []string{"/s check_data_orientation [2 100]"}},
		"times":                 {func(f files) { f.series("TimeSeries", 5); f.empty("s/timestamps", "float64", "", 4) }, []string{"/s check_timestamps_match_first_dimension 5 samples and 4 times"}},
		"rate":                  {rate("10.0"), nil},
		"rate of zero":          {rate("0.0"), []string{"/s check_rate_is_not_zero 5 samples"}},
		"negative rate":         {rate("-1.0"), []string{"/s check_rate_is_positive -1"}},
		"positions":             {func(f files) { f.series("SpatialSeries", 9, 4) }, []string{"/s check_spatial_series_dims 4"}},
		"electrodes":            {func(f files) { f.series("ElectricalSeries", 9, 4); f.ints("s/electrodes", "", 1, 2) }, []string{"/s check_electrical_series_dims [9 4]"}},
		"transposed electrodes": {func(f files) { f.series("ElectricalSeries", 3, 2); f.ints("s/electrodes", "", 1, 2, 3) }, []string{"/s check_electrical_series_dims transposed"}},
		"spike events":          {func(f files) { f.series("SpikeEventSeries", 9, 40); f.ints("s/electrodes", "", 1, 2) }, nil},
		"spikes of electrodes":  {func(f files) { f.series("SpikeEventSeries", 9, 4, 40); f.ints("s/electrodes", "", 1, 2) }, []string{"/s check_electrical_series_dims [9 4 40]"}},
		"regions of interest":   {func(f files) { f.series("RoiResponseSeries", 9, 4); f.ints("s/rois", "", 1, 2) }, []string{"/s check_roi_response_series_dims rois"}},
		"no spikes": {func(f files) {
			f.group("units", typed("Units", `"colnames":[]`))
			f.ints("units/id", "", 0, 1)
		}, []string{"/units check_units_table_has_spikes spike_times"}},
		"spikes":                   {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 0.5, 3) }, nil},
		"spikes in samples":        {func(f files) { f.units("", []int64{2, 4}, 1, 2, 5, 8) }, []string{"/units check_spike_times_not_in_samples whole numbers"}},
		"spikes in whole seconds":  {func(f files) { f.units(`"resolution":1.0`, []int64{2, 4}, 1, 2, 5, 8) }, nil},
		"spikes descend":           {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 8, 5) }, []string{"/units check_ascending_spike_times row 1 do not ascend: 5 after 8"}},
		"spikes at once":           {func(f files) { f.units("", []int64{2, 4}, 2.5, 2.5, 5, 8) }, []string{"/units check_ascending_spike_times row 0"}},
		"spikes at once, resolved": {func(f files) { f.units(`"resolution":0.5`, []int64{2, 4}, 2.5, 2.5, 5, 8) }, nil},
		"spikes over years":        {func(f files) { f.units("", []int64{2, 4}, 0.5, 4e7, 5, 8) }, []string{"/units check_units_table_duration year"}},
		"same ids":                 {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 5, 8); f.ints("units/id", "", 7, 7) }, []string{"/units check_ids_unique id 7"}},
		"rows":                     {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 5, 8); f.region(0, 1) }, nil},
		"rows too far":             {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 5, 8); f.region(0, 2) }, []string{"/r check_dynamic_table_region_data_validity element 1 is row 2"}},
		"negative rows":            {func(f files) { f.units("", []int64{2, 4}, 1, 2.5, 5, 8); f.region(-1) }, []string{"/r check_dynamic_table_region_data_validity row -1"}},
		"intervals":                {func(f files) { f.intervals([]float64{0, 1}, []float64{1, 2}) }, nil},
		"intervals start at once":  {func(f files) { f.intervals([]float64{1, 1}, []float64{1, 2}) }, []string{"/trials check_time_intervals_start_time_not_constant start at 1"}},
		"intervals over years":     {func(f files) { f.intervals([]float64{0, 1}, []float64{1, 4e7}) }, []string{"/trials check_time_intervals_duration year"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := nwb()
			test.make(f)
			var critical []check.Finding
			for _, x := range findings(t, in(t, f), check.Options{Schema: schema, Inspect: true}) {
				if strings.HasPrefix(x.Rule, "check_") {
					critical = append(critical, x)
				}
			}
			want(t, critical, test.want...)
			for _, x := range findings(t, in(t, f), check.Options{Schema: schema}) {
				if strings.HasPrefix(x.Rule, "check_") {
					t.Errorf("not asked for %v", x)
				}
			}
		})
	}
}

// region adds rows of the units.
func (f files) region(rows ...int64) {
	f.ints("r", typed("DynamicTableRegion", `"table":{"_REFERENCE":{"source":".","path":"/units"}}`), rows...)
}

// Files that hold images are looked for beside the file, and nowhere else.
func TestInspectExternalFiles(t *testing.T) {
	f := nwb()
	f.series("ImageSeries", 0, 0, 0)
	f.texts("s/external_file", "", false, "there.avi", "missing.avi", "/absolute.avi", "https://example.org/x.avi", "../outside.avi")
	dir := t.TempDir()
	for key, data := range f {
		to := filepath.Join(dir, "f.nwb.zarr", filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "there.avi"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	found := findings(t, at(t, filepath.Join(dir, "f.nwb.zarr")), check.Options{Schema: catalog(t, inspectedTypes), Inspect: true})
	want(t, found, `/s check_image_series_external_file_valid the file "missing.avi" is not there`)
}

// The sessions of the fixtures pass, which have what most checks are about.
func TestInspectSessions(t *testing.T) {
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		want(t, findings(t, in(t, nwbtest.Files(t, name)), check.Options{Inspect: true}))
	}
}
