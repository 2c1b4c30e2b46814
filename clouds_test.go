package zarr_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// makers are in the names of modules of those who run clouds.
var makers = []string{"minio", "azure", "cloud.google.com", "googleapis", "golang.org/x/oauth2", "aws"}

// modulesOfClouds reports whether a program of this module may need one of theirs.
func modulesOfClouds(t *testing.T) bool {
	list := strings.ToLower(string(must[[]byte](t)(os.ReadFile("go.mod"))))
	return slices.ContainsFunc(makers, func(maker string) bool { return strings.Contains(list, maker) })
}

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
	if !thorough.Enabled && !modulesOfClouds(t) {
		// No module can be needed that go.mod does not list; the packages of this one are read above.
		needed := []string{".", "serve", "kind/std"}
		for i := 0; i < len(needed); i++ {
			for _, pkg := range imports(t)[needed[i]] {
				if !slices.Contains(needed, pkg) {
					needed = append(needed, pkg)
				}
			}
		}
		for _, cloud := range clouds {
			if slices.Contains(needed, cloud) {
				t.Errorf("package zarr needs %s", cloud)
			}
		}
		if !slices.Contains(needed, "codec/zstd") {
			t.Errorf("packages are missing: %v", needed)
		}
		return
	}
	out, err := exec.Command("go", "list", "-deps", ".", "./serve", "./kind/std").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		for _, other := range makers {
			if strings.Contains(strings.ToLower(dep), other) {
				t.Errorf("package zarr needs %s", dep)
			}
		}
		if slices.Contains(clouds, strings.TrimPrefix(dep, module+"/")) {
			t.Errorf("package zarr needs %s", dep)
		}
	}
}
