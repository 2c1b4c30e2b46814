package zarr_test

import (
	"encoding/json"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Reading into memory of the caller costs a few small allocations per chunk, and
// none per element.
func TestReadingAllocatesLittlePerChunk(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	const edge, chunks = 32, 64
	for _, c := range []struct {
		name, codecs string
		inFiles      bool
		most         float64 // per chunk
	}{
		{"uncompressed", littleBytes, false, 7},
		{"zstd", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, false, 8},
		{"gzip", `[{"name":"bytes","configuration":{"endian":"little"}},"gzip"]`, false, 9},
		{"uncompressed files", littleBytes, true, 9},
		{"zstd files", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, true, 10},
	} {
		var s store.Store = mem.New()
		if c.inFiles {
			s = openDir(t)
		}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{
			Shape: []int{4 * edge, 4 * edge, 4 * edge}, Chunks: []int{edge, edge, edge}, DataType: "uint16", Codecs: json.RawMessage(c.codecs),
		}, zarr.Workers(1)))
		data := make([]uint16, 64*edge*edge*edge)
		for i := range data {
			data[i] = uint16(i*i>>10) | 1
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		clear(data)
		got := testing.AllocsPerRun(5, func() { check(t, zarr.ReadSlice(ctx, a, zarr.All(), data)) })
		if got > c.most*chunks+30 {
			t.Errorf("%s: %v allocations for %d chunks", c.name, got, chunks)
		}
		t.Logf("%s: %.1f allocations per chunk", c.name, got/chunks)
		if data[5000] != uint16(5000*5000>>10)|1 {
			t.Errorf("%s: wrong data", c.name)
		}
	}
}
