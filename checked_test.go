package zarr_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// A shard whose entries all are the same few bytes is checked in little memory, however
// much it holds.
func TestAShardOfOneChunkIsCheckedInParts(t *testing.T) {
	const inner = 256 << 10
	count := thorough.Least(16, 512, 512) // 128 MiB
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{count, inner}, Chunks: []int{1, inner}, Shards: []int{count, inner}, DataType: "uint8"}))
	one := make([]uint8, inner)
	for i := range one {
		one[i] = 7
	}
	check(t, zarr.Write(ctx, a, zarr.Select(zarr.At(0)), one))
	was, _, err := s.Get(ctx, "c/0/0", store.All(), nil)
	check(t, err)
	index := was[len(was)-16*count-4:]
	for i := range count {
		copy(index[16*i:], index[:16])
	}
	sum := crc32.Checksum(index[:16*count], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(index[16*count:], sum)
	_, err = s.Put(ctx, "c/0/0", was, store.PutOptions{})
	check(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for c := range a.Grid() {
		check(t, a.CheckChunk(ctx, c))
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 80<<20 && !race.Enabled { // pools forget under the race detector
		t.Errorf("%d MiB were allocated for a shard of %d bytes", n>>20, len(was))
	}
	// The last of its inner chunks is looked at too.
	binary.LittleEndian.PutUint64(index[16*(count-1):], 1)
	binary.LittleEndian.PutUint32(index[16*count:], crc32.Checksum(index[:16*count], crc32.MakeTable(crc32.Castagnoli)))
	_, err = s.Put(ctx, "c/0/0", was, store.PutOptions{})
	check(t, err)
	for c := range a.Grid() {
		if err := a.CheckChunk(ctx, c); !errors.Is(err, zarr.ErrData) {
			t.Errorf("got %v", err)
		}
	}
}
