package zfp_test

import (
	"bytes"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/zfp"
)

// FuzzDecode decodes anything with any parameters. What can be decoded can be
// encoded again, and in the reversible variant comes back bit by bit.
func FuzzDecode(f *testing.F) {
	for _, g := range streams(f) {
		p := g.Params
		f.Add(g.Stream, byte(types[g.Type]), byte(len(g.Shape)), uint16(p[0]), uint16(p[1]), byte(p[2]), int16(p[3]), uint32(0x12345678), g.Header)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, typ, dims byte, minbits, maxbits uint16, maxprec byte, minexp int16, size uint32, header bool) {
		s := zfp.Stream{Data: data, Params: zfp.Params{MinBits: int(minbits), MaxBits: int(maxbits), MaxPrec: int(maxprec), MinExp: int(minexp)}}
		for range dims%4 + 1 {
			s.Shape = append(s.Shape, 1+int(size%10))
			size /= 10
		}
		kind := zfp.Type(typ%4 + 1)
		if header {
			h, err := zfp.ReadHeader(data)
			if err != nil {
				return
			}
			if _, ok := zfp.MaxSize(h.Shape, h.Type, h.Params); !ok {
				return
			}
			n := 1
			for _, k := range h.Shape {
				if n *= k; n > 1<<16 {
					return
				}
			}
			s.Start, s.Shape, s.Params, kind = h.Bits, h.Shape, h.Params, h.Type
		}
		if s.Params.Check() != nil {
			return
		}
		dst := array(kind, nil, s.Shape...)
		start := make([]int, len(s.Shape))
		err := s.Decode(start, dst, false)
		if err != nil {
			return
		}
		out, err := zfp.Append(nil, dst, s.Params, header)
		if err != nil {
			t.Fatal(err)
		}
		again := array(kind, nil, s.Shape...)
		s.Data = out
		if err := s.Decode(start, again, true); err != nil {
			t.Fatalf("what was decoded and encoded again: %v", err)
		}
		if exact := s.Params.MinExp < -1074 && s.Params.MaxBits >= 16658 && s.Params.MaxPrec == 64; exact && !bytes.Equal(dst.Data, again.Data) {
			t.Fatal("something was lost")
		}
	})
}
