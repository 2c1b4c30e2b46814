package zstddec

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/xxh64"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

// frame puts a frame together: flags, what follows them, blocks.
func frame(flags byte, rest ...byte) []byte {
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, flags}, rest...)
}

// block is a block with its header.
func block(last bool, kind, size int, body ...byte) []byte {
	h := size<<3 | kind<<1
	if last {
		h |= 1
	}
	return append([]byte{byte(h), byte(h >> 8), byte(h >> 16)}, body...)
}

func TestWhatAFrameMaySay(t *testing.T) {
	x := strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		src  []byte
		want string // what it holds, or the error behind "!"
	}{
		"nothing":               {nil, ""},
		"a byte of size":        {frame(0x20, append([]byte{2}, block(true, 0, 2, 'a', 'b')...)...), "ab"},
		"two bytes of size":     {frame(0x60, append([]byte{44, 0}, block(true, 1, 300, 'x')...)...), x},
		"four bytes of size":    {frame(0xa0, append([]byte{44, 1, 0, 0}, block(true, 1, 300, 'x')...)...), x},
		"eight bytes of size":   {frame(0xe0, append([]byte{44, 1, 0, 0, 0, 0, 0, 0}, block(true, 1, 300, 'x')...)...), x},
		"no size":               {frame(0, append([]byte{0}, block(true, 1, 300, 'x')...)...), x},
		"an empty last block":   {frame(0, append([]byte{0}, append(block(false, 0, 1, 'a'), block(true, 0, 0)...)...)...), "a"},
		"dictionary 0":          {frame(0x21, append([]byte{0, 1}, block(true, 0, 1, 'a')...)...), "a"},
		"an unused flag":        {frame(0x30, append([]byte{1}, block(true, 0, 1, 'a')...)...), "a"},
		"literals alone":        {frame(0x20, append([]byte{3}, block(true, 2, 5, 3<<3, 'a', 'b', 'c', 0)...)...), "abc"},
		"a literal over & over": {frame(0x20, append([]byte{9}, block(true, 2, 3, 9<<3|1, 'z', 0)...)...), "zzzzzzzzz"},
		"an enormous window":    {frame(0, append([]byte{0xff}, block(true, 0, 1, 'a')...)...), "a"},
		"a checksum":            {frame(0x24, append(append([]byte{1}, block(true, 0, 1, 'a')...), le.AppendUint32(nil, uint32(xxh64.Sum([]byte("a"))))...)...), "a"},

		"a wrong checksum":          {frame(0x24, append(append([]byte{1}, block(true, 0, 1, 'a')...), 1, 2, 3, 4)...), "!does not have the checksum"},
		"half a checksum":           {frame(0x24, append(append([]byte{1}, block(true, 0, 1, 'a')...), 1, 2)...), "!ends in the middle"},
		"dictionary 7":              {frame(0x21, append([]byte{7, 1}, block(true, 0, 1, 'a')...)...), "!needs dictionary 7, and dictionaries are not supported"},
		"dictionary 65536":          {frame(0x23, append([]byte{0, 0, 1, 0, 1}, block(true, 0, 1, 'a')...)...), "!needs dictionary 65536"},
		"a reserved flag":           {frame(0x28, append([]byte{1}, block(true, 0, 1, 'a')...)...), "!flags that are not known"},
		"a reserved block":          {frame(0x20, append([]byte{1}, block(true, 3, 1, 'a')...)...), "!of a kind that is not known"},
		"no last block":             {frame(0x20, append([]byte{1}, block(false, 0, 1, 'a')...)...), "!ends in the middle"},
		"half a header":             {frame(0xe0, 1, 0, 0), "!ends in the middle"},
		"another magic":             {[]byte("PK\x03\x04abcd"), "!begins with 0x04034b50"},
		"less than it claims":       {frame(0x20, append([]byte{2}, block(true, 0, 1, 'a')...)...), "!holds 1 bytes, its header claims 2"},
		"more than it claims":       {frame(0x20, append([]byte{1}, block(true, 0, 2, 'a', 'b')...)...), "!more than the 1 bytes that its header claims"},
		"a block beyond its window": {frame(0, append([]byte{0}, block(true, 1, 1025, 'x')...)...), "!larger than its window"},
		"a code used again":         {frame(0x20, append([]byte{9}, block(true, 2, 5, 3|9<<4&0xff, 0x40, 0, 1, 0)...)...), "!used again, and there was none"},
		"a table used again":        {frame(0x20, append([]byte{9}, block(true, 2, 5, 1<<3, 'a', 1, 0xfc, 1)...)...), "!used again, and there was none"},
		"modes that are reserved":   {frame(0x20, append([]byte{9}, block(true, 2, 5, 1<<3, 'a', 1, 0x01, 1)...)...), "!modes that are not known"},
		"bytes without sequences":   {frame(0x20, append([]byte{1}, block(true, 2, 4, 1<<3, 'a', 0, 9)...)...), "!has bytes for them"},
		"half a skippable frame":    {[]byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1}, "!ends in the middle"},
	} {
		dst := make([]byte, 400)
		n, err := Decode(dst, c.src)
		if wrong, ok := strings.CutPrefix(c.want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
		} else if err != nil || string(dst[:n]) != c.want {
			t.Errorf("%s: %q, %v", name, dst[:n], err)
		}
	}
}

// The checksum is of all blocks, of every kind, whatever room there is behind them.
func TestABitThatIsWrongInAnyBlock(t *testing.T) {
	f, want := frame(4, 0), []byte(nil)
	var at []int // bytes of content
	for i := range 40 {
		body := bytes.Repeat([]byte{byte(3 * i)}, 1+i*25)
		switch i % 3 {
		case 0:
			f = append(f, block(false, 0, len(body), body...)...)
			at = append(at, len(f)-1)
		case 1:
			f = append(f, block(false, 1, len(body), body[0])...)
			at = append(at, len(f)-1)
		case 2:
			n := len(body)
			f = append(f, block(false, 2, n+3, slices.Concat([]byte{byte(n<<4) | 1<<2, byte(n >> 4)}, body, []byte{0})...)...)
			at = append(at, len(f)-2)
		}
		want = append(want, body...)
	}
	f = append(f, block(true, 0, 0)...)
	f = le.AppendUint32(f, uint32(xxh64.Sum(want)))
	for _, room := range []int{0, 1, 200} {
		dst := make([]byte, len(want)+room)
		if n, err := Decode(dst, f); err != nil || !bytes.Equal(dst[:n], want) {
			t.Errorf("with room for %d more: %d of %d bytes, or others, %v", room, n, len(want), err)
		}
		for i, at := range append(at, len(f)-1) {
			f[at] ^= 4
			if n, err := Decode(dst, f); n != len(want) || err != ErrChecksum {
				t.Errorf("block %d: %d of %d bytes, %v", i, n, len(want), err)
			}
			f[at] ^= 4
		}
	}
	if n, err := Decode(make([]byte, len(want)-1), f); n != len(want)-1 || err != ErrRoom {
		t.Errorf("with less room: %d bytes, %v", n, err)
	}
}

func TestTheBoundOfFrames(t *testing.T) {
	skip := []byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'a'}
	size := zstdenc.AppendEncode(nil, make([]byte, 5000), 3, true)
	stream := frame(0, append([]byte{0}, append(block(false, 1, 1000, 'x'), block(true, 2, 3, 1<<3|1, 'z', 0)...)...)...)
	for _, c := range []struct {
		src   []byte
		n     int
		exact bool
	}{
		{nil, 0, true},
		{skip, 0, true},
		{size, 5000, true},
		{bytes.Join([][]byte{skip, size, skip, size}, nil), 10_000, true},
		{stream, 1000 + maxBlock, false},
		{append(bytes.Clone(size), stream...), 6000 + maxBlock, false},
		{append(bytes.Clone(size), "nonsense"...), 5000, true},
		{frame(0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0), 0, math.MaxInt == math.MaxInt32}, // claims four exbibytes
		{frame(0xe0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0), 0, true},
	} {
		if n, exact := Bound(c.src); n != c.n || exact != c.exact {
			t.Errorf("%x: %d, %v", c.src, n, exact)
		}
	}
}
