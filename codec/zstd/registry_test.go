package zstd_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry { return basic.With(zstd.Parse, "zstd", "numcodecs.zstd") }
