package table_test

import (
	"testing"

	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/serve/table"
)

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	zerotest.Func(t, "New", table.New)
	zerotest.Func(t, "Of", table.Of)
	zerotest.Func(t, "ParseFilter", table.ParseFilter)
	zerotest.Methods(t, "Table", &table.Table{})
}
