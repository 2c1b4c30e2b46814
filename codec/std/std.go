// Package std is the registry of the codecs that come with Omnizarr.
package std

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/crc32c"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/codec/gzip"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/shard"
	"github.com/omnizarr/zarr/codec/transpose"
	"github.com/omnizarr/zarr/codec/vlen"
	"github.com/omnizarr/zarr/codec/zlib"
	"github.com/omnizarr/zarr/codec/zstd"
)

// Registry returns a new registry of all codecs, to which more can be added.
func Registry() *codec.Registry {
	r := codec.NewRegistry()
	r.Register(endian.Parse, "bytes", "endian")
	r.Register(transpose.Parse, "transpose")
	r.Register(gzip.Parse, "gzip")
	r.Register(zlib.Parse, "numcodecs.zlib", "zlib")
	r.Register(zstd.Parse, "zstd")
	r.Register(lzw.Parse, "imagecodecs_lzw", "lzw")
	r.Register(crc32c.Parse, "crc32c")
	r.Register(packbits.Parse, "packbits")
	r.Register(packbits.ParseNumcodecs, "numcodecs.packbits")
	r.Register(pad.Parse, "pad", "offset")
	r.Register(vlen.Parse, "vlen-utf8", "vlen-bytes")
	r.Register(shard.Parse, "sharding_indexed")
	return r
}
