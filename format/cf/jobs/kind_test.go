package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf/jobs"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

func Example() {
	kinds := kind.List{jobs.Kind{}}
	fmt.Println(len(kinds.Rules()))
	// Output: 1
}

// array makes one with attributes, which are JSON.
func array(t *testing.T, s store.Store, path, attrs string, data []float64, dims ...string) {
	t.Helper()
	var a map[string]json.RawMessage
	jobtest.Check(t, json.Unmarshal([]byte("{"+attrs+"}"), &a))
	all := &meta.Attributes{}
	for name, raw := range a {
		jobtest.Check(t, all.Set(name, raw))
	}
	shape := []int{len(data)}
	if len(dims) == 2 {
		shape = []int{len(data) / 2, 2}
	}
	x, err := zarr.CreateArrayIn(ctx, s, path, zarr.ArraySpec{Shape: shape, DataType: "float64", DimensionNames: dims, Attributes: all})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, x, zarr.All(), data))
}

func warnings(t *testing.T, s store.Store) (out []string) {
	t.Helper()
	r, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: kind.List{jobs.Kind{}}.Rules()})
	jobtest.Check(t, err)
	if !r.OK {
		t.Errorf("problems: %v", r.Problems)
	}
	for _, w := range r.Warnings {
		out = append(out, w.Path+": "+w.Problem)
	}
	return out
}

// A good file has no warnings; each thing that is wrong has one, at its array.
func TestRules(t *testing.T) {
	good := func() store.Store {
		s := mem.New()
		_, err := zarr.CreateGroupIn(ctx, s, "")
		jobtest.Check(t, err)
		array(t, s, "time", `"units":"days since 2000-01-01","calendar":"noleap","bounds":"time_bnds"`, []float64{1, 2, 3}, "time")
		array(t, s, "time_bnds", "", []float64{1, 2, 2, 3, 3, 4}, "time", "nv")
		array(t, s, "lat", `"units":"degrees_north"`, []float64{50, 49}, "lat")
		array(t, s, "height", "", []float64{2, 2}, "lat")
		array(t, s, "temp", `"coordinates":"height","scale_factor":0.1,"add_offset":5,"grid_mapping":"crs: lat time"`, []float64{1, 2, 3, 4, 5, 6}, "time", "lat")
		array(t, s, "crs", "", []float64{0}, "one")
		array(t, s, "deep/wind", `"coordinates":"height /lat"`, []float64{1, 2}, "lat")
		return s
	}
	if got := warnings(t, good()); len(got) > 0 {
		t.Errorf("a good file: %q", got)
	}
	for _, c := range []struct {
		path, attrs string
		data        []float64
		dims        []string
		want        string
	}{
		{"a", `"units":"days since the flood"`, []float64{1}, []string{"x"}, "/a: attribute units: "},
		{"a", `"units":"fortnights since 2000-01-01"`, []float64{1}, []string{"x"}, "/a: attribute units: "},
		{"a", `"units":"days since 2000-01-01","calendar":"maya"`, []float64{1}, []string{"x"}, "/a: attribute calendar: "},
		{"a", `"units":7`, []float64{1}, []string{"x"}, "/a: attribute units is \"7\", must be text"},
		{"a", `"scale_factor":"0.1"`, []float64{1}, []string{"x"}, "/a: attribute scale_factor is "},
		{"a", `"add_offset":[1]`, []float64{1}, []string{"x"}, "/a: attribute add_offset is "},
		{"a", `"coordinates":"height depth"`, []float64{1}, []string{"x"}, "/a: attribute coordinates names \"depth\", which is not there"},
		{"x", `"bounds":"x_bnds"`, []float64{1, 2}, []string{"x"}, "/x: attribute bounds names \"x_bnds\", which is not there"},
		{"x", `"bounds":"height"`, []float64{1, 2}, []string{"x"}, "/x: attribute bounds names \"height\" of shape [2], must be [2] and the number of corners"},
		{"a", `"grid_mapping":"spherical"`, []float64{1}, []string{"x"}, "/a: attribute grid_mapping names "},
		{"a", "", []float64{1, 2, 3, 4}, []string{"time"}, "/a: axis \"time\" has 4 positions, its coordinate 3"},
		{"x", "", []float64{1, 3, 2}, []string{"x"}, "/x: the coordinate is not monotonic: 3 at 1, 2 at 2"},
		{"x", "", []float64{1, 1}, []string{"x"}, "/x: the coordinate is not monotonic: 1 at 0, 1 at 1"},
	} {
		s := good()
		array(t, s, c.path, c.attrs, c.data, c.dims...)
		got := warnings(t, s)
		if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s {%s}: got %q, want %q", c.path, c.attrs, got, c.want)
		}
	}
}
