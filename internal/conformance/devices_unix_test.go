//go:build unix

package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr"
)

// TestDevicesAreNotRead has pipes, on which a reader would wait for ever, and links to
// devices, which never end, in the place of chunks, documents and files that are referred
// to, also where the user allows the folder of devices.
func TestDevicesAreNotRead(t *testing.T) {
	for _, thing := range []string{"pipe", "/dev/zero", "/dev/stdin"} {
		place := func(at string) {
			t.Helper()
			check(t, os.MkdirAll(filepath.Dir(at), 0o777))
			check(t, os.RemoveAll(at))
			if thing == "pipe" {
				check(t, syscall.Mkfifo(at, 0o666))
			} else {
				check(t, os.Symlink(thing, at))
			}
		}
		dir := t.TempDir()
		chunk := filepath.Join(dir, "a.zarr")
		a := must[*zarr.Array](t)(zarr.CreateArray(ctx, chunk, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}))
		place(filepath.Join(chunk, "c", "0"))
		if got, err := zarr.Read[uint8](ctx, a, zarr.All()); err == nil || errors.Is(err, zarr.ErrMissing) {
			t.Errorf("%s as a chunk: %v, %v", thing, got.Data, err)
		}
		check(t, a.Close())
		document := filepath.Join(dir, "b.zarr", "zarr.json")
		place(document)
		if n, err := zarr.Open(ctx, filepath.Dir(document), zarr.Allow("/dev")); err == nil {
			t.Errorf("%s as a document opens as %s", thing, n.URL())
		}
		for _, ref := range []string{"link", thing} {
			place(filepath.Join(dir, "link"))
			check(t, os.WriteFile(filepath.Join(dir, "refs.json"), fmt.Appendf(nil, manifest, ref), 0o666))
			g := must[*zarr.Group](t)(zarr.OpenGroup(ctx, filepath.Join(dir, "refs.json"), zarr.Allow("/dev")))
			a := must[*zarr.Array](t)(g.Array(ctx, "a"))
			if got, err := zarr.Read[uint8](ctx, a, zarr.All()); err == nil || errors.Is(err, zarr.ErrMissing) {
				t.Errorf("%s referred to as %s: %v, %v", thing, ref, got.Data, err)
			}
			check(t, g.Close())
		}
		at := filepath.Join(dir, "file.tif")
		place(at)
		if n, err := zarr.Open(ctx, at, zarr.Allow("/dev")); err == nil {
			t.Errorf("%s opens as %s", thing, n.URL())
		}
	}
}
