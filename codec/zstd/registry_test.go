package zstd_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd", "numcodecs.zstd")
	return r
}
