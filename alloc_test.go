package zarr_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
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
		{"uncompressed", littleBytes, false, thorough.Of(24, 100), false},
		{"uncompressed, rows", littleBytes, false, thorough.Of(24, 40), true},
		{"zstd", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, false, thorough.Of(24, 100), false},
		{"zstd, rows", `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, false, thorough.Of(24, 40), true},
		{"gzip", `[{"name":"bytes","configuration":{"endian":"little"}},"gzip"]`, false, thorough.Of(24, 40), false},
		{"crc32c", `[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`, false, thorough.Of(24, 40), false},
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

// The inner chunks of shards have no keys, and nothing is allocated for them.
func TestReadingAllocatesNothingForInnerChunks(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	const edge, shard = 8, 20 // elements of an inner chunk, inner chunks of a shard, along two axes
	side := thorough.Of(40, 100)
	for _, codecs := range []string{littleBytes, `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`} {
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{side * edge, side * edge}, Chunks: []int{edge, edge},
			Shards: []int{shard * edge, shard * edge}, DataType: "uint16", Codecs: json.RawMessage(codecs)}, zarr.Workers(1)))
		data := make([]uint16, side*side*edge*edge)
		for i := range data {
			data[i] = uint16(i*i>>10) | 1
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		clear(data)
		got := testing.AllocsPerRun(2, func() { check(t, zarr.ReadSlice(ctx, a, zarr.All(), data)) })
		if each := got / float64(side*side); each > 0.25 { // of which most are of shards, and of what is read of them at once
			t.Errorf("%s: %.3f allocations for each inner chunk", codecs, each)
		} else {
			t.Logf("%.3f allocations for each inner chunk", each)
		}
		if data[5000] != 5000*5000>>10&0xffff|1 {
			t.Error("wrong data")
		}
	}
}

// A whole read takes the memory of its result and little more, over all that it allocates.
func TestAWholeReadTakesTheMemoryOfItsResult(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	side, shard := thorough.Of(64, 256), thorough.Of(64, 128) // 0.5 or 32 MiB
	data := make([]uint16, side*side*side)
	for i := range data {
		data[i] = uint16(i*i>>13) | 1
	}
	little := `{"name":"bytes","configuration":{"endian":"little"}}`
	for _, c := range []struct {
		name, codecs string
		shards       []int
	}{
		{"uncompressed", `[` + little + `]`, nil},
		{"zstd", `[` + little + `,"zstd"]`, nil},
		{"gzip", `[` + little + `,"gzip"]`, nil},
		{"blosc", `[` + little + `,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]`, nil},
		{"shards", `[` + little + `,"zstd"]`, []int{shard, shard, shard}},
	} {
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{
			Shape: []int{side, side, side}, Chunks: []int{32, 32, 32}, Shards: c.shards, DataType: "uint16", Codecs: json.RawMessage(c.codecs),
		}, zarr.Workers(2)))
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		var got nd.Array[uint16]
		read := func() { got = must[nd.Array[uint16]](t)(zarr.Read[uint16](ctx, a, zarr.All())) }
		if bytes := alloctest.Warm(read); float64(bytes) > 1.10*2*float64(len(data)) {
			t.Errorf("%s: %.3f times the memory of the array", c.name, float64(bytes)/2/float64(len(data)))
		} else {
			t.Logf("%s: %.3f times", c.name, float64(bytes)/2/float64(len(data)))
		}
		if !slices.Equal(got.Data, data) {
			t.Errorf("%s: wrong data", c.name)
		}
	}
}
