package endian

import (
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// scalars is the width of the scalars if elements of so many bytes are nothing but
// these, else 0.
func scalars(units []dtype.Unit, size int) int {
	if len(units) == 1 && units[0].Width > 0 && units[0].Width*units[0].Count == size {
		return units[0].Width
	}
	return 0
}

// copySwapped copies elements with the bytes of their units reversed.
func copySwapped(dst, src nd.View, units []dtype.Unit) {
	if width := scalars(units, dst.Size); width > 0 {
		nd.CopySwapped(dst, src, width)
		return
	}
	nd.Copy(dst, src)
	dst.Each(func(elem []byte) { swapElement(elem, units) })
}

// swap reverses the bytes of the units of elements of so many bytes in place.
func swap(mem []byte, units []dtype.Unit, size int) {
	if width := scalars(units, size); width > 0 {
		nd.SwapBytes(mem, mem, width)
		return
	}
	for ; len(mem) >= size; mem = mem[size:] {
		swapElement(mem[:size], units)
	}
}

func swapElement(elem []byte, units []dtype.Unit) {
	for _, u := range units {
		part := elem[u.Offset : u.Offset+u.Width*u.Count]
		nd.SwapBytes(part, part, u.Width)
	}
}
