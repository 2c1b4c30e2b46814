package inflate

import (
	"archive/zip"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
)

// golden are streams of zlib 1.2.13 in Python, and of libdeflate 1.26, zlib-ng
// 2.3.3 and isa-l 2.32.1 in imagecodecs 2026.10.10, of several levels and
// strategies, made of three kinds of data; level 0 of the first 600 bytes.
func golden(t testing.TB) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader("testdata/streams.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestStreamsOfOtherLibraries(t *testing.T) {
	want := map[string]struct {
		n          int
		crc, start uint32
	}{
		"volume": {8192, 0xc550e9d5, 0xbd0b65bc},
		"text":   {12000, 0x230b23eb, 0x89211546},
		"runs":   {60000, 0x5f45bb19, 0x466ab0e8},
	}
	r := rand.New(rand.NewPCG(9, 10))
	streams := golden(t)
	if len(streams) != 40 {
		t.Errorf("%d streams", len(streams))
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		src := streams[name]
		w := want[path.Dir(name)]
		if path.Base(name) == "zlib-0" {
			w.n, w.crc = 600, w.start
		}
		got, used, err := decode(t, src, w.n)
		if err != nil || len(got) != w.n || used != len(src) || crc32.ChecksumIEEE(got) != w.crc {
			t.Errorf("%s: %d bytes with CRC %08x, read %d of %d, %v", name, len(got), crc32.ChecksumIEEE(got), used, len(src), err)
		}
		for range rounds(20) {
			compare(t, r, damage(r, src))
		}
	}
}
