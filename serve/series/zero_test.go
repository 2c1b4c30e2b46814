package series_test

import (
	"testing"

	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/serve/series"
)

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	zerotest.Func(t, "New", series.New)
	zerotest.Func(t, "Plain", series.Plain)
	zerotest.Methods(t, "Series", &series.Series{})
	zerotest.Methods(t, "View", &series.View{})
}
