package lz4_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/lz4"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// encoders are all ways to pack.
func encoders() map[string]func(dst, src []byte) int {
	all := map[string]func(dst, src []byte) int{}
	for _, acceleration := range []int{-1, 1, 10, 1 << 30} {
		all[fmt.Sprint("acceleration ", acceleration)] = func(dst, src []byte) int { return lz4.Encode(dst, src, acceleration) }
	}
	for _, level := range []int{0, 5, 12} {
		all[fmt.Sprint("level ", level)] = func(dst, src []byte) int { return lz4.EncodeHC(dst, src, level) }
	}
	return all
}

func TestWhatIsPackedIsUnpacked(t *testing.T) {
	all := samples()
	for how, encode := range encoders() {
		for name, data := range all {
			if thorough.Least(true, how == "level 12", how == "level 12") && name != "far" {
				data = data[:min(len(data), 20_000)] // for the time it takes
			}
			block := make([]byte, lz4.Bound(len(data)))
			n := encode(block, data)
			if n == 0 {
				t.Errorf("%s, %s: did not fit", how, name)
				continue
			}
			got := make([]byte, len(data))
			k, err := lz4.Decode(got, block[:n])
			if err != nil || !bytes.Equal(got[:k], data) {
				t.Errorf("%s, %s: %d of %d bytes, %v", how, name, k, len(data), err)
			}
			if problem := ending(block[:n], len(data)); problem != "" {
				t.Errorf("%s, %s: %s", how, name, problem)
			}
		}
	}
}

// ending checks what the format asks for at the end of a block: decoders rely on
// it.
func ending(block []byte, size int) string {
	at, literals, matchAt := 0, 0, -1
	length := func(n int) int {
		for more := 255; n >= 15 && more == 255; {
			more = int(block[0])
			block = block[1:]
			n += more
		}
		return n
	}
	for {
		token := int(block[0])
		block = block[1:]
		literals = length(token >> 4)
		block = block[literals:]
		at += literals
		if len(block) == 0 {
			break
		}
		matchAt = at
		block = block[2:]
		at += length(token&15) + 4
	}
	switch {
	case at != size:
		return fmt.Sprintf("holds %d of %d bytes", at, size)
	case matchAt >= 0 && literals < 5:
		return fmt.Sprintf("ends with %d literals", literals)
	case matchAt >= 0 && matchAt > size-12:
		return fmt.Sprintf("last match %d bytes before the end", size-matchAt)
	}
	return ""
}

// A block is made whenever it fits, and nothing is written behind the room.
func TestAnyRoom(t *testing.T) {
	all := samples()
	for how, encode := range encoders() {
		for name, data := range all {
			data = data[:min(len(data), 700)]
			whole := encode(make([]byte, lz4.Bound(len(data))), data)
			for room := range lz4.Bound(len(data)) + 1 {
				if room%thorough.Least(67, 11, 11) != 0 && max(room-whole, whole-room) > thorough.Least(3, 30, 30) {
					continue
				}
				dst := make([]byte, room+8)
				copy(dst[room:], "sentinel")
				n := encode(dst[:room:room], data)
				if string(dst[room:]) != "sentinel" || n > room {
					t.Fatalf("%s, %s: %d bytes into %d: %q behind", how, name, n, room, dst[room:])
				}
				if n != 0 && n != whole || n == 0 && room >= whole+8 {
					t.Fatalf("%s, %s: %d bytes into %d, %d with more room", how, name, n, room, whole)
				}
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	data := words(50_000)
	block, back := make([]byte, lz4.Bound(len(data))), make([]byte, len(data))
	for how, run := range map[string]func(){
		"Encode":   func() { lz4.Encode(block, data, 1) },
		"EncodeHC": func() { lz4.EncodeHC(block, data, 3) },
		"Decode":   func() { lz4.Decode(back, block[:lz4.Encode(block, data, 1)]) },
	} {
		if n := testing.AllocsPerRun(20, run); n >= 1 {
			t.Errorf("%s: %v allocations", how, n)
		}
	}
}

func TestSizes(t *testing.T) {
	for name, want := range map[string][2]int{ // what liblz4 makes of them, and a tenth more
		"plane": {4827, 3102}, "words": {8430, 7531},
	} {
		data := map[string][]byte{"plane": plane(12000), "words": words(12000)}[name]
		block := make([]byte, lz4.Bound(len(data)))
		if n := lz4.Encode(block, data, 1); n > want[0]*11/10 {
			t.Errorf("%s: %d bytes, liblz4 makes %d", name, n, want[0])
		}
		if n := lz4.EncodeHC(block, data, 9); n > want[1]*11/10 {
			t.Errorf("%s: %d bytes, liblz4 makes %d", name, n, want[1])
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, data := range samples() {
		f.Add(data[:min(len(data), 2000)], 1, 2000)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, level, room int) {
		for _, dst := range [][]byte{make([]byte, lz4.Bound(len(data))), make([]byte, room&0xfff)} {
			for _, encode := range []func(dst, src []byte, level int) int{lz4.Encode, lz4.EncodeHC} {
				n := encode(dst, data, level%8)
				if n == 0 {
					if len(dst) >= lz4.Bound(len(data)) {
						t.Fatal("does not fit into its bound")
					}
					continue
				}
				back := make([]byte, len(data))
				if k, err := lz4.Decode(back, dst[:n]); err != nil || !bytes.Equal(back[:k], data) {
					t.Fatalf("%d of %d bytes, %v", k, len(data), err)
				}
				if problem := ending(dst[:n], len(data)); problem != "" {
					t.Fatal(problem)
				}
			}
		}
	})
}

func ExampleEncode() {
	data := bytes.Repeat([]byte("abc"), 1000)
	block := make([]byte, lz4.Bound(len(data)))
	n := lz4.Encode(block, data, 1)
	fmt.Println(n, lz4.Encode(block[:10], data, 1))
	// Output: 24 0
}
