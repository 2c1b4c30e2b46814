package hdf5_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// FuzzOpen opens files that are changed, and reads all that is small. What
// checksums say is taken for right.
func FuzzOpen(f *testing.F) {
	defer hdf5.Trust()()
	for name, data := range archive(f, "bad.tar.zst") {
		if strings.HasSuffix(name, ".h5") && len(data) < 6<<10 {
			f.Add(data)
		}
	}
	for name, data := range fixtures(f) {
		if strings.HasSuffix(name, ".h5") && len(data) < 6<<10 {
			f.Add(data)
		}
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		try(map[string][]byte{"a.h5": data}, badCase{File: "a.h5"})
	})
}
