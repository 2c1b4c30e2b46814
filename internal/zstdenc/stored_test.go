package zstdenc_test

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/internal/zstdenc"
)

// What is stored as it is reads back, whatever its length.
func TestStored(t *testing.T) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, n := range []int{0, 1, 255, 256, 65791, 65792, 128 << 10, 128<<10 + 1, 300_000, 9 << 20} {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(i * i >> 3)
		}
		s := zstdenc.NewStored(n)
		copy(s.Content(), src)
		frame := s.Frame()
		if len(frame) > zstdenc.MaxEncodedLen(n) || cap(frame) > zstdenc.MaxEncodedLen(n)+n/8+8<<10 {
			t.Errorf("%d bytes became %d of %d", n, len(frame), cap(frame))
		}
		out, err := d.DecodeAll(frame, nil)
		if err != nil || !bytes.Equal(out, src) {
			t.Errorf("%d bytes: %d came back, %v", n, len(out), err)
		}
	}
}
