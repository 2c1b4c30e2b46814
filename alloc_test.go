package zarr_test

import (
	"encoding/json"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Reading many chunks into memory of the caller allocates their keys, and nothing else for each of them: not
// where they are decoded to their place, nor where they are copied there, in memory and in files.
func TestReadingAllocatesOnlyKeys(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	const edge = 8
	for _, c := range []struct {
		name, codecs string
		inFiles      bool
		side         int // chunks along each of two axes
		flat         bool
	}{
		{"uncompressed", littleBytes, false, 100, false},
		{"uncompressed, rows", littleBytes, false, 40, true},
		{"zstd", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, false, 100, false},
		{"zstd, rows", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, false, 40, true},
		{"gzip", `[{"name":"bytes","configuration":{"endian":"little"}},"gzip"]`, false, 40, false},
		{"crc32c", `[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`, false, 40, false},
		{"uncompressed files", littleBytes, true, 20, false},
		{"zstd files", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, true, 20, false},
	} {
		var s store.Store = mem.New()
		if c.inFiles {
			s = openDir(t)
		}
		chunks := c.side * c.side
		spec := zarr.ArraySpec{
			Shape: []int{c.side * edge, c.side * edge}, Chunks: []int{edge, edge}, DataType: "uint16", Codecs: json.RawMessage(c.codecs),
		}
		if c.flat {
			spec.Shape, spec.Chunks = []int{chunks * edge * edge}, []int{edge * edge}
		}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, zarr.Workers(1)))
		data := make([]uint16, chunks*edge*edge)
		for i := range data {
			data[i] = uint16(i*i>>10) | 1
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		clear(data)
		got := testing.AllocsPerRun(2, func() { check(t, zarr.ReadSlice(ctx, a, zarr.All(), data)) })
		// What the read itself takes, and what pools forget when the collector runs.
		if most := float64(chunks) + 100 + 0.01*float64(chunks); got > most {
			t.Errorf("%s: %v allocations for %d chunks", c.name, got, chunks)
		}
		t.Logf("%s: %.3f allocations per chunk", c.name, got/float64(chunks))
		if data[5000] != 5000*5000>>10&0xffff|1 {
			t.Errorf("%s: wrong data", c.name)
		}
	}
}
