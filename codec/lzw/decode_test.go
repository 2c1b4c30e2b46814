package lzw_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

var errCorrupt = errors.New("corrupt")

// plain is LZW as books have it, with the rules of libtiff: a table of prefixes
// and last bytes, one code after the other.
func plain(size int, src []byte) (out []byte, err error) {
	var prefix [4096]int
	var last [4096]byte
	var s []byte // what a code stands for
	str := func(code int) {
		s = s[:0]
		for ; code >= 258; code = prefix[code] {
			s = append(s, last[code])
		}
		s = append(s, byte(code))
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			s[i], s[j] = s[j], s[i]
		}
	}
	old := len(src) > 1 && src[0] == 0 && src[1]&1 == 1
	late := 0
	if old {
		late = 1
	}
	width, next, prev, first := 9, 258, -1, true
	for bit := 0; len(out) < size; first = false {
		if bit+width > 8*len(src) {
			return out, lzw.ErrNoEnd
		}
		code := 0
		for i := range width {
			at := bit + i
			if old {
				code |= int(src[at/8]>>(at%8)&1) << i
			} else {
				code = code<<1 | int(src[at/8]>>(7-at%8)&1)
			}
		}
		bit += width
		switch {
		case first && code != 256:
			return out, errCorrupt
		case code == 257:
			return out, nil
		case code == 256:
			width, next, prev = 9, 258, -1
			continue
		case prev < 0 && code > 257 || code > next:
			return out, errCorrupt
		}
		if code == next {
			str(prev)
			s = append(s, s[0])
		} else {
			str(code)
		}
		if prev >= 0 && next < 4096 {
			prefix[next], last[next] = prev, s[0]
			if next++; next > 1<<width-2+late && width < 12 {
				width++
			}
		}
		prev = code
		out = append(out, s[:min(len(s), size-len(out))]...)
	}
	return out, nil
}

// guard lies behind the memory that is decoded into.
var guard = bytes.Repeat([]byte{0xa5}, 64)

// room is what comparePlain decodes into: to clear new memory took most of the time.
var room []byte

// comparePlain decodes data into size bytes, and less, and finds what plain does.
func comparePlain(t *testing.T, data []byte, size int) {
	t.Helper()
	want, wantErr := plain(size, data)
	check := func(size int, want []byte, wantErr error) {
		t.Helper()
		if len(room) < size+len(guard) {
			room = make([]byte, size+len(guard))
		}
		dst := room[:size+len(guard)]
		copy(dst[size:], guard)
		n, err := lzw.Decode(dst[:size], data)
		if !bytes.Equal(dst[:n], want) {
			t.Fatalf("%d bytes for %d: %d came out, not %d, or others", len(data), size, n, len(want))
		}
		if (err == nil) != (wantErr == nil) || errors.Is(err, lzw.ErrNoEnd) != (wantErr == lzw.ErrNoEnd) {
			t.Fatalf("%d bytes for %d: %v, want %v", len(data), size, err, wantErr)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "LZW: ") || !errors.Is(err, codec.ErrData)) {
			t.Fatalf("error %q", err)
		}
		if !bytes.Equal(dst[size:], guard) {
			t.Fatal("wrote behind the end")
		}
	}
	check(size, want, wantErr)
	for _, n := range []int{len(want), len(want) - 1, len(want) - 9, len(want) / 2, 40, 1, 0} {
		if n >= 0 && n <= len(want) {
			check(n, want[:n], nil)
		}
	}
	if got, err := lzw.AppendDecode([]byte("ab"), data, size); err == nil && (wantErr != nil || !bytes.Equal(got[2:], want)) {
		t.Fatalf("AppendDecode gives %d bytes, not %d", len(got)-2, len(want))
	} else if err != nil && wantErr == nil && len(want) < size {
		t.Fatalf("AppendDecode says %v", err)
	}
}

// codes writes codes in either order of bits, each of the width it must have.
type codes struct {
	old         bool
	data        []byte
	bit         int
	width, next int
}

func (c *codes) put(code int) {
	for i := range c.width {
		if c.bit%8 == 0 {
			c.data = append(c.data, 0)
		}
		if c.old {
			c.data[c.bit/8] |= byte(code>>i&1) << (c.bit % 8)
		} else {
			c.data[c.bit/8] |= byte(code>>(c.width-1-i)&1) << (7 - c.bit%8)
		}
		c.bit++
	}
	late := 0
	if c.old {
		late = 1
	}
	switch {
	case code == 256:
		c.width, c.next = 9, 257
	case c.next < 4096:
		if c.next++; c.next > 1<<c.width-2+late && c.width < 12 {
			c.width++
		}
	}
}

// stream makes codes by chance that could be all that an encoder writes: few
// literals or many, strings as soon as they are known, clear codes early, late
// or never.
func stream(r *rand.Rand, n int, old bool) []byte {
	c := codes{old: old, width: 9}
	c.put(256)
	literals, newest, clears := r.IntN(100), r.IntN(30), r.IntN(3)*r.IntN(3)
	for range n {
		switch p := r.IntN(100); {
		case r.IntN(1000) < clears || clears > 0 && c.next >= 4094:
			c.put(256)
		case c.next < 259 || p < literals:
			c.put(r.IntN(256))
		case r.IntN(100) < newest && c.next < 4096:
			c.put(c.next)
		default:
			c.put(258 + r.IntN(c.next-258))
		}
	}
	c.put(257)
	return c.data
}

// Every width, full tables, strings of all lengths, whole, damaged and cut.
func TestDecodeIsPlainLZW(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rounds := thorough.Least(6, 30, 150)
	if testing.Short() {
		rounds = min(rounds, 30)
	}
	for i := range rounds {
		data := stream(r, r.IntN(6000), i%3 == 2)
		comparePlain(t, data, 1<<17)
		for range 3 {
			bad := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
			}
			comparePlain(t, bad[:len(bad)-r.IntN(len(bad))/8], 1<<17)
		}
	}
}

func TestErrorsHaveNumbers(t *testing.T) {
	whole := lzw.AppendEncode(nil, bytes.Repeat([]byte("abc"), 1000))
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "LZW: data ends without an end code: 0 bytes give 0", nil},
		{"cut", "LZW: data ends without an end code: 100 bytes give 1305", whole[:100]},
		{"no clear code", "LZW: code 48 stands where only the clear code 256 can, at byte 0", []byte{0x18, 0x60, 0x20}},
		{"unknown", "LZW: code 300 stands where 258 are known, at byte 2, behind 1 decoded bytes", []byte{0x80, 0x18, 0x65, 0x80}},
		{"old, unknown", "LZW: code 300 stands where 258 are known, at byte 2, behind 1 decoded bytes", []byte{0x00, 0xc3, 0xb0, 0x04}},
	} {
		if _, err := lzw.Decode(make([]byte, 3001), c.data); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What stands behind the code that fills dst may be anything.
func TestAFullBufferIsNoError(t *testing.T) {
	data := bytes.Repeat([]byte("abcd"), 100)
	packed := lzw.AppendEncode(nil, data)
	for _, tail := range [][]byte{nil, packed[len(packed)-1:], bytes.Repeat([]byte{0xff}, 40)} {
		dst := make([]byte, len(data))
		n, err := lzw.Decode(dst, append(packed[:len(packed)-1:len(packed)-1], tail...))
		if n != len(data) || err != nil || !bytes.Equal(dst, data) {
			t.Errorf("%d bytes behind: %d, %v", len(tail), n, err)
		}
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget")
	}
	data := bytes.Repeat([]byte("abcd"), 1000)
	packed, dst := lzw.AppendEncode(nil, data), make([]byte, len(data))
	room := make([]byte, 0, 8<<10)
	if n := testing.AllocsPerRun(100, func() {
		lzw.Decode(dst, packed)
		lzw.AppendDecode(dst[:0], packed, len(dst))
		lzw.AppendEncode(room, data)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// What is not known to be large gets its room step by step, but in few steps.
func TestRoomGrowsFast(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget")
	}
	packed := lzw.AppendEncode(nil, make([]byte, 1<<20))
	if n := testing.AllocsPerRun(3, func() {
		if got, err := lzw.AppendDecode(nil, packed, 1<<40); len(got) != 1<<20 || err != nil {
			t.Fatal(len(got), err)
		}
	}); n > 12 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 1<<18)
	for i := range data {
		data[i] = byte(r.NormFloat64() * 3)
	}
	packed, dst := lzw.AppendEncode(nil, data), make([]byte, len(data))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := lzw.Decode(dst, packed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 1<<18)
	for i := range data {
		data[i] = byte(r.NormFloat64() * 3)
	}
	var packed []byte
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		packed = lzw.AppendEncode(packed[:0], data)
	}
}

func ExampleDecode() {
	packed := lzw.AppendEncode(nil, []byte("tobeornottobeortobeornot"))
	dst := make([]byte, 100)
	n, err := lzw.Decode(dst, packed)
	fmt.Println(string(dst[:n]), err)
	n, err = lzw.Decode(dst, packed[:10])
	fmt.Println(string(dst[:n]), errors.Is(err, lzw.ErrNoEnd), err)
	// Output:
	// tobeornottobeortobeornot <nil>
	// tobeorn true LZW: data ends without an end code: 10 bytes give 7
}
