package inflate

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

const guard = 64

// room is what decode decodes into: to clear new memory took most of the time.
var room []byte

// decode decodes into n bytes and checks that none behind them changes. What it gives
// is there until it is called again.
func decode(t testing.TB, src []byte, n int) ([]byte, int, error) {
	t.Helper()
	if len(room) < n+guard {
		room = make([]byte, n+guard)
	}
	buf := room[:n+guard]
	for i := range guard {
		buf[n+i] = 0xa5
	}
	got, used, err := Decode(buf[:n:n], src)
	for i, b := range buf[n:] {
		if b != 0xa5 {
			t.Fatalf("byte %d behind the room was written", i)
		}
	}
	if got < 0 || got > n || used < 0 || used > len(src) {
		t.Fatalf("%d bytes of %d, read %d of %d", got, n, used, len(src))
	}
	return buf[:got], used, err
}

// compare checks that src becomes what the standard library makes of it, for
// several amounts of room, or is refused as there.
func compare(t testing.TB, r *rand.Rand, src []byte) {
	t.Helper()
	const limit = 1 << 18
	want, read, bad := standard(src, limit)
	switch {
	case bad != nil:
		// The standard library keeps up to 32 KiB back, so that there may be more than limit.
		size := min(limit, len(want)+1<<16)
		got, _, err := decode(t, src, size)
		if full := errors.Is(err, ErrFull) && size == limit; !full && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d bytes, %v where the standard library says %v", len(got), err, bad)
		}
		n := min(len(got), len(want))
		if !bytes.Equal(got[:n], want[:n]) {
			t.Fatalf("other bytes before %v", err)
		}
		// All that is there comes out.
		if n < len(want) && errors.Is(err, ErrTruncated) && errors.Is(bad, io.ErrUnexpectedEOF) {
			t.Fatalf("%d bytes of %d before %v", n, len(want), err)
		}
	case len(want) > limit:
		if got, _, err := decode(t, src, limit); err == nil || !bytes.Equal(got, want[:len(got)]) {
			t.Fatalf("%d bytes, %v where there are more", len(got), err)
		}
	default:
		for _, more := range []int{0, 1, r.IntN(400), r.IntN(40000)} {
			got, used, err := decode(t, src, len(want)+more)
			if err != nil || used != read || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of %d, read %d of %d, %v", len(got), len(want), used, read, err)
			}
		}
		if len(want) > 0 {
			for _, n := range []int{0, len(want) - 1, r.IntN(len(want))} {
				if got, _, err := decode(t, src, n); !errors.Is(err, ErrFull) || !bytes.Equal(got, want[:n]) {
					t.Fatalf("%d bytes, %v in room for %d of %d", len(got), err, n, len(want))
				}
			}
		}
		out, used, err := Append([]byte("pre"), src, len(want))
		if err != nil || used != read || string(out[:3]) != "pre" || !bytes.Equal(out[3:], want) {
			t.Fatalf("appended %d bytes of %d, read %d of %d, %v", len(out)-3, len(want), used, read, err)
		}
	}
}

// damage changes, cuts or mixes a stream.
func damage(r *rand.Rand, src []byte) []byte {
	src = bytes.Clone(src)
	for range 1 + r.IntN(3) {
		if len(src) == 0 {
			break
		}
		// Mostly near the start, where the codes are.
		at := r.IntN(1 + r.IntN(len(src)))
		switch r.IntN(4) {
		case 0:
			src[at] ^= 1 << r.IntN(8)
		case 1:
			src[at] = byte(r.Uint32())
		case 2:
			src = src[:len(src)-r.IntN(min(len(src), 1+r.IntN(300)))]
		case 3:
			n := min(r.IntN(20), len(src)-at)
			src = append(src[:at], src[at+n:]...)
		}
	}
	return src
}

// rounds is how often to repeat what is random: n times where there is time.
func rounds(n int) int {
	return thorough.Rounds(n)
}

func TestStreamsOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rounds(240) {
		size := r.IntN(1 + r.IntN(thorough.Of(100_000, 300_000)))
		if i%2 == 0 {
			size = r.IntN(3000)
		}
		data := sample(r, size)
		src := deflated(t, data, i%12-2)
		if got, _, err := decode(t, src, size); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes of %d, %v", len(got), size, err)
		}
		compare(t, r, append(src, 1, 2, 3)) // what follows is not read
		for range 4 {
			compare(t, r, damage(r, src))
		}
		cut := src[:r.IntN(len(src))]
		if got, _, err := decode(t, cut, size+1); !errors.Is(err, ErrTruncated) || !bytes.HasPrefix(data, got) {
			t.Fatalf("%d of %d bytes: %v", len(cut), len(src), err)
		}
	}
}

// A stream that is cut anywhere gives what is before the cut, and says so.
func TestStreamsThatAreCut(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	lit, off := fixedCodes()
	s := new(stream)
	s.stored(false, []byte("stored"))
	s.block(false, 1)
	for range 100 {
		s.symbol(lit, r.IntN(256))
		s.match(lit, off, minMatch+r.IntN(maxMatch-minMatch), 1+r.IntN(7))
	}
	s.symbol(lit, endOfBlock)
	lens := randomLens(r, numLits, map[int]bool{'a': true, endOfBlock: true, endOfBlock + 20: true, endOfBlock + 28: true})
	lit, off = canonical(lens), canonical(lensWith(numOffs, map[int]uint8{2: 1, 20: 1}))
	s.header(true, lit.lens, off.lens)
	for range 100 {
		s.symbol(lit, 'a')
		s.symbol(lit, endOfBlock+20)
		s.bits(r.Uint64(), 3) // added to the length
		s.symbol(off, 20)
		s.bits(r.Uint64(), 9) // added to the distance
		s.symbol(lit, endOfBlock+28)
		s.bits(r.Uint64(), 5)
		s.symbol(off, 2)
	}
	s.symbol(lit, endOfBlock)
	want, _, bad := standard(s.b, 1<<20)
	if bad != nil {
		t.Fatal(bad)
	}
	compare(t, r, s.b)
	for n := 0; n < len(s.b); n += thorough.Least(11, 1, 1) {
		least, _, _ := standard(s.b[:n], 1<<20)
		for _, room := range []int{len(want), len(want) + 1000} {
			got, _, err := decode(t, s.b[:n], room)
			if !errors.Is(err, ErrTruncated) || !bytes.HasPrefix(want, got) || len(got) < len(least) {
				t.Fatalf("%d bytes of %d: %d bytes, %v", n, len(s.b), len(got), err)
			}
		}
	}
}

func TestStreamsWithUnusualCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	good := 0
	for range rounds(400) {
		src := randomStream(r, 1+r.IntN(1+r.IntN(60_000)))
		compare(t, r, src)
		for range 4 {
			compare(t, r, damage(r, src))
		}
		if _, _, err := standard(src, 1<<20); err == nil {
			good++
		}
	}
	if good < rounds(400)/2 {
		t.Errorf("only %d streams are right", good)
	}
}

// Every length from every distance up to 300, and every distance of the window,
// in the middle of the buffers and at their ends.
func TestMatchesOfAllLengthsAndDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	window := make([]byte, 1<<15)
	for i := range window {
		window[i] = byte(r.Uint32())
	}
	lit, off := fixedCodes()
	check := func(matches [][2]int) {
		t.Helper()
		s := new(stream)
		s.stored(false, window)
		s.block(true, 1)
		want := bytes.Clone(window)
		for _, m := range matches {
			s.symbol(lit, 'x')
			want = append(want, 'x')
			s.match(lit, off, m[0], m[1])
			for range m[0] {
				want = append(want, want[len(want)-m[1]])
			}
		}
		s.symbol(lit, endOfBlock)
		for _, n := range []int{len(want), len(want) + 1000} {
			if got, used, err := decode(t, s.b, n); err != nil || used != len(s.b) || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of %d, read %d of %d, %v", len(got), len(want), used, len(s.b), err)
			}
		}
	}
	for length := minMatch; length <= maxMatch; length += thorough.Step(5) { // 258 is one of them
		var list [][2]int
		for distance := 1; distance <= 300; distance++ {
			list = append(list, [2]int{length, distance})
		}
		check(list)
		check(list[:1+length%40])
	}
	for at := 0; at < 1<<15; at += thorough.Step(1) << 10 {
		var list [][2]int
		for i := range 1 << 10 {
			list = append(list, [2]int{minMatch + r.IntN(10), at + i + 1})
		}
		check(list)
	}
}

// A decoder that was given too little room goes on where it stopped.
func TestRoomThatComesInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range rounds(200) {
		src := randomStream(r, 1+r.IntN(30_000))
		want, read, bad := standard(src, 1<<20)
		if bad != nil || len(want) > 1<<20 {
			continue
		}
		buf := bytes.Repeat([]byte{0xa5}, len(want)+guard)
		d := newDecoder(src)
		step := 1 + r.IntN(2000)
		for n := 0; ; n += r.IntN(step) {
			n = min(n, len(want))
			err := d.run(buf[:n:n])
			if err == nil {
				break
			}
			if !errors.Is(err, ErrFull) || n == len(want) || d.op != n {
				t.Fatalf("%v in room for %d of %d, %d filled", err, n, len(want), d.op)
			}
			for i := n; i < len(buf); i++ {
				if buf[i] != 0xa5 {
					t.Fatalf("byte %d behind the room was written", i-n)
				}
			}
		}
		if d.used() != read || !bytes.Equal(buf[:d.op], want) {
			t.Fatalf("%d bytes of %d, read %d of %d", d.op, len(want), d.used(), read)
		}
		d.release()
	}
}
