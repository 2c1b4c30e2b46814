package zarr_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
)

func counting(n int) []uint16 {
	out := make([]uint16, n)
	for i := range out {
		out[i] = uint16(i)
	}
	return out
}

var sharded = zarr.ArraySpec{Shape: []int{20, 30}, Shards: []int{10, 10}, Chunks: []int{5, 5}, DataType: "uint16",
	Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`)}

func TestAnArchiveIsWrittenAndReadInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.zarr.zip")
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, path))
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "x/a", sharded))
	check(t, zarr.Write(ctx, a, zarr.All(), counting(600)))
	check(t, zarr.Write(ctx, a, zarr.Slice("3, 4"), []uint16{9}))
	check(t, g.Close())
	a = must[*zarr.Array](t)(zarr.OpenArray(ctx, path+"/x/a"))
	got := must[ndArray[uint16]](t)(readArray[uint16](a, zarr.Slice("3, 3:6")))
	if !slices.Equal(got.Data, []uint16{93, 9, 95}) {
		t.Errorf("got %v", got.Data)
	}
	check(t, a.Close())
	// Once more, into the archive that is there.
	root := must[*zarr.Group](t)(zarr.OpenGroup(ctx, path))
	again := must[*zarr.Array](t)(root.Array(ctx, "x/a"))
	check(t, zarr.Append(ctx, again, 0, counting(30)))
	check(t, root.Close())
	a = must[*zarr.Array](t)(zarr.OpenArray(ctx, path+"/x/a", zarr.ReadOnly()))
	defer a.Close()
	if got := must[ndArray[uint16]](t)(readArray[uint16](a, zarr.Slice("19:, 29"))); !slices.Equal(got.Data, []uint16{599, 29}) {
		t.Errorf("got %v", got.Data)
	}
}

func TestAnArrayIsReadOverHTTP(t *testing.T) {
	dir := t.TempDir()
	a := closing(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, filepath.Join(dir, "v.zarr"), sharded)))
	check(t, zarr.Write(ctx, a, zarr.Slice(":, :20"), make([]uint16, 400)))
	check(t, zarr.Write(ctx, a, zarr.Slice("5, :"), counting(30)))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, opts := range [][]zarr.Option{nil, {zarr.WithCache(newCache())}} {
		web := must[*zarr.Array](t)(zarr.OpenArray(ctx, server.URL+"/v.zarr", opts...))
		got := must[ndArray[uint16]](t)(readArray[uint16](web, zarr.All()))
		for i, v := range got.Data {
			if want := uint16(0); i/30 == 5 && v != uint16(i%30) || i/30 != 5 && v != want {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		one := must[ndArray[uint16]](t)(readArray[uint16](web, zarr.Slice("5, 7")))
		if one.At() != 7 {
			t.Errorf("got %v", one)
		}
		wantError(t, zarr.Write(ctx, web, zarr.Slice("0, 0"), []uint16{1}), "read-only", "c/0/0")
		check(t, web.Close())
	}
	_, err := zarr.OpenArray(ctx, server.URL+"/none.zarr")
	wantError(t, err, "none.zarr", "no Zarr node here")
}

// What is called as files are may be a hierarchy: our own server shows TIFF files and
// archives as Zarr under their names.
func TestHierarchiesNamedAsFilesAreReadOverHTTP(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, name := range []string{"scan.tif", "packed.zip", "x.ome.tiff"} {
		a := closing(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, filepath.Join(dir, "v.zarr", "a"), zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"})))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3}))
		check(t, os.Rename(filepath.Join(dir, "v.zarr"), filepath.Join(dir, name)))
		for _, url := range []string{"/" + name + "/a", "/" + name + "/a|zarr3:", "/" + name + "|zarr3:a"} {
			web := closing(t, must[*zarr.Array](t)(zarr.OpenArray(ctx, server.URL+url)))
			if got := must[ndArray[uint8]](t)(readArray[uint8](web, zarr.All())); !slices.Equal(got.Data, []uint8{1, 2, 3}) {
				t.Errorf("%s: %v", url, got.Data)
			}
		}
		_, err := zarr.Open(ctx, server.URL+"/none-"+name)
		wantError(t, err, "none-"+name)
	}
}
