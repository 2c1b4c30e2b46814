package clouds

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/job/diff"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/store"
)

// formats are the samples of every format, with the number of requests that may be made
// to open each.
var formats = []struct {
	what, path string
	stage      string // that says what it is
	requests   int
}{
	{"a v3 array, in shards", "plain.zarr/a", "", 1},
	{"a v3 group", "plain.zarr", "", 1},
	{"a v2 array, with consolidated metadata", "sub/consolidated.zarr/a", "", 4},
	{"a v2 group, with consolidated metadata", "sub/consolidated.zarr", "", 2},
	{"a v2 group, with consolidated metadata and said to be one", "sub/consolidated.zarr", "|zarr2:", 1},
	{"a v2 group", "sub/old.zarr", "", 5},
	{"an N5 array", "sub/cells.n5/s0", "", 6},
	{"an N5 array, said to be one", "sub/cells.n5", "|n5:s0", 1},
	{"an N5 container", "sub/cells.n5", "", 7},
	{"a COG", "image.tif", "", 2},
	{"a level of a COG", "image.tif/1", "", 2},
	{"an archive", "packed.zip", "", 2},
	{"an NWB file of Zarr v3", servetest.Session, "", 1},
	{"an NWB file of Zarr v2", "session_v2.nwb.zarr", "", 2},
}

// samples makes a folder of every sample.
func samples(t *testing.T) string {
	t.Helper()
	dir := servetest.Samples(t)
	if err := nwbtest.UnpackTo(dir, "session_v2.nwb.zarr"); err != nil {
		t.Fatal(err)
	}
	g, err := zarr.CreateGroup(ctx, filepath.Join(dir, "sub", "consolidated.zarr"), zarr.As("zarr2"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{40}, DataType: "int32", Chunks: []int{10}})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), servetest.Counting[int32](40))
	}
	if err == nil {
		err = g.Consolidate(ctx)
	}
	if err == nil {
		err = g.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// upload puts all files below a folder into a store.
func upload(t *testing.T, s store.Store, dir string) {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all(t, files, func(file string) error {
		b, err := os.ReadFile(file)
		if err == nil {
			key := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(file, dir)), "/")
			_, err = s.Put(ctx, key, b, store.PutOptions{})
		}
		return err
	})
}

// TestEveryFormatFromEveryCloud opens samples of all formats in a bucket, in few
// requests, and wants all that the files hold.
func TestEveryFormatFromEveryCloud(t *testing.T) {
	dir := samples(t)
	everywhere(t, func(t *testing.T, p place) {
		upload(t, p.open(t, store.Remote{}), dir)
		for _, c := range formats {
			t.Run(c.what, func(t *testing.T) {
				local, err := zarr.Open(ctx, filepath.Join(dir, filepath.FromSlash(c.path))+c.stage)
				if err != nil {
					t.Fatal(err)
				}
				defer local.Close()
				p.proxy.Reset()
				n, err := zarr.Open(ctx, p.cloud.At(c.path)+c.stage, zarr.Remote(store.Remote{Hedge: -1}))
				if err != nil {
					t.Fatal(err)
				}
				defer n.Close()
				most := c.requests
				if p.direct.Scheme == "azblob" && c.what == "an archive" {
					most++ // Azure knows no ranges that count from the end
				}
				if log := p.proxy.Log(); len(log) > most {
					t.Errorf("%d requests to open it, want %d:\n%s", len(log), most, strings.Join(log, "\n"))
				} else {
					t.Logf("%d requests to open it", len(log))
				}
				p.proxy.Reset()
				r, err := diff.Nodes(ctx, local, n, diff.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !r.Equal {
					t.Errorf("not what the files hold: %v", r.Differences)
				}
				t.Logf("%d requests to read it", p.proxy.Requests())
			})
		}
	})
}
