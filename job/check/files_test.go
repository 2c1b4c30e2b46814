package check_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/check"
)

// Files of a convention in a folder are checked as if each were given alone, also in what
// the check of one takes back; what lies in a file is not taken for another.
func TestFilesInAFolder(t *testing.T) {
	const group, file = `{"zarr_format":3,"node_type":"group"}`, `{"zarr_format":3,"node_type":"group","attributes":{"file":true}}`
	s := documents(t, map[string]string{
		"": group, "days/": group, "days/one/": file, "days/one/inner/": file, "days/one/bad/": `{}`, "days/two/": file,
		"other/": group, "other/bad/": `{}`,
	})
	asked, ended := []string(nil), 0
	opts := check.ValidateOptions{File: func(_ context.Context, g *zarr.Group) (check.Further, func(), error) {
		asked = append(asked, g.Path())
		if g.Attributes().Raw("file") == nil {
			return nil, func() { ended++ }, nil
		}
		return func(_ context.Context, found *check.Validation) error {
			said := fmt.Sprint(g.Path(), " has ", len(found.Problems), " problems")
			found.Problems = []check.Violation{{Path: "/", Rule: "file", Problem: said}, {Path: "/deep/er", Rule: "file", Problem: "too"}}
			found.Warnings = append(found.Warnings, check.Violation{Path: "/deep", Rule: "file", Problem: "perhaps"})
			return nil
		}, func() { ended++ }, nil
	}}
	got, err := check.Validate(t.Context(), s, "", opts)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, v := range append(got.Problems, got.Warnings...) {
		lines = append(lines, v.Path+" "+v.Rule+" "+v.Problem)
	}
	want := []string{"/days/one file days/one has 1 problems", "/days/one/deep/er file too",
		"/days/two file days/two has 0 problems", "/days/two/deep/er file too", lines[4],
		"/days/one/deep file perhaps", "/days/two/deep file perhaps"}
	if !slices.Equal(lines, want) || got.Problems[4].Path != "/other/bad" {
		t.Errorf("got %q", lines)
	}
	slices.Sort(asked)
	if want := []string{"days", "days/one", "days/two", "other"}; !slices.Equal(asked, want) || ended != len(want) {
		t.Errorf("asked for %q, ended %d", asked, ended)
	}
}
