package lz4_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/lz4"
)

// The blocks in testdata were made by liblz4: LZ4_compress_fast of 1.10.0, which
// is in numcodecs 0.17.1, and, those with hc in their names, LZ4_compress_HC of
// 1.9.4 at level 9.
func TestBlocksOfLiblz4(t *testing.T) {
	for name, want := range map[string][]byte{"plane": plane(12000), "words": words(12000), "noise": noise(600)} {
		for _, suffix := range []string{"", "-hc"} {
			block, err := os.ReadFile("testdata/" + name + suffix + ".lz4")
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(want)+100)
			for _, room := range []int{len(want), len(want) + 1, len(got)} {
				n, err := lz4.Decode(got[:room], block)
				if err != nil || !bytes.Equal(got[:n], want) {
					t.Errorf("%s%s into %d: %d bytes, %v", name, suffix, room, n, err)
				}
			}
			if n, err := lz4.Decode(got[:len(want)-1], block); !errors.Is(err, lz4.ErrRoom) {
				t.Errorf("%s%s into too little: %d bytes, %v", name, suffix, n, err)
			}
		}
	}
}

func TestAllLengthsAndDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		block, want := made(r, r.IntN(60))
		got := make([]byte, len(want))
		n, err := lz4.Decode(got, block)
		if err != nil || !bytes.Equal(got[:n], want) {
			t.Fatalf("%d of %d bytes, %v", n, len(want), err)
		}
	}
}

func TestDamage(t *testing.T) {
	for block, want := range map[string]string{
		"":                                 "damaged at byte 0 of 0: ends where literals should follow",
		"\x10":                             "damaged at byte 1 of 1: ends inside of literals",
		"\xf0":                             "damaged at byte 1 of 1: ends inside of a length",
		"\xf0\xff":                         "room",
		"\x10a\x01":                        "damaged at byte 2 of 3: ends inside of a distance",
		"\x10a\x00\x00\x00":                "damaged at byte 2 of 5: a match refers to what is not there",
		"\x10a\x02\x00\x00":                "damaged at byte 2 of 5: a match refers to what is not there",
		"\x10a\x01\x00":                    "damaged at byte 4 of 4: ends where literals should follow",
		"\x1fa\x01\x00":                    "damaged at byte 4 of 4: ends inside of a length",
		"\x1fa\x01\x00\xff":                "room",
		"\x1fa\x01\x00\x60\x00":            "room",
		"\xf0\x60" + text(117):             "room",
		"\x00":                             "",
		"\x10a":                            "",
		"\x10a\x01\x00\x00":                "",
		"\x1fa\x01\x00\x50\x00":            "",
		"\xf0\x55" + text(100):             "",
		"\x10a\x01\x00\x50abcde":           "",
		"\x10a\x01\x00\x50abcd":            "ends inside of literals",
		"\xf0\x32" + text(65) + "\x42":     "ends inside of a distance",
		"\xf0\x32" + text(65) + "\x42\x00": "what is not there",
	} {
		n, err := lz4.Decode(make([]byte, 100), []byte(block))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %d bytes, %v; want %s", block, n, err, want)
		}
	}
}

func text(n int) string { return strings.Repeat("x", n) }

// Lengths in bytes of 255 each cannot make a number overflow or the work long.
func TestALengthStopsAtTheRoom(t *testing.T) {
	block := append([]byte{0xf0}, bytes.Repeat([]byte{255}, 1<<20)...)
	if _, err := lz4.Decode(make([]byte, 1000), block); !errors.Is(err, lz4.ErrRoom) {
		t.Error(err)
	}
	block = append([]byte{0x1f, 'a', 1, 0}, block[1:]...)
	if _, err := lz4.Decode(make([]byte, 1000), block); !errors.Is(err, lz4.ErrRoom) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 10 {
		block, _ := made(r, i)
		f.Add(block, 1000*i)
	}
	f.Add([]byte("\x1fa\x01\x00\xff\xff\xff"), 4096)
	fuzzlong.Fuzz(f, func(t *testing.T, block []byte, room int) {
		room &= 1<<16 - 1
		dst := make([]byte, room+8)
		copy(dst[room:], "sentinel")
		n, err := lz4.Decode(dst[:room], block)
		if n > room || string(dst[room:]) != "sentinel" {
			t.Fatalf("%d bytes in %d, then %q", n, room, dst[room:])
		}
		if want, ok := reference(block, room); ok != (err == nil) || ok && !bytes.Equal(dst[:n], want) {
			t.Fatalf("%d bytes, %v; want %d, %v", n, err, len(want), ok)
		}
	})
}

// reference unpacks byte by byte.
func reference(block []byte, room int) (out []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	take := func(n int) []byte {
		b := block[:n]
		block = block[n:]
		return b
	}
	length := func(n int) int {
		for more := 255; n >= 15 && more == 255; {
			more = int(take(1)[0])
			n += more
		}
		return n
	}
	for {
		token := int(take(1)[0])
		out = append(out, take(length(token>>4))...)
		if len(block) == 0 || len(out) > room {
			return out, len(out) <= room
		}
		b := take(2)
		distance := int(b[0]) | int(b[1])<<8
		n := length(token&15) + 4
		if distance == 0 || len(out)+n > room {
			return nil, false
		}
		for range n {
			out = append(out, out[len(out)-distance])
		}
	}
}

func ExampleDecode() {
	// A token for three literals and a match of nine bytes, the literals, the
	// distance 3; a token for one literal, the literal.
	block := []byte("\x35abc\x03\x00\x10!")
	dst := make([]byte, 20)
	n, err := lz4.Decode(dst, block)
	fmt.Printf("%s %v\n", dst[:n], err)
	// Output: abcabcabcabc! <nil>
}
