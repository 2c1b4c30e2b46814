package describe

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

func TestFilesAreNamedAsSeenFromEachOther(t *testing.T) {
	ctx := context.Background()
	dir := nwbtest.Unpack(t, "external_v3")
	open := func(name string) *hdmf.File {
		f, err := hdmf.Open(ctx, filepath.Join(dir, "external_v3", filepath.FromSlash(name)), hdmf.Zarr(zarr.ReadOnly()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	linked, source, exported := open("linked.nwb.zarr"), open("source.nwb.zarr"), open("sub/exported.nwb.zarr")
	for _, c := range []struct {
		from, to *hdmf.File
		want     string
	}{{linked, linked, "."}, {linked, source, "../source.nwb.zarr"}, {exported, source, "../../source.nwb.zarr"}, {source, exported, "../sub/exported.nwb.zarr"}} {
		if got := place(ctx, c.from, c.to); got != c.want {
			t.Errorf("%s from %s is %s, want %s", c.to.URL(), c.from.URL(), got, c.want)
		}
	}
}
