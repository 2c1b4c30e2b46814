package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
)

// The demo does not write among files of others.
func TestDemoAmongOtherFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	code := Run(std.Kinds(), []string{"demo", "--dir", dir, "--addr", "127.0.0.1:0", "--no-open"}, strings.NewReader(""), &strings.Builder{}, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "holds other files, such as thesis.txt") {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// The demo tells how to read from each of its samples, in lines that work; and leaves
// nothing behind where it was given no folder.
func TestDemoServes(t *testing.T) {
	if !thorough.Enabled {
		t.Skip("painting the samples takes some seconds")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	exhibitors := kind.All[kind.Exhibitor](std.Kinds())
	s := served(t, 1+7*len(exhibitors)+2, "demo", "--no-open")
	read := 0
	for _, line := range s.rest {
		url, slice, ok := strings.Cut(line, `, mode="r")[`)
		if !ok {
			continue
		}
		read++
		a, err := zarr.OpenArray(t.Context(), strings.Split(url, `"`)[1])
		if err != nil {
			t.Fatal(err)
		}
		if part, err := zarr.ReadAs[float64](t.Context(), a, zarr.Slice(strings.TrimSuffix(slice, "]"))); err != nil || len(part.Data) < 100 {
			t.Errorf("%s: %d elements, %v", line, len(part.Data), err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if read != len(exhibitors) {
		t.Errorf("%d of %d samples could be read", read, len(exhibitors))
	}
	for _, k := range exhibitors {
		if code, page := s.get("/view/" + k.Exhibited()); code != 200 || !strings.Contains(page, "<html") {
			t.Errorf("%s: %d %s", k.Exhibited(), code, page)
		}
	}
	if code, errs := s.stop(); code != 0 {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%d are left, %v", len(left), err)
	}
}
