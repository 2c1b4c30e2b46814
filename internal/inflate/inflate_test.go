package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// lensWith are n lengths of codes, 0 but for those given.
func lensWith(n int, of map[int]uint8) []uint8 {
	lens := make([]uint8, n)
	for s, l := range of {
		lens[s] = l
	}
	return lens
}

func TestErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	made := func(f func(s *stream)) []byte {
		s := new(stream)
		f(s)
		return s.b
	}
	dynamic := func(lit, off map[int]uint8, f func(s *stream, lit, off codes)) []byte {
		s := new(stream)
		l, o := lensWith(numLits, lit), lensWith(numOffs, off)
		s.header(true, l, o)
		if f != nil {
			f(s, canonical(l), canonical(o))
		}
		s.bits(0, 64) // more than enough follows
		return s.b
	}
	lit, off := fixedCodes()
	fixedBlock := func(f func(s *stream)) []byte {
		return made(func(s *stream) {
			s.block(true, 1)
			s.symbol(lit, 'a')
			f(s)
		})
	}
	for _, c := range []struct {
		src  []byte
		kind error
		want string
	}{
		{nil, ErrTruncated, "its 0 bytes end within the header of a block, behind 0 decoded ones"},
		{[]byte{7}, ErrCorrupt, "at byte 1 of 1, behind 0 decoded ones: block of kind 3"},
		{[]byte{1, 1, 0, 0xfe}, ErrTruncated, "its 4 bytes end within the header of a stored block"},
		{[]byte{1, 1, 0, 0xfd, 0xff}, ErrCorrupt, "length 0001 of a stored block, which is also given as 0002"},
		{[]byte{1, 2, 0, 0xfd, 0xff, 'x'}, ErrTruncated, "its 6 bytes end within a stored block, behind 1 decoded ones"},
		{[]byte{5}, ErrTruncated, "the codes of a block"},
		{[]byte{5, 0, 0}, ErrTruncated, "the codes of a block"},
		{[]byte{0xf5, 0, 0}, ErrCorrupt, "codes for 287 literals and lengths and 1 distances"},
		{[]byte{5, 0x1e, 0}, ErrCorrupt, "codes for 257 literals and lengths and 31 distances"},
		{made(func(s *stream) { s.bits(5, 17); s.bits(0xfff, 12); s.bits(0, 30) }), ErrCorrupt, "codes for lengths of codes that leave some without a meaning"},
		{made(func(s *stream) { s.bits(5, 17); s.bits(0x249, 12); s.bits(0, 30) }), ErrCorrupt, "more codes for lengths of codes than there can be"},
		{made(func(s *stream) { s.bits(5, 17); s.bits(0, 12); s.bits(0, 30) }), ErrCorrupt, "code without a meaning among the lengths of codes"},
		// Two codes of one bit: to repeat the last, and to repeat 0 many times.
		{made(func(s *stream) { s.bits(5, 17); s.bits(1|1<<6, 12); s.bits(0, 30) }), ErrCorrupt, "repeats the length of a code before the first"},
		{made(func(s *stream) { s.bits(5, 17); s.bits(1|1<<6, 12); s.bits(1<<30-1, 30) }), ErrCorrupt, "138 lengths of codes where 120 are left"},
		{made(func(s *stream) {
			s.bits(5, 17)
			s.bits(1|1<<6, 12)
			s.bits(1|127<<1, 8)
			s.bits(1|(121-11)<<1, 8)
			s.bits(0, 30)
		}), ErrCorrupt, "121 lengths of codes where 120 are left"},
		{made(func(s *stream) { s.bits(5, 17); s.bits(1|1<<6, 12); s.bits(1, 2) }), ErrTruncated, "the codes of a block"},
		{dynamic(map[int]uint8{0: 1, 1: 1}, nil, nil), ErrCorrupt, "no code for the end of a block"},
		{dynamic(map[int]uint8{0: 1, 1: 1, endOfBlock: 1}, nil, nil), ErrCorrupt, "more codes for literals and lengths than there can be"},
		{dynamic(map[int]uint8{0: 1, endOfBlock: 2}, nil, nil), ErrCorrupt, "codes for literals and lengths that leave some without a meaning"},
		{dynamic(map[int]uint8{endOfBlock: 2}, nil, nil), ErrCorrupt, "codes for literals and lengths that leave some without a meaning"},
		{dynamic(map[int]uint8{endOfBlock: 1}, map[int]uint8{0: 2, 1: 2}, nil), ErrCorrupt, "codes for distances that leave some without a meaning"},
		{dynamic(map[int]uint8{endOfBlock: 1}, map[int]uint8{0: 1, 1: 1, 2: 1}, nil), ErrCorrupt, "more codes for distances than there can be"},
		{dynamic(map[int]uint8{endOfBlock: 1}, nil, func(s *stream, _, _ codes) { s.bits(1, 1) }), ErrCorrupt, noLength},
		{dynamic(map[int]uint8{'a': 2, 'b': 2, endOfBlock: 2, 257: 2}, nil, func(s *stream, l, _ codes) {
			s.symbol(l, 'a')
			s.symbol(l, 257)
		}), ErrCorrupt, noDistance},
		{dynamic(map[int]uint8{'a': 2, 'b': 2, endOfBlock: 2, 257: 2}, map[int]uint8{3: 1}, func(s *stream, l, _ codes) {
			s.symbol(l, 'a')
			s.symbol(l, 257)
			s.bits(1, 1)
		}), ErrCorrupt, noDistance},
		{fixedBlock(func(s *stream) { s.symbol(lit, 286); s.bits(0, 64) }), ErrCorrupt, noLength},
		{fixedBlock(func(s *stream) { s.symbol(lit, 257); s.symbol(off, 30) }), ErrCorrupt, noDistance},
		{fixedBlock(func(s *stream) { s.match(lit, off, 3, 2); s.bits(0, 64) }), ErrCorrupt, "behind 1 decoded ones: repeats what is 2 bytes back"},
		{fixedBlock(func(s *stream) {}), ErrTruncated, "its 2 bytes end within the symbols of a block, behind 1 decoded ones"},
	} {
		// With much behind, the fast loop finds it; else the careful one.
		for _, more := range []int{0, 1000} {
			if more > 0 && c.kind == ErrTruncated {
				continue
			}
			src := append(bytes.Clone(c.src), make([]byte, more)...)
			want := strings.ReplaceAll(c.want, fmt.Sprintf(" of %d,", len(c.src)), fmt.Sprintf(" of %d,", len(src)))
			_, _, err := decode(t, src, 1000)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), want) {
				t.Errorf("%x: %v, want %s", c.src, err, want)
			}
			if _, _, bad := standard(src, 1<<20); bad == nil {
				t.Errorf("%x: the standard library reads it", c.src)
			}
		}
	}
}

// A code of one bit may be the only one, and there may be none for distances.
func TestCodesThatAreAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, off := range []map[int]uint8{nil, {0: 1}, {29: 1}} {
		s := new(stream)
		s.header(true, lensWith(numLits, map[int]uint8{endOfBlock: 1}), lensWith(numOffs, off))
		s.bits(0, 1)
		if got, _, err := decode(t, s.b, 10); err != nil || len(got) != 0 {
			t.Errorf("%v: %d bytes, %v", off, len(got), err)
		}
		compare(t, r, s.b)
	}
}

func TestAppendStopsAtItsLimit(t *testing.T) {
	most := thorough.Least(1<<20, 2<<20, 8<<20)
	bomb := deflated(t, make([]byte, most), 9)
	for _, limit := range []int{-1, 0, 1, 511, 4096, most - 1} {
		out, _, err := Append([]byte("pre"), bomb, limit)
		if !errors.Is(err, ErrFull) || string(out) != "pre" {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
	for _, limit := range []int{most, most + 1<<20, math.MaxInt} {
		out, used, err := Append([]byte("pre"), bomb, limit)
		if err != nil || len(out) != 3+most || used != len(bomb) || cap(out) > 3*most {
			t.Errorf("limit %d: %d bytes in room for %d, %v", limit, len(out), cap(out), err)
		}
	}
	// What is not there is not asked for, however much is allowed.
	small := deflated(t, []byte("small"), 9)
	if out, _, err := Append(nil, small, math.MaxInt); err != nil || string(out) != "small" || cap(out) > 1024 {
		t.Errorf("%q in room for %d, %v", out, cap(out), err)
	}
	dst := make([]byte, 3, 8)
	if out, _, err := Append(dst, small, math.MaxInt); err != nil || &out[0] != &dst[0] || string(out[3:]) != "small" {
		t.Errorf("%q, %v: other memory than the caller's", out, err)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector lets pools forget")
	}
	data := sample(rand.New(rand.NewPCG(1, 1)), 100_000)
	src := deflated(t, data, 6)
	dst := make([]byte, len(data))
	if n := testing.AllocsPerRun(50, func() {
		if _, _, err := Decode(dst, src); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Append(dst[:0], src, len(data)); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecode(f *testing.F) {
	for name, src := range golden(f) {
		if strings.HasPrefix(name, "runs/") && len(src) < 2000 {
			f.Add(src)
		}
	}
	r := rand.New(rand.NewPCG(13, 14))
	for i := range 12 {
		f.Add(randomStream(r, 100+300*i))
		f.Add(deflated(f, sample(r, 500*i), i-2))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, src []byte) {
		compare(t, rand.New(rand.NewPCG(uint64(len(src)), 0)), src)
	})
}

// BenchmarkDecode compares with the standard library on noisy numbers of 16 bits
// and on runs.
func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(15, 16))
	noisy := make([]byte, 1<<20)
	for i := 0; i < len(noisy); i += 2 {
		v := 1000 + i/2%128*9 + i>>12 + r.IntN(20)*r.IntN(4)
		noisy[i], noisy[i+1] = byte(v), byte(v>>8)
	}
	runs := make([]byte, 1<<20)
	for i := range runs {
		runs[i] = byte(i/8) & byte(i)
	}
	for name, data := range map[string][]byte{"noisy": noisy, "runs": runs} {
		src := deflated(b, data, 6)
		dst := make([]byte, len(data))
		b.Run(name+"/here", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode(dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/standard", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			in := bytes.NewReader(nil)
			z := flate.NewReader(in)
			for b.Loop() {
				in.Reset(src)
				if err := z.(flate.Resetter).Reset(in, nil); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(z, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
