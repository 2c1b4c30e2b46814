package lzw_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/omnizarr/zarr/codec/lzw"
)

// noise gives n bytes below k.
func noise(n, k int, x uint32) []byte {
	b := make([]byte, n)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(int(x>>24) % k)
	}
	return b
}

func each(n int, f func(int) int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(f(i))
	}
	return b
}

// samples fill the table of strings again and again, hardly ever, and, in the
// one that gets worse, not before compression slips.
var samples = map[string][]byte{
	"noise 256":       noise(65536, 256, 1),
	"noise 5":         noise(65536, 5, 2),
	"noise 2":         noise(262144, 2, 3),
	"zeros":           make([]byte, 262144),
	"ramp then noise": append(each(98304, func(i int) int { return i % 251 }), noise(65536, 3, 4)...),
	"runs":            each(196608, func(i int) int { return i * i >> 14 }),
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:16])
}

// Length and hash are those of what libtiff 4.5.0 writes as a strip.
func TestEncodedBytesAreThoseOfLibtiff(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		hash string
	}{
		{"noise 256", 89735, "f0f57a8d38061efd981ede78c02a82a0"},
		{"noise 5", 22830, "0f5ba5025fd7635c90c2d24189074d4f"},
		{"noise 2", 40258, "36248b2fcc6756e8397bab78aac26330"},
		{"zeros", 876, "2c31534412a6fc2b8d87bbcdf88ee238"},
		{"ramp then noise", 34029, "081a5f5a6cb551c97e1dd28ad55ea5fa"},
		{"runs", 101130, "51871eff090644924d8aead631aa4566"},
	} {
		data := samples[c.name]
		packed := lzw.AppendEncode(nil, data)
		if len(packed) != c.size || sum(packed) != c.hash {
			t.Errorf("%s: %d bytes %s, want %d bytes %s", c.name, len(packed), sum(packed), c.size, c.hash)
		}
		dst := make([]byte, len(data))
		if n, err := lzw.Decode(dst, packed); n != len(data) || err != nil || !bytes.Equal(dst, data) {
			t.Errorf("%s: %d bytes, %v", c.name, n, err)
		}
	}
}

// Of many small streams, some end with a whole byte. Of those of data that
// repeats and then changes, some clear early.
func TestManyEncodedStreamsAreThoseOfLibtiff(t *testing.T) {
	var short, patches []byte
	for n := 1; n < 65; n++ {
		short = lzw.AppendEncode(short, noise(n, 4, uint32(n)))
	}
	for k := 1; k < 25; k++ {
		var data []byte
		for j := range 900 {
			data = append(data, noise(40+7*k, 3, uint32(j/(k*20)))...)
		}
		patches = lzw.AppendEncode(patches, data)
	}
	if len(short) != 1705 || sum(short) != "8696944935a46045bf306f87f8e32a04" {
		t.Errorf("short: %d bytes %s", len(short), sum(short))
	}
	if len(patches) != 348774 || sum(patches) != "14d5e29f6619e7b3893d7ef3ebbd7c9c" {
		t.Errorf("patches: %d bytes %s", len(patches), sum(patches))
	}
}

// The file is a tile in the old order of bits, which imagecodecs 2026.10 and
// libtiff 4.5.0 decode to this hash.
func TestOldStreamOfAFile(t *testing.T) {
	packed, err := os.ReadFile("testdata/old.lzw")
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 1025)
	n, err := lzw.Decode(dst, packed)
	if n != 1024 || err != nil || sum(dst[:n]) != "8903fa2bf9c19c3df8fd9bc8f807cc01" {
		t.Errorf("%d bytes %s, %v", n, sum(dst[:n]), err)
	}
	got, err := lzw.AppendDecode(nil, packed, 1024)
	if err != nil || !bytes.Equal(got, dst[:n]) {
		t.Errorf("AppendDecode: %d bytes, %v", len(got), err)
	}
}

// libtiff 4.5.0 and imagecodecs 2026.10 decode the streams of these hashes to
// the data they are made of.
func TestLongOldStreams(t *testing.T) {
	for name, hash := range map[string]string{
		"noise 256": "784391e174a318c1a0dddb4fa809ca5e",
		"noise 5":   "67f14ae641ae72e2f05b7e7683f32675",
		"zeros":     "c229a2103d1120dc19afc6c7451f4d48",
		"runs":      "0fb523776868b7e83c5d5ecffca39319",
	} {
		packed := encodeOld(samples[name])
		if sum(packed) != hash {
			t.Errorf("%s: the stream is %s", name, sum(packed))
		}
		dst := make([]byte, len(samples[name])+1)
		n, err := lzw.Decode(dst, packed)
		if err != nil || !bytes.Equal(dst[:n], samples[name]) {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
}

// encodeOld writes the old order of bits. It clears when all codes are known.
func encodeOld(data []byte) []byte {
	c := codes{old: true, width: 9}
	known := map[[2]int]int{}
	c.put(256)
	code := int(data[0])
	for _, b := range data[1:] {
		key := [2]int{code, int(b)}
		if longer, ok := known[key]; ok {
			code = longer
			continue
		}
		c.put(code)
		code = int(b)
		if known[key] = c.next; c.next == 4095 {
			c.put(256)
			clear(known)
		}
	}
	c.put(code)
	c.put(257)
	return c.data
}
