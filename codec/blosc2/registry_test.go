package blosc2_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/internal/basic"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry { return basic.With(blosc2.Parse, blosc2.Name) }
