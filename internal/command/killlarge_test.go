package command

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
)

// Of a copy that is large beside what is under way at any time, with the memory that it
// takes by itself, less than one chunk in a hundred is read again after a kill.
func TestLargeCopiesThatAreKilled(t *testing.T) {
	if !thorough.Enabled {
		t.Skip("thousands of requests for each kind of copy")
	}
	const n, chunk = 512, 8
	ctx := context.Background()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	values := make([]uint8, n*n)
	for i := range values {
		values[i] = uint8(random.UintN(200) + 1)
	}
	a, err := zarr.CreateArray(ctx, filepath.Join(dir, "values"), zarr.ArraySpec{Shape: []int{n, n}, Chunks: []int{chunk, chunk}, DataType: "uint8"})
	must(t, err)
	must(t, zarr.Write(ctx, a, zarr.All(), values))
	for _, k := range []struct {
		name, to string
		flags    []string
	}{
		{"zarr3", "out.zarr", nil},
		{"zip", "out.zip", nil},
		{"tiff", "out.tif", nil},
		{"overviews", "out.tif", []string{"--overviews"}},
		{"bigtiff", "out.tif", []string{"--overviews", "--bigtiff"}},
		{"cog", "out.tif", []string{"--to", "cog"}},
		{"jpeg", "out.tif", []string{"--to", "cog", "--compression", "jpeg", "--lossy"}},
	} {
		t.Run(k.name, func(t *testing.T) {
			o, url := newOrigin(t, dir)
			c := &killing{origin: o, allow: url, url: url + "/values", to: k.to, whole: t.TempDir()}
			c.args = append([]string{"copy", "--workers", "2", "--json"}, k.flags...)
			if k.to == "out.tif" {
				c.args = append(c.args, "--chunks", "16,16")
			}
			if out, err := c.run(t, c.whole); err != nil {
				t.Fatal(err, out)
			}
			c.requests, _ = o.chunks()
			for range 4 {
				c.kill(t, 1+random.IntN(c.requests-100))
			}
		})
	}
}
