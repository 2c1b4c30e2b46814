package api_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/table"
)

// drawn is the answer of /api/series.
type drawn struct {
	series.View
	times  []float64
	values []float32
}

func (c *client) drawn(params ...string) drawn {
	c.t.Helper()
	w := c.ask("series", params...)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/octet-stream" || w.Header().Get("ETag") == "" {
		c.t.Fatalf("series %v: %d %s", params, w.Code, w.Body)
	}
	var d drawn
	if err := json.Unmarshal([]byte(w.Header().Get("X-Series")), &d); err != nil {
		c.t.Fatal(err)
	}
	body := w.Body.Bytes()
	if d.Listed {
		for i := range d.Bins {
			d.times = append(d.times, math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:])))
		}
		body = body[8*d.Bins:]
	}
	for ; len(body) > 0; body = body[4:] {
		d.values = append(d.values, math.Float32frombits(binary.LittleEndian.Uint32(body)))
	}
	each := 1
	if d.Mode == series.Envelope {
		each = 2
	}
	if len(d.values) != len(d.Channels)*d.Bins*each {
		c.t.Fatalf("%d values for %+v", len(d.values), d.View)
	}
	return d
}

func TestSeriesOfASession(t *testing.T) {
	c := samples(t)
	for _, at := range [][2]string{{session, ""}, {"data", "/" + session}} {
		source, top := at[0], at[1]
		var n api.Node
		c.get(&n, "node", "source", source, "path", top+"/acquisition/ElectricalSeries")
		s := n.Series
		if n.Kind != api.SeriesKind || s == nil || s.Samples != 400 || s.Channels != 6 || !s.Explicit || s.Unit != "volts" || s.Path != top+"/acquisition/ElectricalSeries/data" || len(s.Names) != 6 || !strings.HasPrefix(s.Zero, "20") || !(s.Start < s.End) {
			t.Fatalf("%s: %+v, problems %+v", source, s, n.Problems)
		}
		if len(s.Intervals) != 2 || s.Intervals[1] != (api.IntervalList{Path: top + "/intervals/trials", Name: "trials", Rows: 4}) {
			t.Errorf("%s: %+v", source, s.Intervals)
		}
		if n.Table == nil || n.Table.Rows != 400 {
			t.Errorf("%s: the rows of a series: %+v", source, n.Table)
		}
		d := c.drawn("source", source, "path", top+"/acquisition/ElectricalSeries", "width", "1000", "channels", "0:2,5")
		if d.Mode != series.Plainly || d.Bins != 400 || !slices.Equal(d.Channels, []int{0, 1, 5}) || d.times[0] != float64(s.Start) || d.times[399] != float64(s.End) {
			t.Fatalf("%s: %+v", source, d.View)
		}
		e := c.drawn("source", source, "path", top+"/acquisition/ElectricalSeries/data", "width", "20", "channels", "5")
		if e.Mode != series.Envelope || e.Bins != 20 || slices.Max(e.values) != slices.Max(d.values[800:]) || slices.Min(e.values) != slices.Min(d.values[800:]) {
			t.Errorf("%s: %+v", source, e)
		}
		// Channels are said as positions are everywhere.
		for text, want := range map[string][]int{"-1": {5}, "4::-2,1": {4, 2, 0, 1}, "-2:99999999999999999999": {4, 5}} {
			if d := c.drawn("source", source, "path", top+"/acquisition/ElectricalSeries", "width", "20", "channels", text); !slices.Equal(d.Channels, want) {
				t.Errorf("%s: channels %s are %v", source, text, d.Channels)
			}
		}
		var stim api.Node
		c.get(&stim, "node", "source", source, "path", top+"/stimulus/presentation/stim_trace")
		if s := stim.Series; s == nil || s.Rate != 60 || s.Explicit || s.Channels != 1 {
			t.Errorf("%s: %+v", source, stim.Series)
		}
	}
	var none api.Node
	c.get(&none, "node", "source", session, "path", "/acquisition/video")
	if none.Series != nil {
		t.Errorf("a video is a series: %+v", none.Series)
	}
	if p := c.problem(422, "series", "source", session, "path", "/units"); p.Kind != api.Unsupported || p.Path != "/units" {
		t.Errorf("%+v", p)
	}
	at := []string{"source", session, "path", "/acquisition/ElectricalSeries"}
	for _, bad := range [][]string{{"width", "0"}, {"width", "99999999"}, {"from", "NaN"}, {"from", "2", "to", "1"}, {"channels", "6"}, {"channels", "-7"}, {"channels", "a"}, {"channels", "x=1"}, {"channels", "@1"}, {"channels", "..."}, {"channels", "0,,1"}, {"channels", "0:2:0"}, {"channels", "1:2:3:4"}} {
		c.problem(400, "series", append(slices.Clone(at), bad...)...)
	}
	c.problem(404, "series", "source", session, "path", "/acquisition/nobody")
	tag := c.ask("series", at...).Header().Get("ETag")
	r := httptest.NewRequest("GET", "/api/series?source="+session+"&path=/acquisition/ElectricalSeries", nil)
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Code != http.StatusNotModified {
		t.Errorf("the same again: %d", w.Code)
	}
}

func TestSeriesOfAnyArrayAndOfDates(t *testing.T) {
	dir := t.TempDir()
	g, err := zarr.CreateGroup(t.Context(), dir)
	must(t, err)
	defer g.Close()
	attrs := &meta.Attributes{}
	must(t, attrs.Set("units", "hours since 2025-06-30"))
	hours, err := g.CreateArray(t.Context(), "time", zarr.ArraySpec{Shape: []int{50}, DataType: "int32", DimensionNames: []string{"time"}, Attributes: attrs})
	must(t, err)
	must(t, zarr.Write(t.Context(), hours, zarr.All(), servetest.Counting[int32](50)))
	packed := &meta.Attributes{}
	must(t, packed.Set("scale_factor", 0.5))
	must(t, packed.Set("_FillValue", 7))
	must(t, packed.Set("units", "K"))
	a, err := g.CreateArray(t.Context(), "temperature", zarr.ArraySpec{Shape: []int{3, 50}, DataType: "int16", DimensionNames: []string{"site", "time"}, Attributes: packed})
	must(t, err)
	must(t, zarr.Write(t.Context(), a, zarr.All(), servetest.Counting[int16](150)))
	c := serving(t, dir)
	name := filepath.Base(dir)
	var n api.Node
	c.get(&n, "node", "source", name, "path", "/temperature")
	if s := n.Series; s == nil || s.Axis != 1 || s.Channels != 3 || s.Samples != 50 || !strings.HasPrefix(s.Zero, "2025-06-30") || s.End != 49*3600 || s.Unit != "K" {
		t.Fatalf("%+v", n.Series)
	}
	d := c.drawn("source", name, "path", "/temperature", "channels", "0", "from", "10800", "to", "36000")
	if d.First != 2 || d.times[1] != 10800 || d.values[1] != 1.5 || d.values[4] != 3 || d.values[5] == d.values[5] {
		t.Errorf("%+v %v %v", d.View, d.times, d.values)
	}
	plain := c.drawn("source", name, "path", "/time", "from", "3", "to", "5")
	if plain.Bins == 0 {
		t.Errorf("%+v", plain)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSpikesAndIntervals(t *testing.T) {
	c := samples(t)
	var n api.Node
	c.get(&n, "node", "source", session, "path", "/units")
	if s := n.Spikes; n.Kind != api.SpikesKind || s == nil || s.Units != 5 || s.Spikes == 0 || len(s.Intervals) != 2 || !slices.Contains(s.Order, "id") || !strings.HasPrefix(s.Zero, "20") {
		t.Fatalf("%+v, problems %+v", n.Spikes, n.Problems)
	}
	var e table.Events
	c.get(&e, "spikes", "source", session, "path", "/units", "limit", "2", "offset", "1", "sort", "-id")
	if e.Total != 5 || len(e.Units) != 2 || e.Units[0].Row != 3 || len(e.Units[0].Times) != e.Units[0].Count {
		t.Errorf("%+v", e)
	}
	var bands table.Intervals
	c.get(&bands, "intervals", "source", session, "path", "/intervals/trials", "limit", "3")
	if len(bands.Intervals) != 3 || bands.Complete {
		t.Errorf("%+v", bands)
	}
	c.problem(422, "spikes", "source", session, "path", "/intervals/trials")
	c.problem(422, "intervals", "source", session, "path", "/units")
	c.problem(422, "intervals", "source", session, "path", "/acquisition")
	c.problem(400, "spikes", "source", session, "path", "/units", "sort", "nothing")
	c.problem(400, "spikes", "source", session, "path", "/units", "from", "5", "to", "1")
	c.problem(400, "intervals", "source", session, "path", "/intervals/trials", "limit", "-1")
}

func TestRowsOfTables(t *testing.T) {
	c := samples(t)
	for _, at := range [][2]string{{session, ""}, {"data", "/" + session}} {
		source, top := at[0], at[1]
		var n api.Node
		c.get(&n, "node", "source", source, "path", top+"/units")
		if n.Table == nil || n.Table.Rows != 5 {
			t.Fatalf("%+v, problems %+v", n.Table, n.Problems)
		}
		i := slices.IndexFunc(n.Table.Columns, func(c table.Column) bool { return c.Name == "spike_times" })
		if col := n.Table.Columns[i]; !col.Ragged || !col.Sortable || col.Path != top+"/units/spike_times" || col.Type != "float64" {
			t.Errorf("%+v", col)
		}
		body := c.ask("rows", "source", source, "path", top+"/units", "columns", "id,electrodes,electrode_group", "limit", "1").Body.String()
		for _, want := range []string{`"columns":["id","electrodes","electrode_group"]`, `"path":"` + top + `/general/extracellular_ephys/electrodes","row":`, `{"link":{"source":"` + source + `","path":"` + top + `/general/extracellular_ephys/`, `"index":[0]`, `"matched":5`} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
		var page table.Page
		c.get(&page, "rows", "source", source, "path", top+"/units", "sort", "-id", "filter", "id>0", "columns", "id")
		if page.Total != 5 || page.Matched != 4 || !slices.Equal(page.Index, []int{4, 3, 2, 1}) {
			t.Errorf("%+v", page)
		}
		c.get(&page, "rows", "source", source, "path", top+"/units", "row", "1", "columns", "spike_times")
		if len(page.Rows) != 1 || !strings.HasPrefix(string(page.Rows[0][0]), `{"list":`) {
			t.Errorf("%s", page.Rows)
		}
		w := c.ask("rows", "source", source, "path", top+"/units", "as", "csv", "columns", "id,quality", "filter", "id<2")
		if lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n"); w.Code != 200 || lines[0] != "id,quality" || len(lines) != 3 || w.Header().Get("Content-Disposition") != "attachment; filename=units.csv" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	rows := []string{"source", session, "path", "/units"}
	for _, bad := range [][]string{{"limit", "-1"}, {"limit", "1000000"}, {"offset", "-5"}, {"columns", "nobody"}, {"sort", "nobody"}, {"filter", "id>>"}, {"filter", "nobody=1"}, {"as", "xml"}, {"row", "1"}, {"row", "7", "columns", "id"}, {"row", "x", "columns", "id"}, {"as", "csv", "filter", "id~"}} {
		c.problem(400, "rows", append(slices.Clone(rows), bad...)...)
	}
	c.problem(422, "rows", "source", session, "path", "/acquisition")
	c.problem(422, "rows", "source", "data", "path", "/plain.zarr/a")
}

func TestRowsThatLeadNowhereAndElsewhere(t *testing.T) {
	dir := nwbtest.Unpack(t, "broken_v3/dangling_reference_element.nwb.zarr")
	c := serving(t, filepath.Join(dir, "broken_v3"))
	body := c.ask("rows", "source", "broken_v3", "path", "/dangling_reference_element.nwb.zarr/general/extracellular_ephys/electrodes").Body.String()
	if !strings.Contains(body, `"path":"","text":`) || !strings.Contains(body, `"broken":`) {
		t.Errorf("a reference that leads nowhere: %s", body)
	}
}

// CSV of what cannot be read is an error with words, as long as nothing was sent.
func TestDamagedRowsAsCSV(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rows.zarr")
	a, err := zarr.CreateArray(t.Context(), dir, zarr.ArraySpec{Shape: []int{4}, DataType: `{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"int16"}]}}`,
		Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]`)})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := os.MkdirAll(filepath.Join(dir, "c"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c", "0"), []byte("garbage"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serving(t, dir)
	if p := c.problem(http.StatusBadGateway, "rows", "source", "rows.zarr", "path", "/", "as", "csv"); p.Kind != "damaged" {
		t.Errorf("%+v", p)
	}
}
