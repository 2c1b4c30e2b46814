package std_test

import (
	"testing"

	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/meta"
)

// What others cannot read is told wherever it hides.
func TestPortable(t *testing.T) {
	for text, want := range map[string]bool{
		`{"name":"zstd"}`:               true,
		`{"name":"numcodecs.zlib"}`:     true,
		`{"name":"numcodecs.pickle"}`:   false,
		`{"name":"omnizarr.hdf5.szip"}`: false,
		`{"name":"conditional","configuration":{"codecs":[{"name":"numcodecs.zlib"}]}}`:                                                  false, // which nobody else has
		`{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"},{"name":"gzip"}]}}`:                    true,
		`{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"},{"name":"omnizarr.hdf5.szip"}]}}`:      false,
		`{"name":"sharding_indexed","configuration":{"codecs":[{"name":"sharding_indexed","configuration":{"codecs":["omnizarr.x"]}}]}}`: false,
	} {
		x, err := meta.ParseExtension([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := std.Portable(x); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
