package jobs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
)

var rules = []check.Rules{(&jobs.Kind{}).Rules()}

func TestValidateN5(t *testing.T) {
	s := container(t, false)
	found, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: rules})
	jobtest.Check(t, err)
	if !found.OK {
		t.Errorf("got %+v", found)
	}
	for path, text := range map[string]string{
		"":        `{"n5":"5.0.0"}`,
		"a":       `{"dimensions":[-1],"blockSize":[1],"dataType":"int8","compression":{"type":"raw"}}`,
		"b":       `{"dimensions":[1],"blockSize":[1,2],"dataType":"int8","compression":{"type":"raw"}}`,
		"c":       `{"dimensions":[1],"blockSize":[1],"dataType":"int9","compression":{"type":"raw"}}`,
		"d":       `{"dimensions":[1],"blockSize":[1],"dataType":"int8","compression":{"type":"gzip","level":99}}`,
		"e":       `{"dimensions":[1],"blockSize":[1],"dataType":"int8","compression":{"type":"fog"}}`,
		"f":       `{"dimensions":[1],"dataType":"int8"}`,
		"g":       `{"blockSize":[1]}`,
		"h":       `{`,
		"h/below": `{"n5":7}`,
	} {
		jobtest.Check(t, put(s, strings.TrimPrefix(path+"/attributes.json", "/"), text))
	}
	found, err = check.Validate(ctx, s, "", check.ValidateOptions{Rules: rules})
	jobtest.Check(t, err)
	got := []string{}
	for _, p := range found.Problems {
		got = append(got, p.Path+" "+p.Rule)
		if strings.Contains(p.Problem, "zarr.json") {
			t.Errorf("%+v speaks of another format", p)
		}
	}
	want := []string{"/ version", "/a shape", "/b chunk_grid", "/c data_type", "/d codecs", "/e codecs", "/f chunk_grid", "/f codecs", "/g metadata", "/h metadata", "/h/below version"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v\n%+v", got, want, found.Problems)
	}
}
