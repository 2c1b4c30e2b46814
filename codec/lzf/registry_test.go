package lzf_test

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/lzf"
)

// registry knows the codecs of these tests.
func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(lzf.Parse, lzf.Name)
	return r
}
