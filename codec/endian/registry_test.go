package endian_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
)

// registry knows the codecs of these tests, bytes among them.
func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(endian.Parse, "endian")
	r.Register(endian.ParseNumpy, endian.NumpyName)
	r.Register(zstd.Parse, "zstd")
	return r
}
