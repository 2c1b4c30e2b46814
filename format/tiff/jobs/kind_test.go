package jobs_test

import (
	"archive/zip"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/jobs"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/kind"
)

var ctx = context.Background()

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	k := &jobs.Kind{}
	flags := flag.NewFlagSet("copy", flag.ContinueOnError)
	k.FormatFlags(flags)
	if err := flags.Parse([]string{"-compression", "fog"}); err != nil {
		fmt.Println(err)
		return
	}
	_, err := k.Format("cog")
	fmt.Println(k.Formats(), err)
	// Output: [tiff cog] --compression fog: must be one of none, lzw, deflate, zstd, packbits, lzma, jpeg
}

// Verify names directories that opening passes over, and reads those that are part of
// no image.
func TestInspectionOfFiles(t *testing.T) {
	for name, want := range map[string]string{
		"f08_ifd_two_cycle.tif":   "/ifd/1: the chain of directories is broken: behind IFD 1, at offset 4274, comes IFD 0 at offset 4104 again",
		"f10_subifd_past_eof.tif": "/ifd/0/0: tag 330 (SubIFDs) of IFD 0: IFD at offset 2147483647: ",
		"f11_subifd_million.tif":  "/ifd/0: tag 330 (SubIFDs): count 50000000 at offset 8 is beyond the end of the file",
	} {
		n, err := zarr.Open(ctx, unzipped(t, name), zarr.ReadOnly())
		if err != nil {
			t.Fatal(err)
		}
		r, err := check.Verify(ctx, n, check.VerifyOptions{Inspect: kind.List{&jobs.Kind{}}.Inspections()})
		if err != nil || r.OK || len(r.Problems) == 0 || !strings.HasPrefix(r.Problems[0].Path+": "+r.Problems[0].Problem, want) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

// unzipped puts a broken file into a folder of its own.
func unzipped(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader("../testdata/bad.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	data, err := fs.ReadFile(z, name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
