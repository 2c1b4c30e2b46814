package jobs_test

import (
	"archive/zip"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	hdmfcheck "github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/jobs"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
)

// validateHDMF validates the node at a path of an HDMF file.
func validateHDMF(t *testing.T, url, at string) []check.Violation {
	t.Helper()
	f, err := hdmf.Open(context.Background(), url)
	jobtest.Check(t, err)
	defer f.Close()
	report, err := check.Validate(context.Background(), f.Zarr().Store(), path.Join(f.Zarr().Path(), at), check.ValidateOptions{Further: jobs.Further(f, at, hdmfcheck.Options{})})
	jobtest.Check(t, err)
	if report.OK != (len(report.Problems) == 0) {
		t.Errorf("ok is %v with %d problems", report.OK, len(report.Problems))
	}
	return report.Problems
}

// rules are those that were broken.
func rules(problems []check.Violation) (out []string) {
	for _, p := range problems {
		out = append(out, p.Path+" "+p.Rule)
	}
	return slices.Compact(out)
}

func TestBrokenHDMFFilesAreTold(t *testing.T) {
	broken := map[string]string{
		"good":                       "",
		"dangling_link":              "/general/extracellular_ephys/g DanglingLink",
		"dangling_reference":         "/acquisition/es/electrodes DanglingReference",
		"dangling_reference_element": "/general/extracellular_ephys/electrodes/group DanglingReference",
		"missing_cached_spec":        "/ MissingSpec",
		"missing_dataset":            "/ MissingError",
		"missing_required_attribute": "/acquisition/trace/data MissingError",
		"missing_specloc":            "/ MissingSpec",
		"unknown_type":               "/acquisition/second UnknownType",
		"wrong_attribute_dtype":      "/acquisition/trace/data DtypeError",
		"wrong_dtype":                "/acquisition/trace/timestamps DtypeError",
		"wrong_shape":                "/acquisition/trace/timestamps ShapeError",
	}
	dir := nwbtest.Unpack(t, "broken_v2", "broken_v3", "legacy_v2_0.10.nwb.zarr")
	for i, name := range slices.Sorted(maps.Keys(broken)) {
		want := broken[name]
		for j, layout := range []string{"broken_v2", "broken_v3"} {
			if !thorough.Enabled && i%2 != j || i%thorough.Least(3, 1, 1) != 0 {
				continue // the layouts take turns; hdmf/check tests all
			}
			got := strings.Join(rules(validateHDMF(t, filepath.Join(dir, layout, name+".nwb.zarr"), "/")), ", ")
			if got != want {
				t.Errorf("%s/%s: %s, want %s", layout, name, got, want)
			}
		}
	}
	// Its consolidated metadata lacks the schemas, as that writer has it.
	if got := rules(validateHDMF(t, filepath.Join(dir, "legacy_v2_0.10.nwb.zarr"), "/")); got != nil {
		t.Errorf("an old file: %v", got)
	}
	// Of a part of a file only what concerns it is told, by its own paths.
	part := filepath.Join(dir, "broken_v3", "wrong_dtype.nwb.zarr")
	if got := rules(validateHDMF(t, part, "/acquisition/trace")); !slices.Equal(got, []string{"/timestamps DtypeError"}) {
		t.Errorf("a part: %v", got)
	}
	if got := rules(validateHDMF(t, part, "/general")); got != nil {
		t.Errorf("another part: %v", got)
	}
}

func TestStaleMetadataOfHDMFFilesIsToldOnce(t *testing.T) {
	url := filepath.Join(nwbtest.Unpack(t, "session_v3.nwb.zarr"), "session_v3.nwb.zarr")
	jobtest.Check(t, os.RemoveAll(filepath.Join(url, "acquisition", "words")))
	got := rules(validateHDMF(t, url, "/"))
	if len(got) == 0 || slices.ContainsFunc(got, func(s string) bool { return !strings.HasSuffix(s, " StaleConsolidated") }) {
		t.Errorf("told %v", got)
	}
}

// inArchive puts a fixture into a folder of an archive and gives the URL of the file
// there.
func inArchive(t *testing.T, name string, change func(files map[string][]byte)) string {
	t.Helper()
	files := maps.Clone(nwbtest.Files(t, name))
	change(files)
	at := filepath.Join(t.TempDir(), "all.zip")
	out, err := os.Create(at)
	jobtest.Check(t, err)
	z := zip.NewWriter(out)
	for _, key := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "folder/" + name + "/" + key, Method: thorough.Of(zip.Store, zip.Deflate)})
		jobtest.Check(t, err)
		_, err = w.Write(files[key])
		jobtest.Check(t, err)
	}
	jobtest.Check(t, z.Close())
	jobtest.Check(t, out.Close())
	return filepath.Join(at, "folder", name)
}

// A file in a folder of an archive is validated as any other.
func TestHDMFFilesInFoldersOfArchives(t *testing.T) {
	for _, name := range []string{"legacy_v2_0.10.nwb.zarr", "session_v3.nwb.zarr"}[:thorough.Least(1, 2, 2)] {
		url := inArchive(t, name, func(map[string][]byte) {})
		if thorough.Enabled || strings.HasPrefix(name, "legacy") {
			if got := rules(validateHDMF(t, url, "/")); got != nil {
				t.Errorf("%s: %v", name, got)
			}
		}
		url = inArchive(t, name, func(files map[string][]byte) {
			maps.DeleteFunc(files, func(key string, _ []byte) bool { return strings.HasPrefix(key, "file_create_date/") })
		})
		if got := rules(validateHDMF(t, url, "/")); !slices.Equal(got, []string{"/file_create_date StaleConsolidated"}) {
			t.Errorf("%s, stale: %v", name, got)
		}
	}
}

// Links above the folder around a file are not followed, and not wrong: the report says
// what to allow.
func TestLinksAboveTheFolderAreWarnings(t *testing.T) {
	dir := nwbtest.Unpack(t, "external_v3")
	f, err := hdmf.Open(context.Background(), filepath.Join(dir, "external_v3/sub/exported.nwb.zarr"))
	jobtest.Check(t, err)
	defer f.Close()
	report, err := check.Validate(context.Background(), f.Zarr().Store(), "", check.ValidateOptions{Further: jobs.Further(f, "/", hdmfcheck.Options{})})
	jobtest.Check(t, err)
	if !report.OK || len(report.Problems) > 0 || len(report.Warnings) != 3 {
		t.Fatalf("ok is %v: %v, %v", report.OK, report.Problems, report.Warnings)
	}
	for _, w := range report.Warnings {
		if want := "(--allow " + filepath.Join(dir, "external_v3", "source.nwb.zarr") + ")"; w.Rule != hdmfcheck.ForeignSource || !strings.Contains(w.Problem, want) {
			t.Errorf("%v, want %s", w, want)
		}
	}
}
