package lz4

import "testing"

func TestPatterns(t *testing.T) {
	for distance := 1; distance <= 32; distance++ {
		for i := range 32 {
			whole, twice := patterns.shuffle[distance][0][i], patterns.shuffle[distance][1][i]
			from := int(whole) + i&16
			if whole == 0x80 {
				from = int(twice)
			}
			if (whole == 0x80) == (twice == 0x80) || from != i%distance {
				t.Errorf("distance %d, byte %d: %#x, %#x", distance, i, whole, twice)
			}
		}
	}
	if patterns.shuffle[0] != [2][32]byte{} {
		t.Error("the table does not begin with zeros")
	}
}
