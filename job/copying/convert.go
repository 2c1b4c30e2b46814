package copying

import (
	"fmt"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/number"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// IsNumber reports whether elements of a type can be converted by value.
func IsNumber(t dtype.Type) bool { return number.Is(t) }

// TargetType is the type that a copy has.
func TargetType(from dtype.Type, name string) (dtype.Type, error) {
	if name == "" {
		return from, nil
	}
	to, err := dtype.Lookup(name)
	if err != nil {
		return nil, err
	}
	if dtype.Equal(from, to) {
		return from, nil
	}
	if !IsNumber(from) || !IsNumber(to) {
		return nil, fmt.Errorf("cannot convert %s to %s: only numbers are converted", from.Name(), to.Name())
	}
	return to, nil
}

// Convert copies numbers by value into memory that is contiguous. Floats are rounded to the nearest; everything
// else that the type does not have is an error.
func Convert(to dtype.Type, dst nd.View, from dtype.Type, src nd.View) error {
	c := number.Exact(to, from)
	out, _ := dst.Contiguous()
	return numeric.Runs(nd.Of(out, to.Size(), src.Shape...), src, func(d, s []byte) error {
		if k := c.Run(d, s); k >= 0 {
			size := from.Size()
			return fmt.Errorf("%s has no %s, which is a %s", to.Name(), c.Text(s[k*size:(k+1)*size]), from.Name())
		}
		return nil
	})
}
