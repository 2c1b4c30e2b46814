package jobs_test

import (
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var rules = []check.Rules{(&jobs.Kind{}).Rules()}

func TestValidateZarr2(t *testing.T) {
	s := mem.New()
	for key, text := range map[string]string{
		".zgroup": `{"zarr_format":2}`, ".zmetadata": `{"metadata":{}}`,
		"a/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","order":"K","fill_value":0,"filters":null,"compressor":null}`,
		"b/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<x4","order":"C","fill_value":0,"filters":null,"compressor":null}`,
		"c/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","order":"C","fill_value":0,"filters":null,"compressor":{"id":"gzip","level":77}}`,
		"d/.zgroup": `{"zarr_format":2}`, "d/.zattrs": `[]`,
	} {
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		jobtest.Check(t, err)
	}
	report, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: rules})
	jobtest.Check(t, err)
	var got []string
	for _, p := range report.Problems {
		got = append(got, p.Path+" "+p.Rule)
	}
	if want := []string{"/ consolidated", "/a codecs", "/b data_type", "/c codecs", "/d attributes"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", report.Problems, want)
	}
}
