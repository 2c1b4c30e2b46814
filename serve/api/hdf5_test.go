package api_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/serve/api"
)

// A session on HDF5 is answered as the same session on Zarr is: its tables, series and
// images.
func TestSessionsOnHDF5(t *testing.T) {
	dir := nwbtest.Unpack(t, "hdf5/session.nwb", "session_v3.nwb.zarr")
	c := serving(t, filepath.Join(dir, "hdf5", "session.nwb"), filepath.Join(dir, "session_v3.nwb.zarr"))
	var names []string
	for _, s := range c.set.All() {
		names = append(names, s.Name())
	}
	both := func(what string, params ...string) (answers [2][]byte) {
		t.Helper()
		for i, name := range names {
			w := c.ask(what, append([]string{"source", name}, params...)...)
			if w.Code != http.StatusOK {
				t.Fatalf("%s %v of %s: %d %s", what, params, name, w.Code, w.Body)
			}
			answers[i] = []byte(strings.ReplaceAll(w.Body.String(), `"`+name+`"`, `"session"`))
		}
		if len(answers[0]) == 0 || !bytes.Equal(answers[0], answers[1]) {
			t.Errorf("%s %v: %.300q, and on Zarr %.300q", what, params, answers[0], answers[1])
		}
		return answers
	}
	both("rows", "path", "/units")
	both("rows", "path", "/intervals/trials")
	both("rows", "path", "/general/extracellular_ephys/electrodes")
	both("tile", "path", "/stimulus/templates/templates/img0", "level", "0", "y", "0,7", "x", "0,5")
	for _, at := range []string{"/acquisition/ElectricalSeries", "/processing/ecephys/LFP/LFPSeries"} {
		x := c.drawn("source", names[0], "path", at, "width", "40")
		y := c.drawn("source", names[1], "path", at, "width", "40")
		if !slices.Equal(x.values, y.values) || len(x.values) == 0 {
			t.Errorf("%s is drawn as %v, and on Zarr as %v", at, x.values, y.values)
		}
	}
	var n api.Node
	c.get(&n, "node", "source", names[0], "path", "/processing/ecephys/LFP/LFPSeries")
	if n.Kind != api.SeriesKind || n.Series == nil || n.Series.Samples != 400 {
		t.Errorf("%+v, problems %+v", n.Series, n.Problems)
	}
}
