package std_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
)

func TestTheRegistryKnowsEveryCodec(t *testing.T) {
	want := []string{
		"adler32", "bitround", "blosc", "bytes", "bz2", "cast_value", "conditional", "crc32", "crc32c", "endian",
		"fletcher32", "gzip", "https://awslabs.github.io/osml-imagery-io/codecs/tiff-tile", "https://codec.zarrs.dev/array_to_bytes/pcodec", "https://codec.zarrs.dev/array_to_bytes/vlen",
		"https://codec.zarrs.dev/array_to_bytes/vlen_v2", "https://codec.zarrs.dev/array_to_bytes/zfp",
		"https://codec.zarrs.dev/array_to_bytes/zfpy", "https://codec.zarrs.dev/bytes_to_bytes/gdeflate", "imagecodecs_lzw", "jenkins_lookup3", "lz4", "lzma", "lzw", "n5_default",
		"numcodecs.adler32", "numcodecs.astype", "numcodecs.base64", "numcodecs.bitround", "numcodecs.blosc",
		"numcodecs.bz2", "numcodecs.categorize", "numcodecs.crc32", "numcodecs.crc32c", "numcodecs.delta",
		"numcodecs.fixedscaleoffset", "numcodecs.fletcher32", "numcodecs.gzip", "numcodecs.jenkins_lookup3",
		"numcodecs.json2", "numcodecs.lz4", "numcodecs.lzma", "numcodecs.msgpack2", "numcodecs.n5_wrapper",
		"numcodecs.packbits", "numcodecs.pcodec", "numcodecs.pickle", "numcodecs.quantize", "numcodecs.shuffle",
		"numcodecs.vlen-array", "numcodecs.vlen-bytes", "numcodecs.vlen-utf8", "numcodecs.zfpy", "numcodecs.zlib",
		"numcodecs.zstd", "offset", "omnizarr.bitshuffle", "omnizarr.blosc2", "omnizarr.hdf5_nbit", "omnizarr.hdf5_scaleoffset", "omnizarr.hdf5_szip", "omnizarr.lz4_block", "omnizarr.lz4_hdf5", "omnizarr.lzf", "omnizarr.n5_blocks", "omnizarr.n5_jpeg",
		"omnizarr.n5_strings", "omnizarr.numpy", "packbits", "pad", "pcodec", "reshape", "scale_offset",
		"sharding_indexed", "shuffle", "transpose", "vlen-array", "vlen-bytes", "vlen-utf8", "zarrs.gdeflate", "zarrs.optional",
		"zarrs.squeeze", "zarrs.vlen", "zarrs.vlen_v2", "zarrs.zfp", "zfp", "zlib", "zstd",
	}
	if got := std.Registry().Names(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestRegistriesAreIndependent(t *testing.T) {
	r := std.Registry()
	r.Register(func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) { return nil, errors.New("mine") }, "gzip", "own")
	if _, err := std.Registry().Parse(codec.Entry{Name: "gzip"}); err != nil {
		t.Error(err)
	}
	if _, err := std.Registry().Parse(codec.Entry{Name: "own"}); !errors.Is(err, codec.ErrUnknown) || err.Error() != "codec own: unknown codec" {
		t.Errorf("got %v", err)
	}
	if _, err := r.Clone().Parse(codec.Entry{Name: "own"}); err == nil || err.Error() != "codec own: mine" {
		t.Errorf("got %v", err)
	}
}

func TestChainsOfAllCodecsPassTheSuite(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	for _, c := range []codectest.Case{
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},` + little + `,"gzip","zstd","crc32c"]`, Type: "int16", Shape: []int{5, 8}, Fill: "-1"},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[4,5],"codecs":["vlen-utf8","zstd","crc32c"],"index_codecs":[` + little + `,"crc32c"]}},"crc32c"]`,
			Type: "string", Shape: []int{5, 8}, Fill: `"-"`},
	} {
		c.Registry = std.Registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestListsOfTheWrongKindAreRefused(t *testing.T) {
	for list, want := range map[string]string{
		`[]`:                    "no codec in the list turns arrays into bytes",
		`["gzip"]`:              `codec gzip works on bytes, but no codec before it turns arrays into bytes: put one in front of it, such as {"name": "bytes"`,
		`["bytes","bytes"]`:     "codecs bytes and bytes both turn arrays into bytes",
		`["bytes","vlen-utf8"]`: "both turn arrays into bytes",
		`["bytes",{"name":"transpose","configuration":{"order":[0]}}]`: "codec transpose works on arrays and cannot follow bytes",
		`["gzip","bytes"]`:         "codec gzip works on bytes",
		`["brotli"]`:               "codec brotli: unknown codec",
		`{}`:                       "codecs: must be an array",
		`null`:                     "codecs: must be an array",
		`"bytes"`:                  "codecs: must be an array",
		`[7]`:                      "codecs[0]",
		`[null]`:                   "codecs[0]",
		`[{"name":"bytes","x":1}]`: "codecs[0]",
		`[["bytes"]]`:              "codecs[0]",
		`[{"configuration":{}}]`:   "codec",
	} {
		if _, err := std.Registry().ParseList(json.RawMessage(list)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", list, err, want)
		}
	}
}

func ExampleRegistry() {
	chain, err := std.Registry().ParseList(json.RawMessage(`["bytes", "gzip"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(chain)
	fmt.Println(string(text), err)
	_, err = std.Registry().ParseList(json.RawMessage(`["bytes", "brotli"]`))
	fmt.Println(err)
	// Output:
	// [{"name":"bytes"},{"name":"gzip","configuration":{"level":5}}] <nil>
	// codec brotli: unknown codec
}
