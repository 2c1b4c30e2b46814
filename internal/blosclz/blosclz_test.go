package blosclz_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/blosclz"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// lcg makes numbers that other languages make as easily.
type lcg uint32

func (r *lcg) next() int {
	*r = *r*1664525 + 1013904223
	return int(*r >> 16)
}

// plane is a byte that wanders slowly, as the high bytes of an image do.
func plane(n int) []byte {
	r, v := lcg(1), byte(100)
	out := make([]byte, n)
	for i := range out {
		switch r.next() & 15 {
		case 0:
			v++
		case 1:
			v--
		}
		out[i] = v
	}
	return out
}

// words are text with runs of noise in it.
func words(n int) []byte {
	var out []byte
	for r := lcg(2); len(out) < n; {
		k := r.next() % 97
		out = fmt.Appendf(out, "word%d, ", k)
		if k%7 == 0 {
			for range k {
				out = append(out, byte(r.next()))
			}
		}
	}
	return out[:n]
}

func noise(n int) []byte {
	r := lcg(3)
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.next())
	}
	return out
}

// far repeats itself from further than a short distance can tell.
func far() []byte {
	return append(append(noise(9000), noise(9000)...), make([]byte, 20000)...)
}

func samples() map[string][]byte {
	var periods []byte
	for period := range 60 {
		for i := range 300 {
			periods = append(periods, byte(i%(period+1)*7+period))
		}
	}
	return map[string][]byte{
		"one": {7}, "two": {7, 7}, "twelve": make([]byte, 12), "thirteen": make([]byte, 13), "fourteen": make([]byte, 14),
		"zeros": make([]byte, 1<<20), "plane": plane(200_000), "words": words(100_000), "noise": noise(100_000),
		"far": far(), "further": append(noise(73_000), noise(73_000)...), "too far": append(noise(74_000), noise(74_000)...),
		"periods": periods,
	}
}

// The streams in testdata were cut out of frames that c-blosc 1.21.7.dev, which
// is in numcodecs 0.17.1, made at levels 5 and 9.
func TestStreamsOfBlosc(t *testing.T) {
	for name, want := range map[string][]byte{"plane": plane(12000), "words": words(12000), "far": far()} {
		for _, level := range []int{5, 9} {
			stream, err := os.ReadFile(fmt.Sprintf("testdata/%s-%d.blosclz", name, level))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(want)+100)
			for _, room := range []int{len(want), len(want) + 1, len(got)} {
				n, err := blosclz.Decode(got[:room], stream)
				if err != nil || !bytes.Equal(got[:n], want) {
					t.Errorf("%s at %d into %d: %d bytes, %v", name, level, room, n, err)
				}
			}
			if n, err := blosclz.Decode(got[:len(want)-1], stream); !errors.Is(err, blosclz.ErrRoom) {
				t.Errorf("%s at %d into too little: %d bytes, %v", name, level, n, err)
			}
			own := make([]byte, len(want))
			if n := blosclz.Encode(own, want, level); n == 0 || n > len(stream)*11/10 {
				t.Errorf("%s at %d: %d bytes, c-blosc makes %d", name, level, n, len(stream))
			}
		}
	}
}

func TestWhatIsPackedIsUnpacked(t *testing.T) {
	all := samples()
	for level := 0; level < 11; level += thorough.Least(5, 1, 1) {
		for name, data := range all {
			if !strings.Contains(name, "f") { // what comes again far behind
				data = data[:min(len(data), thorough.Least(10_000, len(data), len(data)))]
			}
			stream := make([]byte, len(data)+len(data)/32+10)
			n := blosclz.Encode(stream, data, level)
			if n == 0 {
				t.Errorf("%s at %d: did not fit", name, level)
				continue
			}
			got := make([]byte, len(data))
			k, err := blosclz.Decode(got, stream[:n])
			if err != nil || !bytes.Equal(got[:k], data) {
				t.Errorf("%s at %d: %d of %d bytes, %v", name, level, k, len(data), err)
			}
			if stream[0]>>5 != 1 {
				t.Errorf("%s at %d: begins with %#x", name, level, stream[0])
			}
			if want, ok := reference(stream[:n], len(data)); !ok || !bytes.Equal(want, data) {
				t.Errorf("%s at %d: not for other decoders", name, level)
			}
		}
	}
	if n := blosclz.Encode(make([]byte, 100), nil, 5); n != 0 {
		t.Errorf("nothing became %d bytes", n)
	}
}

// A stream is made whenever it fits, and nothing is written behind the room.
func TestAnyRoom(t *testing.T) {
	for name, data := range samples() {
		data = data[:min(len(data), 700)]
		bound := len(data) + len(data)/32 + 10
		whole := blosclz.Encode(make([]byte, bound), data, 9)
		for room := range bound + 1 {
			dst := make([]byte, room+8)
			copy(dst[room:], "sentinel")
			n := blosclz.Encode(dst[:room:room], data, 9)
			if string(dst[room:]) != "sentinel" || n > room {
				t.Fatalf("%s: %d bytes into %d: %q behind", name, n, room, dst[room:])
			}
			if n != 0 && n != whole || n == 0 && room >= whole+8 {
				t.Fatalf("%s: %d bytes into %d, %d with more room", name, n, room, whole)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	for stream, want := range map[string]string{
		"":                                 "damaged at byte 0 of 0: there is nothing",
		"\x20":                             "damaged at byte 1 of 1: ends inside of literals",
		"\x21a":                            "damaged at byte 1 of 2: ends inside of literals",
		"\x20a\x20":                        "damaged at byte 3 of 3: ends inside of a distance",
		"\x20a\xe0":                        "damaged at byte 3 of 3: ends inside of a length",
		"\x20a\xe0\xff":                    "room",
		"\x20a\xe0\x01":                    "damaged at byte 4 of 4: ends inside of a distance",
		"\x20a\x3f\xff\x00":                "damaged at byte 4 of 5: ends inside of a distance",
		"\x20a\x3f\xff\x00\x00\x00a":       "a match refers to what is not there",
		"\x20a\x20\x01\x00a":               "a match refers to what is not there",
		"\x20a\xe0\x5b\x00\x00a":           "room",
		"\x20a\x20\x00\x1f" + text(32):     "",
		"\x20a\xe0\x5a\x00":                "",
		"\x20a":                            "",
		"\x00a":                            "",
		strings.Repeat("\x1f"+text(32), 4): "room",
	} {
		n, err := blosclz.Decode(make([]byte, 101), []byte(stream))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %d bytes, %v; want %s", stream, n, err, want)
		}
	}
}

func text(n int) string { return strings.Repeat("x", n) }

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	data := words(50_000)
	stream, back := make([]byte, len(data)), make([]byte, len(data))
	if n := testing.AllocsPerRun(20, func() { blosclz.Decode(back, stream[:blosclz.Encode(stream, data, 5)]) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, data := range samples() {
		data = data[:min(len(data), 3000)]
		stream := make([]byte, 2*len(data)+10)
		stream = stream[:blosclz.Encode(stream, data, 5)]
		f.Add(stream, len(data))
		stream = bytes.Clone(stream)
		stream[r.IntN(len(stream))] ^= 0x55
		f.Add(stream, len(data))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, stream []byte, room int) {
		room &= 1<<16 - 1
		dst := make([]byte, room+8)
		copy(dst[room:], "sentinel")
		n, err := blosclz.Decode(dst[:room], stream)
		if n > room || string(dst[room:]) != "sentinel" {
			t.Fatalf("%d bytes in %d, then %q", n, room, dst[room:])
		}
		if want, ok := reference(stream, room); ok && (err != nil || !bytes.Equal(dst[:n], want)) {
			t.Fatalf("%d bytes, %v; want %d", n, err, len(want))
		}
		packed := make([]byte, len(stream)+len(stream)/32+10)
		if packed = packed[:blosclz.Encode(packed, stream, room%10)]; len(packed) == 0 {
			if len(stream) > 0 {
				t.Fatal("does not fit")
			}
			return
		}
		if back, ok := reference(packed, len(stream)); !ok || !bytes.Equal(back, stream) {
			t.Fatalf("%d of %d bytes", len(back), len(stream))
		}
	})
}

// reference unpacks byte by byte, and wants a literal at the end as c-blosc does.
func reference(stream []byte, room int) (out []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	take := func() int {
		b := stream[0]
		stream = stream[1:]
		return int(b)
	}
	for control := take() & 31; ; control = take() {
		if control < 32 {
			for range control + 1 {
				out = append(out, byte(take()))
			}
			if len(stream) == 0 || len(out) > room {
				return out, len(out) <= room
			}
			continue
		}
		n := control>>5 + 2
		for more := 255; control>>5 == 7 && more == 255; {
			more = take()
			n += more
		}
		distance := control&31<<8 | take()
		if distance == 8191 {
			distance += take() << 8
			distance += take()
		}
		if len(out)+n > room {
			return nil, false
		}
		for range n {
			out = append(out, out[len(out)-distance-1])
		}
	}
}

func Example() {
	data := bytes.Repeat([]byte("abc"), 1000)
	stream := make([]byte, len(data))
	n := blosclz.Encode(stream, data, 5)
	back := make([]byte, len(data))
	k, err := blosclz.Decode(back, stream[:n])
	fmt.Println(n < 30, k, bytes.Equal(back, data), err)
	// Output: true 3000 true <nil>
}
