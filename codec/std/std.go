// Package std is the registry of the codecs that come with Omnizarr.
package std

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/base64"
	"github.com/omnizarr/zarr/codec/bitshuffle"
	"github.com/omnizarr/zarr/codec/blosc"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/byteshuffle"
	"github.com/omnizarr/zarr/codec/bzip2"
	"github.com/omnizarr/zarr/codec/cast"
	"github.com/omnizarr/zarr/codec/categorize"
	"github.com/omnizarr/zarr/codec/checksum"
	"github.com/omnizarr/zarr/codec/conditional"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/delta"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/codec/gdeflate"
	"github.com/omnizarr/zarr/codec/lz4"
	"github.com/omnizarr/zarr/codec/lzf"
	"github.com/omnizarr/zarr/codec/lzma"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/object"
	"github.com/omnizarr/zarr/codec/optional"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/pcodec"
	"github.com/omnizarr/zarr/codec/reshape"
	"github.com/omnizarr/zarr/codec/round"
	"github.com/omnizarr/zarr/codec/scale"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/shard"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/codec/transpose"
	"github.com/omnizarr/zarr/codec/vlen"
	"github.com/omnizarr/zarr/codec/zfp"
	"github.com/omnizarr/zarr/codec/zstd"
)

// Registry returns a new registry of all codecs, to which more can be added.
func Registry() *codec.Registry {
	r := codec.NewRegistry()
	r.Register(endian.Parse, "bytes", "endian")
	r.Register(endian.ParseNumpy, endian.NumpyName)
	r.Register(transpose.Parse, "transpose")
	r.Register(deflate.Parse, "gzip", "numcodecs.gzip", "numcodecs.zlib", "zlib")
	r.Register(zstd.Parse, "zstd", "numcodecs.zstd")
	r.Register(bzip2.Parse, "numcodecs.bz2", "bz2")
	r.Register(lzma.Parse, "numcodecs.lzma", "lzma")
	r.Register(blosc.Parse, "blosc")
	r.Register(blosc.ParseNumcodecs, "numcodecs.blosc")
	r.Register(blosc2.Parse, blosc2.Name)
	r.Register(gdeflate.Parse, "zarrs.gdeflate", "https://codec.zarrs.dev/bytes_to_bytes/gdeflate")
	r.Register(lz4.Parse, "numcodecs.lz4", "lz4")
	r.Register(lz4.ParseBlock, lz4.BlockName)
	r.Register(lz4.ParseHDF5, lz4.HDF5Name)
	r.Register(lzf.Parse, lzf.Name)
	r.Register(lzw.Parse, "imagecodecs_lzw", "lzw")
	r.Register(nbit.Parse, nbit.Name)
	r.Register(scaleoffset.Parse, scaleoffset.Name)
	r.Register(szip.Parse, szip.Name)
	r.Register(checksum.Parse, "crc32c", "numcodecs.crc32c", "numcodecs.crc32", "crc32", "numcodecs.adler32", "adler32",
		"numcodecs.fletcher32", "fletcher32", "numcodecs.jenkins_lookup3", "jenkins_lookup3")
	r.Register(base64.Parse, "numcodecs.base64")
	r.Register(byteshuffle.Parse, "numcodecs.shuffle", "shuffle")
	r.Register(bitshuffle.Parse, bitshuffle.Name)
	r.Register(packbits.Parse, "packbits")
	r.Register(packbits.ParseNumcodecs, "numcodecs.packbits")
	r.Register(pad.Parse, "pad", "offset")
	r.Register(tifftile.Parse, tifftile.Name)
	r.Register(n5.Parse, n5.Name)
	r.Register(n5.ParseStrings, n5.StringsName)
	r.Register(n5.ParseBlocks, n5.BlocksName)
	r.Register(n5.ParseJPEG, n5.JPEGName)
	r.Register(vlen.Parse, "vlen-utf8", "vlen-bytes", "numcodecs.vlen-utf8", "numcodecs.vlen-bytes",
		"zarrs.vlen_v2", "https://codec.zarrs.dev/array_to_bytes/vlen_v2")
	r.Register(vlen.ParseArray, "vlen-array", "numcodecs.vlen-array")
	r.Register(vlen.ParseIndexed, "zarrs.vlen", "https://codec.zarrs.dev/array_to_bytes/vlen")
	r.Register(object.ParseJSON, "numcodecs.json2")
	r.Register(object.ParseMsgPack, "numcodecs.msgpack2")
	r.Register(object.ParsePickle, "numcodecs.pickle")
	r.Register(optional.Parse, "zarrs.optional")
	r.Register(shard.Parse, "sharding_indexed")
	r.Register(cast.Parse, "cast_value")
	r.Register(cast.ParseAsType, "numcodecs.astype")
	r.Register(reshape.Parse, "reshape")
	r.Register(reshape.ParseSqueeze, "zarrs.squeeze")
	r.Register(conditional.Parse, "conditional")
	r.Register(categorize.Parse, "numcodecs.categorize")
	r.Register(delta.Parse, delta.Name)
	r.Register(round.ParseBitRound, round.BitRoundName, round.NumcodecsBitRoundName)
	r.Register(round.ParseQuantize, round.QuantizeName)
	r.Register(scale.ParseFixed, scale.FixedName)
	r.Register(scale.ParseOffset, scale.OffsetName)
	r.Register(pcodec.Parse, "numcodecs.pcodec", "pcodec", "https://codec.zarrs.dev/array_to_bytes/pcodec")
	r.Register(zfp.Parse, "zfp", "zarrs.zfp", "https://codec.zarrs.dev/array_to_bytes/zfp")
	r.Register(zfp.ParseNumcodecs, "numcodecs.zfpy", "https://codec.zarrs.dev/array_to_bytes/zfpy")
	r.Register(refuse("it wraps blocks of N5 containers, which zarr-python 2 shows as Zarr: open the container itself"), "numcodecs.n5_wrapper")
	return r
}

// refuse makes the parser of a codec that is known by name only. An array with
// it opens for its metadata, and reading says why.
func refuse(why string) codec.Parser {
	return func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) {
		return nil, fmt.Errorf("%w: %s", codec.ErrUnknown, why)
	}
}
