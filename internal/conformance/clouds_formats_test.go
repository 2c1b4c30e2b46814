package conformance

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
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
	{"a v2 array, with consolidated metadata and said to be one", "sub/consolidated.zarr", "|zarr2:a", 1},
	{"a v2 group", "sub/old.zarr", "", 5},
	{"an N5 array", "sub/cells.n5/s0", "", 2},
	{"an N5 array, said to be one", "sub/cells.n5", "|n5:s0", 1},
	{"an N5 container", "sub/cells.n5", "", 4}, // two for what tells that it is an image
	{"a COG", "image.tif", "", 2},
	{"a level of a COG", "image.tif/1", "", 2},
	{"an archive", "packed.zip", "", 2},
	{"an NWB file of Zarr v3", servetest.Session, "", 1},
	{"an NWB file of Zarr v2", "session_v2.nwb.zarr", "", 2},
}

// cloudSamples makes a folder of every sample.
func cloudSamples(t *testing.T) string {
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

// upload puts all files below a folder into a bucket, or those below some paths in it.
func upload(t *testing.T, p place, dir string, below ...string) {
	t.Helper()
	s := p.open(t, store.Remote{})
	var files []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (below == nil || slices.ContainsFunc(below, func(path string) bool {
			return strings.HasPrefix(file, filepath.Join(dir, filepath.FromSlash(path))+string(filepath.Separator))
		})) {
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
			err = p.seed(s, key, b)
		}
		return err
	})
}

// opened opens what lies at a path through the proxy, and wants no more requests than
// that. Those that the case before gave up may come late, also to the same path: what is
// more than wanted is asked for again, and must be so every time.
func (p place) opened(t *testing.T, path, stage string, most int) (zarr.Node, error) {
	t.Helper()
	for try := 0; ; try++ {
		p.proxy.Reset()
		n, err := zarr.Open(ctx, p.at(path)+stage, soon, zarr.Remote(store.Remote{Hedge: -1}))
		log := slices.DeleteFunc(p.proxy.Log(), func(line string) bool {
			return !strings.Contains(line, path) && !strings.Contains(line, url.QueryEscape(path))
		})
		switch {
		case len(log) <= most:
			t.Logf("%d requests to open it", len(log))
		case err == nil && try < 3:
			n.Close()
			continue
		default:
			t.Errorf("%d requests to open it, want %d:\n%s", len(log), most, strings.Join(log, "\n"))
		}
		return n, err
	}
}

// TestEveryFormatFromEveryCloud opens samples of all formats in a bucket and on a web
// server, in few requests, and wants all that the files hold.
func TestEveryFormatFromEveryCloud(t *testing.T) {
	dir := cloudSamples(t)
	readable(t, func(t *testing.T, p place) {
		upload(t, p, dir)
		for _, c := range formats {
			t.Run(c.what, func(t *testing.T) {
				local, err := zarr.Open(ctx, filepath.Join(dir, filepath.FromSlash(c.path))+c.stage)
				if err != nil {
					t.Fatal(err)
				}
				defer local.Close()
				most := c.requests
				if p.direct.Scheme == "azblob" && c.what == "an archive" {
					most++ // Azure knows no ranges that count from the end
				}
				n, err := p.opened(t, c.path, c.stage, most)
				if err != nil {
					t.Fatal(err)
				}
				defer n.Close()
				if n.Format() != local.Format() {
					t.Errorf("%s, as a file %s", n.Format(), local.Format())
				}
				if g, ok := n.(*zarr.Group); ok && p.values != nil && !g.Consolidated() && c.what != "a COG" && c.what != "an archive" {
					return // web servers cannot list
				}
				if c.path == "session_v2.nwb.zarr" && !thorough.Enabled {
					return // it has what the one of Zarr v3 has, and the rest is as in other groups of Zarr v2
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
		t.Run("a v2 array of a group that was opened", func(t *testing.T) {
			n, err := p.opened(t, "sub/consolidated.zarr", "|zarr2:", 1)
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			p.proxy.Reset()
			if _, err := n.(*zarr.Group).Array(ctx, "a"); err != nil || p.proxy.Requests() != 0 {
				t.Errorf("%d more requests, %v", p.proxy.Requests(), err)
			}
		})
	})
}

// TestWhatIsNotThere counts the requests by which is found out that nothing lies at a URL.
func TestWhatIsNotThere(t *testing.T) {
	dir := cloudSamples(t)
	readable(t, func(t *testing.T, p place) {
		if thorough.Enabled {
			upload(t, p, dir)
		} else { // what is asked for lies beside these
			upload(t, p, dir, "plain.zarr", "sub/cells.n5")
		}
		for _, c := range []struct {
			path        string
			web, bucket int
		}{
			{"nothing", 5, 7}, {"nothing.zarr", 5, 6}, {"plain.zarr/nothing", 4, 5}, {"missing.zarr|zarr3:", 1, 2},
			{"sub/cells.n5/nothing", 4, 8}, {"nothing.tif", 6, 8}, {"nothing.zip", 6, 8},
		} {
			t.Run(c.path, func(t *testing.T) {
				base, stage, piped := strings.Cut(c.path, "|")
				if piped {
					stage = "|" + stage
				}
				most := c.bucket
				if p.values != nil {
					most = c.web
				}
				n, err := p.opened(t, base, stage, most)
				if err == nil {
					n.Close()
				}
				if !errors.Is(err, zarr.ErrNoNode) && !errors.Is(err, store.ErrNotExist) {
					t.Error(err)
				}
			})
		}
	})
}
