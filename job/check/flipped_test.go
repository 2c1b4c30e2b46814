package check_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// One bit is flipped in every stored chunk: verify names all of them where chunks have
// checksums, as those of new arrays do. Without, it names those that cannot be decoded.
func TestFlippedBitsAreFound(t *testing.T) {
	const side, chunk = 8, 16
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]uint16, side*chunk*side*chunk)
	for i := range data {
		data[i] = uint16(i/7 + random.IntN(9))
	}
	for name, c := range map[string]struct {
		spec zarr.ArraySpec
		all  bool
	}{
		"by default":        {zarr.ArraySpec{Chunks: []int{chunk, chunk}}, true},
		"shards by default": {zarr.ArraySpec{Chunks: []int{chunk / 2, chunk / 2}, Shards: []int{chunk, chunk}}, true},
		"crc32c": {zarr.ArraySpec{Chunks: []int{chunk, chunk},
			Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`)}, true},
		"none": {zarr.ArraySpec{Chunks: []int{chunk, chunk},
			Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3,"checksum":false}}]`)}, false},
	} {
		found, flipped := 0, 0
		for range thorough.Of((thorough.Rounds(160)+2)/3, 160) { // 10,240 chunks
			s := mem.New()
			c.spec.Shape, c.spec.DataType = []int{side * chunk, side * chunk}, "uint16"
			a, err := zarr.CreateArrayIn(t.Context(), s, "", c.spec)
			if err == nil {
				err = zarr.Write(t.Context(), a, zarr.All(), data)
			}
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for chunk := range a.Grid() {
				text, _, err := s.Get(t.Context(), chunk.Key, store.All(), nil)
				if err != nil {
					t.Fatal(err)
				}
				bit := random.IntN(8 * len(text))
				text[bit/8] ^= 1 << (bit % 8)
				if _, err := s.Put(t.Context(), chunk.Key, text, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				keys = append(keys, chunk.Key)
			}
			r, err := check.Verify(t.Context(), a, check.VerifyOptions{})
			if err != nil || r.OK && c.all {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			for _, key := range keys {
				flipped++
				switch {
				case slices.ContainsFunc(r.Problems, func(p check.Problem) bool { return p.Key == key }):
					found++
				case c.all && !same(t, a, key, data):
					t.Errorf("%s: a wrong chunk %s is not found", name, key)
				}
			}
		}
		t.Logf("%s: %d of %d are found", name, found, flipped)
		if c.all && found < flipped*98/100 || found == 0 {
			t.Errorf("%s: %d of %d are found", name, found, flipped)
		}
	}
}

// same reports whether a chunk that nothing was found in has the elements that it had: bits
// that mean nothing, as some of a frame's header, change none.
func same(t *testing.T, a *zarr.Array, key string, data []uint16) bool {
	t.Helper()
	for c := range a.Grid() {
		if c.Key != key {
			continue
		}
		got, err := zarr.Read[uint16](t.Context(), a, zarr.Box(c.Box.Start, c.Box.Shape))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.Data {
			row, col := c.Box.Start[0]+i/c.Box.Shape[1], c.Box.Start[1]+i%c.Box.Shape[1]
			if v != data[row*a.Shape()[1]+col] {
				return false
			}
		}
	}
	return true
}
