// Package basic is a registry for tests of single codecs: those few that the chains
// of all of them are made of. Package std has all codecs, and makes a test program
// that wants one of them large.
package basic

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/checksum"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/codec/shard"
	"github.com/omnizarr/zarr/codec/transpose"
	"github.com/omnizarr/zarr/codec/vlen"
)

// With is Registry with one codec more, the one that is tested.
func With(parse codec.Parser, names ...string) *codec.Registry {
	r := Registry()
	r.Register(parse, names...)
	return r
}

// Registry returns a new registry, to which codecs that are tested are added.
func Registry() *codec.Registry {
	r := codec.NewRegistry()
	r.Register(endian.Parse, "bytes")
	r.Register(transpose.Parse, "transpose")
	r.Register(deflate.Parse, "gzip")
	r.Register(checksum.Parse, "crc32c")
	r.Register(vlen.Parse, "vlen-utf8", "vlen-bytes")
	r.Register(shard.Parse, "sharding_indexed")
	return r
}
