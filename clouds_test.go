package zarr_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestCloudsAreAskedFor wants the stores of clouds, and the modules of their makers, to be
// linked by programs that import them, and by no others: all that others import is looked
// at, and what is needed for it.
func TestCloudsAreAskedFor(t *testing.T) {
	clouds := []string{"store/s3", "store/gcs", "store/azblob"}
	for pkg, list := range imports(t) {
		for _, cloud := range clouds {
			if slices.Contains(list, cloud) && !strings.HasPrefix(pkg, "cmd/") && !strings.HasPrefix(pkg, "examples/") {
				t.Errorf("%s imports %s: that is for programs", pkg, cloud)
			}
		}
	}
	out, err := exec.Command("go", "list", "-deps", ".", "./serve", "./kind/std").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		for _, other := range []string{"minio", "azure", "cloud.google.com", "googleapis", "golang.org/x/oauth2", "aws"} {
			if strings.Contains(strings.ToLower(dep), other) {
				t.Errorf("package zarr needs %s", dep)
			}
		}
		if slices.Contains(clouds, strings.TrimPrefix(dep, module+"/")) {
			t.Errorf("package zarr needs %s", dep)
		}
	}
}
