package strictjson

import (
	"math/rand/v2"
	"testing"
)

// TestLongStringsEndWhereShortOnesDo compares with the plain loop, on texts in which quotes
// and backslashes stand close together, at the ends of both ways too.
func TestLongStringsEndWhereShortOnesDo(t *testing.T) {
	plain := func(data []byte, pos int) int {
		for pos++; pos < len(data); pos++ {
			switch data[pos] {
			case '"':
				return pos + 1
			case '\\':
				pos++
			}
		}
		return len(data)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		data := append([]byte{'"'}, make([]byte, rng.IntN(40))...)
		for n := len(data) + rng.IntN(100); len(data) < n; {
			data = append(data, "\"\\\\\\aaaaaaaaa"[rng.IntN(13)])
		}
		if got, want := skipString(data, 0), plain(data, 0); got != want {
			t.Fatalf("%q ends at %d, want %d", data, got, want)
		}
	}
}
