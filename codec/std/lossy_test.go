package std_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
)

// TestLossyCodecsSayWhatTheyLose asks chains of every kind; "" is nothing.
func TestLossyCodecsSayWhatTheyLose(t *testing.T) {
	const little = `{"name": "bytes", "configuration": {"endian": "little"}}`
	for _, c := range []struct{ typ, codecs, want string }{
		{"float32", `[` + little + `, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}]`, ""},
		{"float32", `[{"name": "bitround", "configuration": {"keepbits": 10}}, ` + little + `]`, "bitround: 10 of 23 bits are kept"},
		{"float32", `[{"name": "bitround", "configuration": {"keepbits": 23}}, ` + little + `]`, ""},
		{"float64", `[{"name": "numcodecs.quantize", "configuration": {"digits": 2, "dtype": "<f8"}}, ` + little + `]`, "numcodecs.quantize: numbers are rounded to 2 decimal digits"},
		{"float64", `[{"name": "numcodecs.fixedscaleoffset", "configuration": {"offset": 0, "scale": 10, "dtype": "<f8", "astype": "<i2"}}, ` + little + `]`, "numcodecs.fixedscaleoffset: scaled numbers are rounded to whole ones of type int16"},
		{"float64", `[{"name": "scale_offset", "configuration": {"scale": 10}}, ` + little + `]`, "scale_offset: floats are rounded when they are scaled"},
		{"int32", `[{"name": "scale_offset", "configuration": {"scale": 10}}, ` + little + `]`, ""},
		{"float64", `[{"name": "cast_value", "configuration": {"data_type": "float32"}}, ` + little + `]`, "cast_value: float64 is stored as float32"},
		{"int32", `[{"name": "cast_value", "configuration": {"data_type": "int16"}}, ` + little + `]`, ""}, // an error where it does not fit
		{"int32", `[{"name": "cast_value", "configuration": {"data_type": "int16", "out_of_range": "clamp"}}, ` + little + `]`, "cast_value: int32 is stored as int16"},
		{"int16", `[{"name": "cast_value", "configuration": {"data_type": "int32"}}, ` + little + `]`, ""},
		{"int32", `[{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i2", "decode_dtype": "<i4"}}, ` + little + `]`, "numcodecs.astype: int32 is stored as int16"},
		{"float32", `[{"name": "numcodecs.delta", "configuration": {"dtype": "<f4"}}, ` + little + `]`, "numcodecs.delta: differences are rounded or cut to float32"},
		{"int32", `[{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}, ` + little + `]`, ""},
		{"float32", `[{"name": "zfp", "configuration": {"mode": "fixed_accuracy", "tolerance": 0.1}}]`, "zfp: the mode is not reversible"},
		{"float32", `[{"name": "zfp", "configuration": {"mode": "reversible"}}]`, ""},
		{"uint8", `[{"name": "` + tifftile.Name + `", "configuration": {"compression": 7, "tile_width": 16, "tile_height": 16, "jpeg_tables": null}}]`, tifftile.Name + ": JPEG"},
		{"float32", `[{"name": "sharding_indexed", "configuration": {"chunk_shape": [8, 8], "codecs": [{"name": "bitround", "configuration": {"keepbits": 10}}, ` + little + `], "index_codecs": [` + little + `]}}]`, "bitround: 10 of 23 bits are kept"},
	} {
		typ := dtype.MustParse(c.typ)
		chain, err := std.Registry().ParseList(json.RawMessage(c.codecs))
		if err != nil {
			t.Fatalf("%s: %v", c.codecs, err)
		}
		b, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{16, 16}, Fill: make([]byte, typ.Size())})
		if err != nil {
			t.Fatalf("%s: %v", c.codecs, err)
		}
		if got := strings.Join(b.Lossy(), "; "); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.codecs, c.typ, got, c.want)
		}
	}
}
