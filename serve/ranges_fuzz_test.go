package serve

import (
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// Ranges that clients ask for lie in the value, however they are written.
func FuzzRanges(f *testing.F) {
	for _, header := range []string{"bytes=0-1", "bytes=-5", "bytes=5-", "bytes=0-0,2-3, 4-", "bytes=9223372036854775807-", "bytes=1-0", "bytes=", "items=1-2", "bytes=,,1-2", "bytes=0-18446744073709551615"} {
		f.Add(header, int64(10))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, header string, size int64) {
		ranges, ok, err := parseRanges(header, 64)
		if !ok || err != nil || size < 0 {
			return
		}
		if len(ranges) > 64 {
			t.Fatalf("%d ranges", len(ranges))
		}
		spans, _, err := resolve(ranges, size)
		if err != nil {
			return
		}
		for _, s := range spans {
			if s.off < 0 || s.n < 0 || s.off > size-s.n {
				t.Errorf("%q of %d bytes: %+v", header, size, s)
			}
		}
	})
}
