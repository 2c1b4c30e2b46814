package bitshuffle_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/bitshuffle"
	"github.com/omnizarr/zarr/codec/internal/basic"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry { return basic.With(bitshuffle.Parse, bitshuffle.Name) }
