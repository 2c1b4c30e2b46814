package kind

import (
	"flag"

	"github.com/omnizarr/zarr/job/copying"
)

// Zarr3 is what copies are made in unless something else is asked for.
type Zarr3 struct{}

// Name is that of the format.
func (Zarr3) Name() string { return copying.Zarr3().Name() }

// Formats is the name alone.
func (z Zarr3) Formats() []string { return []string{z.Name()} }

// Endings are none: it is what other names stand for.
func (Zarr3) Endings() []string { return nil }

// FormatFlags are none.
func (Zarr3) FormatFlags(*flag.FlagSet) {}

// Format is the one that there is.
func (Zarr3) Format(string) (copying.Format, error) { return copying.Zarr3(), nil }
