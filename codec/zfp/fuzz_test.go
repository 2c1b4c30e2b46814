package zfp_test

import (
	"bytes"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// FuzzChunk decodes anything as chunks of several types and shapes.
func FuzzChunk(f *testing.F) {
	var bound []*codec.Bound
	for _, c := range []struct {
		codecs, typ string
		shape       []int
	}{
		{reversible, "float32", []int{3, 4}}, {numcodecs, "float64", []int{3, 5}}, {withHeader, "uint8", []int{4, 4, 5}},
		{expert, "int64", []int{2, 2, 5, 3}}, {`[{"name":"zfp","configuration":{"mode":"fixed_rate","rate":6}}]`, "float32", []int{3, 5}},
	} {
		b := mustBind(f, c.codecs, c.typ, c.shape...)
		n, _ := nd.Bytes(c.shape, b.Spec().Type.Size())
		data, err := encode(f, b, bytes.Repeat([]byte{1, 2, 3, 63}, n/4+1)[:n])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, byte(len(bound)))
		bound = append(bound, b)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, which byte) {
		b := bound[int(which)%len(bound)]
		if got, err := decode(t, b, data); err == nil {
			if _, err := encode(t, b, got); err != nil {
				t.Errorf("what was decoded cannot be encoded: %v", err)
			}
		}
	})
}
