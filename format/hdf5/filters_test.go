package hdf5_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Every file holds one chunk as it is, and as filters of plugins wrote it. They are
// read by codecs, and by virtual datasets, whose chunks are made.
func TestFiltersOfPlugins(t *testing.T) {
	names, err := filepath.Glob("testdata/*.h5")
	check(t, err)
	if len(names) == 0 {
		t.Fatal("no files")
	}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "packed-") { // has a test of its own
			continue
		}
		data, err := os.ReadFile(name)
		check(t, err)
		s, err := open(map[string][]byte{filepath.Base(name): data}, filepath.Base(name))
		check(t, err)
		n, err := zarr.OpenStore(ctx, s, "plain")
		check(t, err)
		want := nd.Make(8, 16, 11)
		check(t, n.(*zarr.Array).ReadInto(ctx, zarr.All(), want))
		root, err := zarr.OpenStore(ctx, s, "")
		check(t, err)
		count := 0
		for n, err := range root.(*zarr.Group).Children(ctx) {
			check(t, err)
			got := nd.Make(8, 16, 11)
			if err := n.(*zarr.Array).ReadInto(ctx, zarr.All(), got); err != nil || !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s %s: %.40x, not %.40x, %v", name, n.Path(), got.Data, want.Data, err)
			}
			count++
		}
		if count < 3 {
			t.Errorf("%s: %d datasets", name, count)
		}
		check(t, s.Close())
	}
}

// Chunks of a compressor that is not known are not taken for such as are not compressed.
func TestUnknownCompressor(t *testing.T) {
	s, err := open(archive(t, "mazes.tar.zst"), "unknown.h5")
	check(t, err)
	defer s.Close()
	if got, err := zarr.Read[int32](ctx, array(t, s, "x"), zarr.All()); err == nil || !strings.Contains(err.Error(), ".32008") {
		t.Errorf("%d, %v", got.Data, err)
	}
}
