package packbits_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/packbits"
	"github.com/omnizarr/zarr/format/tiff/tiletest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

var errEnds = errors.New("ends inside")

// plain is the definition, byte by byte.
func plain(size int, src []byte) (out []byte, err error) {
	for i := 0; i < len(src) && len(out) < size; {
		h := int(int8(src[i]))
		i++
		room := size - len(out)
		switch {
		case h == -128:
		case h < 0 && i == len(src):
			return out, errEnds
		case h < 0:
			for range min(1-h, room) {
				out = append(out, src[i])
			}
			i++
		case min(h+1, room) > len(src)-i:
			return out, errEnds
		default:
			n := min(h+1, room)
			out = append(out, src[i:i+n]...)
			i += n
		}
	}
	return out, nil
}

func comparePlain(t *testing.T, src []byte, size int) {
	t.Helper()
	want, wantErr := plain(size, src)
	dst := bytes.Repeat([]byte{0xa5}, size+64)
	n, err := packbits.Decode(dst[:size], src)
	if !bytes.Equal(dst[:n], want) || (err == nil) != (wantErr == nil) {
		t.Fatalf("%d bytes for %d: %d, %v; want %d, %v", len(src), size, n, err, len(want), wantErr)
	}
	if !bytes.Equal(dst[size:], bytes.Repeat([]byte{0xa5}, 64)) {
		t.Fatal("wrote behind the end")
	}
	if err != nil && !strings.HasPrefix(err.Error(), "PackBits: data ends at byte") {
		t.Fatal(err)
	}
}

// What imagecodecs 2026.10 and libtiff 4.5.0 decode. The first is the example
// of Apple's technical note 1023.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ packed, want string }{
		{"feaa0280002afdaa0380002a22f7aa", "aaaaaa80002aaaaaaaaa80002a22aaaaaaaaaaaaaaaaaaaa"},
		{"", ""},
		{"80", ""},
		{"fe41", "414141"},
		{"80800041fe42", "41424242"},
		{"8141", strings.Repeat("41", 128)},
	} {
		src, _ := hex.DecodeString(c.packed)
		dst := make([]byte, 1000)
		n, err := packbits.Decode(dst, src)
		if got := hex.EncodeToString(dst[:n]); got != c.want || err != nil {
			t.Errorf("%s gives %s, %v", c.packed, got, err)
		}
	}
}

func TestDecodeStopsWhereDstIsFull(t *testing.T) {
	for _, packed := range []string{"8141", "7f4141414141", "80ff41ff41004105", "05414141414141"} {
		dst := make([]byte, 5)
		n, err := packbits.Decode(dst, must(hex.DecodeString(packed)))
		if n != 5 || err != nil || string(dst) != "AAAAA" {
			t.Errorf("%s: %d %q, %v", packed, n, dst, err)
		}
	}
}

func TestDataThatEndsInsideIsAnError(t *testing.T) {
	for packed, want := range map[string]string{
		"fe":           "PackBits: data ends at byte 1, where the byte of a run of 3 is missing, behind 0 decoded bytes",
		"fe41ff":       "PackBits: data ends at byte 3, where the byte of a run of 2 is missing, behind 3 decoded bytes",
		"fe4105414243": "PackBits: data ends at byte 6, where 3 bytes of a literal of 6 are there, behind 3 decoded bytes",
		"7f":           "PackBits: data ends at byte 1, where 0 bytes of a literal of 128 are there, behind 0 decoded bytes",
	} {
		if _, err := packbits.Decode(make([]byte, 200), must(hex.DecodeString(packed))); err == nil || err.Error() != want {
			t.Errorf("%s: %v", packed, err)
		}
	}
}

func must(b []byte, _ error) []byte { return b }

// What libtiff 4.5.0 writes for one row.
func TestEncode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"a", "0061"},
		{"aa", "ff61"},
		{"ab", "016162"},
		{"abb", "0061ff62"},
		{"abba", "0361626261"},
		{"aab", "ff610062"},
		{strings.Repeat("a", 150), "8161eb61"},
	} {
		if got := hex.EncodeToString(packbits.AppendEncode(nil, []byte(c.text), 0)); got != c.want {
			t.Errorf("%q gives %s, want %s", c.text, got, c.want)
		}
	}
}

// Length and hash are those of what libtiff 4.5.0 writes for rows of that many
// bytes.
func TestEncodedBytesAreThoseOfLibtiff(t *testing.T) {
	var data []byte
	for x := uint32(7); len(data) < 60000; {
		x = x*1664525 + 1013904223
		n := []int{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 9, 127, 128, 129, 300}[x>>24%16]
		data = append(data, bytes.Repeat([]byte{byte(x >> 12)}, n)...)
	}
	data = data[:60000]
	for _, c := range []struct {
		row, size int
		hash      string
	}{
		{1, 120000, "905cc9b9dae22aaef26a8dfa47c3c275"},
		{7, 18942, "12eab3aef70a9d807ee1477e5743519a"},
		{100, 3371, "0b84ecd6daadbdbf65b852815c00a169"},
		{300, 2925, "53f4cd7076a1ee2ccf288ee197790997"},
		{1000, 2748, "0eb0b138ebba19527cf8ed7e3496a9ea"},
		{60000, 2683, "0718bee681346c7cd933c9d14490737c"},
	} {
		packed := packbits.AppendEncode([]byte("x"), data, c.row)[1:]
		if s := sha256.Sum256(packed); len(packed) != c.size || hex.EncodeToString(s[:16]) != c.hash {
			t.Errorf("rows of %d: %d bytes %x", c.row, len(packed), s[:16])
		}
		dst := make([]byte, len(data))
		if n, err := packbits.Decode(dst, packed); n != len(data) || err != nil || !bytes.Equal(dst, data) {
			t.Errorf("rows of %d: %d bytes, %v", c.row, n, err)
		}
	}
}

// Every row is coded by itself, so that decoding all of them is decoding each.
func TestRowsStandAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		row := 1 + r.IntN(400)
		data := runs(r, row*r.IntN(4)+r.IntN(row))
		var each []byte
		for rest := data; len(rest) > 0; rest = rest[min(row, len(rest)):] {
			each = packbits.AppendEncode(each, rest[:min(row, len(rest))], 0)
		}
		if packed := packbits.AppendEncode(nil, data, row); !bytes.Equal(packed, each) {
			t.Fatalf("%d bytes in rows of %d: %d bytes, not %d", len(data), row, len(packed), len(each))
		}
		if got, err := plain(len(data)+1, each); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes in rows of %d: %v", len(data), row, err)
		}
		if len(each) > len(data)+(len(data)+row-1)/row*(row+127)/128 {
			t.Fatalf("%d bytes in rows of %d became %d", len(data), row, len(each))
		}
	}
}

// runs makes bytes with equal ones among them, more or less often.
func runs(r *rand.Rand, n int) (b []byte) {
	singles := r.IntN(101)
	for len(b) < n {
		k := 1
		if r.IntN(100) >= singles {
			k = 1 + r.IntN(3) + r.IntN(2)*r.IntN(300)
		}
		b = append(b, bytes.Repeat([]byte{byte(r.IntN(256))}, k)...)
	}
	return b[:n]
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0xfe, 0xaa, 2, 0x80, 0, 0x2a, 0x80, 0xfd, 0xaa}, uint16(20))
	r := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		f.Add(packbits.AppendEncode(nil, runs(r, 1000), 300), uint16(1000))
	}
	for _, tile := range tiletest.Compressed(32773) {
		f.Add(tile, uint16(4096))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, size uint16) {
		comparePlain(t, data, int(size))
		comparePlain(t, data, 1<<16)
		packed := packbits.AppendEncode(nil, data, int(size))
		if got, err := plain(len(data)+1, packed); err != nil || !bytes.Equal(got, data) {
			t.Fatal(len(got), err)
		}
		comparePlain(t, packed, len(data))
	})
}

func benchmarkData() []byte { return runs(rand.New(rand.NewPCG(2, 2)), 1<<18) }

func BenchmarkDecode(b *testing.B) {
	data := benchmarkData()
	packed, dst := packbits.AppendEncode(nil, data, 768), make([]byte, len(data))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := packbits.Decode(dst, packed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	data := benchmarkData()
	var packed []byte
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		packed = packbits.AppendEncode(packed[:0], data, 768)
	}
}

func Example() {
	packed := packbits.AppendEncode(nil, []byte("aaaaaaaabcdbbbbbbbb"), 0)
	fmt.Printf("%q\n", packed)
	dst := make([]byte, 100)
	n, err := packbits.Decode(dst, packed)
	fmt.Println(string(dst[:n]), err)
	_, err = packbits.Decode(dst, packed[:4])
	fmt.Println(err)
	// Output:
	// "\xf9a\x02bcd\xf9b"
	// aaaaaaaabcdbbbbbbbb <nil>
	// PackBits: data ends at byte 4, where 1 bytes of a literal of 3 are there, behind 8 decoded bytes
}
