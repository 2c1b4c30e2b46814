package jobs_test

import (
	"flag"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/internal/zerotest"
)

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	// Flags are always added to some.
	zerotest.Methods(t, "zero", &jobs.Kind{}, "CheckFlags", "CopyFlags")
	zerotest.Func(t, "Further", jobs.Further)
	var k jobs.Kind
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	k.CheckFlags(flags)
	k.CopyFlags(flags)
	but := []string{"CheckFlags", "CopyFlags"}
	if !thorough.Enabled {
		but = append(but, "Exhibit") // which no flag changes
	}
	zerotest.Methods(t, "flags", &k, but...)
}
