package gdeflate_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/gdeflate"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

var sizes = []int{0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 257, 258, 259, 1000, 8192, 8193, 40_000, 65_534, 65_535, 65_536}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	for name, make := range samples {
		for i, n := range sizes {
			if thorough.Least(n == 40_000 || n == 65_534 || n == 65_535, false, false) {
				continue
			}
			data := make(source(uint64(i)), n)
			for level := range gdeflate.MaxLevel + 1 {
				if n > 10_000 && (race.Enabled && level != 6 || !thorough.Enabled && (level%5 != 1 || level != 1 && n != gdeflate.PageSize)) {
					continue // it takes long
				}
				if thorough.Least(n > 300 && level%6 != 0, false, false) {
					continue
				}
				out := gdeflate.AppendEncode([]byte("pre"), data, level)
				if string(out[:3]) != "pre" || len(out)-3 > n+2*gdeflate.MinEncoded+8 {
					t.Fatalf("%s: %d bytes became %d at level %d", name, n, len(out)-3, level)
				}
				back := fill(n, func(i int) byte { return ^data[i] })
				used, err := gdeflate.Decode(back, append(out[3:], "behind"...))
				if err != nil || used != len(out)-3 || !bytes.Equal(back, data) {
					t.Fatalf("%s: %d bytes at level %d: used %d of %d, %v", name, n, level, used, len(out)-3, err)
				}
			}
		}
	}
}

func TestHigherLevelsCompressBetter(t *testing.T) {
	for name, make := range samples {
		data := make(source(1), thorough.Least(8<<10, 16<<10, gdeflate.PageSize))
		last := 1 << 20
		for _, level := range []int{0, 1, 6, 9, 12} {
			n := len(gdeflate.AppendEncode(nil, data, level))
			if n > last+last/100 {
				t.Errorf("%s: %d bytes at level %d, %d before", name, n, level, last)
			}
			last = n
		}
	}
}

func TestTruncatedPagesAreNoticed(t *testing.T) {
	for name, make := range samples {
		data := make(source(1), 3000)
		for _, level := range []int{0, 1, 12} {
			in := gdeflate.AppendEncode(nil, data, level)
			for n := 0; n < len(in); n += thorough.Step(12) {
				if _, err := gdeflate.Decode(data, in[:n:n]); err == nil {
					t.Fatalf("%s: %d of %d bytes were decoded at level %d", name, n, len(in), level)
				}
			}
		}
	}
}

func TestAPageHoldsWhatIsWanted(t *testing.T) {
	for name, make := range samples {
		for _, level := range []int{0, 1, 12} {
			in := gdeflate.AppendEncode(nil, make(source(1), 300), level)
			for _, n := range []int{0, 1, 299, 301, 1000} {
				if _, err := gdeflate.Decode(fill(n, func(int) byte { return 0 }), in); err == nil {
					t.Errorf("%s: %d of 300 bytes at level %d", name, n, level)
				}
			}
		}
	}
}

func TestDamageDoesNoHarm(t *testing.T) {
	r := source(9)
	for _, make := range samples {
		for level := range gdeflate.MaxLevel + 1 {
			good := gdeflate.AppendEncode(nil, make(r, 2000), level)
			for range thorough.Rounds(200) {
				bad := bytes.Clone(good)
				for range 1 + r.IntN(4) {
					bad[r.IntN(min(len(bad), 400))] ^= 1 << r.IntN(8)
				}
				_, _ = gdeflate.Decode(fill(2000, func(int) byte { return 0 }), bad)
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	data := samples["words"](source(1), 10_000)
	out := gdeflate.AppendEncode(nil, data, 6)
	n := testing.AllocsPerRun(20, func() {
		out = gdeflate.AppendEncode(out[:0], data, 6)
		if _, err := gdeflate.Decode(data, out); err != nil {
			t.Error(err)
		}
	})
	if n > 1 && !race.Enabled {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecode(f *testing.F) {
	for _, make := range samples {
		f.Add(gdeflate.AppendEncode(nil, make(source(1), 500), 0), uint16(500))
		f.Add(gdeflate.AppendEncode(nil, make(source(1), 500), 12), uint16(500))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, size uint16) {
		dst := make([]byte, size)
		if n, err := gdeflate.Decode(dst, data); err == nil {
			if n < gdeflate.MinEncoded || n > len(data) {
				t.Errorf("%d of %d bytes", n, len(data))
			}
			again := make([]byte, size)
			if _, err := gdeflate.Decode(again, gdeflate.AppendEncode(nil, dst, int(size%13))); err != nil || !bytes.Equal(again, dst) {
				t.Errorf("%d bytes encoded again: %v", size, err)
			}
		}
	})
}

func ExampleDecode() {
	page := gdeflate.AppendEncode(nil, []byte("some text"), 6)
	text := make([]byte, 9)
	n, err := gdeflate.Decode(text, page)
	fmt.Println(n == len(page), err)
	fmt.Println(string(text))
	// Output:
	// true <nil>
	// some text
}
