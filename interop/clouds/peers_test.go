package clouds

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/meta"
	_ "github.com/omnizarr/zarr/store/azblob"
	_ "github.com/omnizarr/zarr/store/gcs"
)

// kinds are the arrays that either side writes.
var kinds = map[string]struct {
	spec   zarr.ArraySpec
	format string
}{
	"v3":        {zarr.ArraySpec{Chunks: []int{4, 5}}, "zarr3"},
	"v3-shards": {zarr.ArraySpec{Chunks: []int{2, 5}, Shards: []int{4, 10}}, "zarr3"},
	"v2":        {zarr.ArraySpec{Chunks: []int{4, 5}}, "zarr2"},
}

// TestPeers has zarr-python, by way of obstore, read arrays that we put into buckets of
// all three services, and us those that it put there.
func TestPeers(t *testing.T) {
	peers := filepath.Dir(os.Getenv(cloudtest.Variable))
	python, obstore := filepath.Join(peers, "python", "bin", "python"), filepath.Join(peers, "obstore")
	if os.Getenv(cloudtest.Variable) == "" {
		t.Skip("object stores: " + cloudtest.Variable + " is not set (interop/install clouds)")
	}
	for _, path := range []string{python, obstore} {
		if _, err := os.Stat(path); err != nil {
			t.Skip("zarr-python and obstore are not there (interop/install python obstore)")
		}
	}
	for name, start := range map[string]func(testing.TB) cloudtest.Cloud{"S3": cloudtest.S3, "GCS": cloudtest.GCS, "Azure": cloudtest.Azure} {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			data := make([]uint16, 90)
			for i := range data {
				data[i] = uint16(i * 7 % 251)
			}
			for name, k := range kinds {
				spec := k.spec
				spec.Shape, spec.DataType, spec.Attributes = []int{9, 10}, "uint16", new(meta.Attributes)
				if err := spec.Attributes.Set("name", name); err != nil {
					t.Fatal(err)
				}
				a, err := zarr.CreateArray(ctx, c.At("ours/"+name), spec, zarr.As(k.format))
				if err == nil {
					err = zarr.Write(ctx, a, zarr.All(), data)
				}
				if err == nil {
					err = a.Close()
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			ask := func(what string) []byte {
				cmd := exec.CommandContext(t.Context(), python, "../peers/clouds.py", what, c.Scheme, c.Bucket, c.Endpoint)
				cmd.Env = append(os.Environ(), "PYTHONPATH="+obstore)
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				return out
			}
			var theirs map[string]struct {
				Values     [][]uint16
				Attributes map[string]string
				Format     int
			}
			if err := json.Unmarshal(ask("read"), &theirs); err != nil {
				t.Fatal(err)
			}
			for name, k := range kinds {
				got := theirs[name]
				if !slices.Equal(slices.Concat(got.Values...), data) || got.Attributes["name"] != name || "zarr"+string(rune('0'+got.Format)) != k.format {
					t.Errorf("%s: they read %v, %v, format %d", name, got.Values, got.Attributes, got.Format)
				}
			}
			ask("write")
			for name, k := range kinds {
				a, err := zarr.OpenArray(ctx, c.At("theirs/"+name))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got, err := zarr.Read[uint16](ctx, a, zarr.All())
				if err != nil || !slices.Equal(got.Data, data) || a.Format() != k.format {
					t.Errorf("%s: %v, format %s, %v", name, got.Data, a.Format(), err)
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
