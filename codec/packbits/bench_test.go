package packbits_test

import (
	"context"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// A chunk of 16 MiB of elements in memory of C order, and of Fortran order.
func BenchmarkChunk(b *testing.B) {
	for _, c := range []struct{ name, codecs, typ string }{
		{"bool", plain, "bool"},
		{"numcodecs", older, "bool"},
		{"int2", plain, "int2"},
		{"int4", plain, "int4"},
		{"float6", plain, "float6_e2m3fn"},
		{"int16-12", packed(`{"last_bit":11}`), "int16"},
	} {
		bound, err := bind(c.codecs, c.typ, 4096, 4096)
		if err != nil {
			b.Fatal(err)
		}
		ordered := nd.Make(bound.Spec().Type.Size(), 4096, 4096)
		ck, ctx := limits(), context.Background()
		var out []byte
		for _, v := range []struct {
			name string
			view nd.View
		}{{"C", ordered}, {"Fortran", ordered.Permute([]int{1, 0})}} {
			b.Run("encode/"+c.name+"/"+v.name, func(b *testing.B) {
				b.SetBytes(int64(len(ordered.Data)))
				for b.Loop() {
					if out, err = bound.Encode(ctx, ck, out[:0], v.view); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("decode/"+c.name+"/"+v.name, func(b *testing.B) {
				b.SetBytes(int64(len(ordered.Data)))
				for b.Loop() {
					if err := bound.Decode(ctx, ck, &codec.Memory{Bytes: out}, nd.Whole(bound.Spec().Shape), v.view); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
