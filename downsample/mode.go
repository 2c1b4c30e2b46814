package downsample

import "github.com/omnizarr/zarr/internal/numeric"

// mode finds the kernel for elements of a size, which are compared by their
// bits.
func mode(size int, missing []byte) kernel {
	switch size {
	case 1:
		return most[uint8](missing)
	case 2:
		return most[uint16](missing)
	case 4:
		return most[uint32](missing)
	case 8:
		return most[uint64](missing)
	}
	return nil
}

func most[T numeric.Unsigned](missing []byte) kernel {
	one := func(a, b, c, d T) T {
		switch {
		case a == b:
			return a
		case c == a || c == b:
			return c
		case d == a || d == b || d == c:
			return d
		}
		return a
	}
	if missing != nil {
		all := one
		none := numeric.Slice[T](missing)[0]
		one = func(a, b, c, d T) T {
			if a != none && b != none && c != none && d != none {
				return all(a, b, c, d)
			}
			return mostOf(none, a, b, c, d)
		}
	}
	return func(dst, top, bottom []byte) {
		each(numeric.Slice[T](dst), numeric.Slice[T](top), numeric.Slice[T](bottom), one)
	}
}

// mostOf finds the value that is not none and there most often; one that is
// there so often first.
func mostOf[T numeric.Unsigned](none T, values ...T) T {
	best, most := none, 0
	for i, v := range values {
		n := 0
		for _, u := range values[:i+1] {
			if u == v {
				n++
			}
		}
		if v != none && n > most {
			best, most = v, n
		}
	}
	return best
}
