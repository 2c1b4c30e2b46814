package lzw_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/lzw"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry { return basic.With(lzw.Parse, "imagecodecs_lzw", "lzw") }
