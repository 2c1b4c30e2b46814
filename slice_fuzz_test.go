package zarr_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// Whatever is asked for of an array is a selection or an error.
func FuzzSlice(f *testing.F) {
	for _, text := range []string{"", "...", "0:10,::2,-1", "1:2:3, ..., 5", "::-1", "z=0:10", "9223372036854775807", "-9223372036854775808:", "1:,:1,:", "0x10", "1e3", "[1,2,3]", "::0"} {
		f.Add(text)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, text string) {
		sel, err := zarr.ParseSlice(text)
		if (sel == nil) == (err == nil) {
			t.Errorf("%q: %v, %v", text, sel, err)
		}
		if terms, err := zarr.ParseTerms(text); err == nil {
			for _, term := range terms {
				_, _ = term.Axis() // it may say no
			}
		}
	})
}
