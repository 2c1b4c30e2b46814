package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/xarray/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func validate(t testing.TB, documents map[string]string) check.Validation {
	t.Helper()
	s := mem.New()
	for key, text := range documents {
		if _, err := s.Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	report, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: []check.Rules{jobs.Kind{}.Rules()}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func zarray(dtype, fill string) string {
	return fmt.Sprintf(`{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"%s","fill_value":%s,"order":"C","filters":null,"compressor":null}`, dtype, fill)
}

func zarrJSON(dtype, fill, attributes string) string {
	return fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[4],"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
"chunk_key_encoding":{"name":"default"},"data_type":"%s","fill_value":%s,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
"dimension_names":["x"],"attributes":%s}`, dtype, fill, attributes)
}

func expect(t *testing.T, found []check.Violation, want map[string]string) {
	t.Helper()
	for _, v := range found {
		if text := want[v.Path]; v.Rule != "xarray" || text == "" || !strings.Contains(v.Problem, text) {
			t.Errorf("%s: %s", v.Path, v.Problem)
		}
		delete(want, v.Path)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

func TestStoresThatDisagree(t *testing.T) {
	dims := `{"_ARRAY_DIMENSIONS":["x"]`
	report := validate(t, map[string]string{
		".zgroup":        `{"zarr_format":2}`,
		"fine/.zarray":   zarray("<i4", "-9"),
		"fine/.zattrs":   dims + `,"_FillValue":-9}`,
		"null/.zarray":   zarray("<i4", "null"),
		"null/.zattrs":   dims + `,"_FillValue":-9}`,
		"plain/.zarray":  zarray("<i4", "0"),
		"plain/.zattrs":  `{"_FillValue":-9}`,
		"other/.zarray":  zarray("<i4", "0"),
		"other/.zattrs":  dims + `,"_FillValue":-9}`,
		"base64/.zarray": zarray("<f4", "0"),
		"base64/.zattrs": dims + `,"_FillValue":"AAAAAAAA+H8="}`,
		"rank/.zarray":   zarray("<i4", "0"),
		"rank/.zattrs":   `{"_ARRAY_DIMENSIONS":["x","y"]}`,
	})
	expect(t, report.Warnings, map[string]string{"/other": "takes 0 for missing", "/base64": "no value of the type"})
	expect(t, report.Problems, map[string]string{"/rank": "2 names for 1 dimensions"})
	if report.OK {
		t.Error("ok")
	}
	report = validate(t, map[string]string{
		"zarr.json":           `{"zarr_format":3,"node_type":"group"}`,
		"fine/zarr.json":      zarrJSON("float32", `"NaN"`, `{"_FillValue":"AAAAAICHw8A="}`),
		"packed/zarr.json":    zarrJSON("int16", `0`, `{"_FillValue":-9}`),
		"same/zarr.json":      zarrJSON("int16", `-9`, `{"_FillValue":-9}`),
		"none/zarr.json":      zarrJSON("int16", `0`, `{}`),
		"converted/zarr.json": zarrJSON("int16", `-9999`, `{}`),
		"other/zarr.json":     zarrJSON("float64", `5`, `{"_FillValue":"AAAAAICHw8A="}`),
		"left/zarr.json":      zarrJSON("int16", `0`, `{"_ARRAY_DIMENSIONS":["x"]}`),
		"text/zarr.json":      zarrJSON("float64", `0`, `{"_FillValue":-9999}`),
	})
	expect(t, report.Warnings, map[string]string{"/converted": "fill_value is -9999", "/other": "takes -9999 for missing", "/left": "_ARRAY_DIMENSIONS"})
	expect(t, report.Problems, map[string]string{"/text": "does not open"})
}
