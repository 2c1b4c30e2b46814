package optional_test

import (
	"testing"

	"github.com/omnizarr/zarr/codec/codectest"
)

func TestReferencesPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: codecs(`["bytes"]`, `["vlen-utf8"]`), Type: optionalOf("string"), Shape: []int{4, 5}, Fill: `["x"]`},
		{Codecs: codecs(`["bytes"]`, codecs(`["packbits"]`, `["vlen-bytes","gzip"]`)), Type: `{"name":"zarrs.optional","configuration":` + optionalOf("bytes") + `}`, Shape: []int{9}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}
