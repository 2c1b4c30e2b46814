package zarr

import (
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/nd"
)

// Make gives new memory for elements of the array, as ReadInto takes it, with a
// heap if they need one. More than MaxRead allows is an error.
func (a *Array) Make(shape ...int) (nd.View, error) {
	t := a.now.Load().spec.Type
	n, err := a.room(shape, t.Size())
	if err != nil {
		return nd.View{}, a.fail("read", err)
	}
	v := nd.Of(bigmem.Make[byte](n*t.Size()), t.Size(), shape...)
	if len(t.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	return v, nil
}
