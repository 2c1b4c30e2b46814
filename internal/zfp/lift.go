package zfp

// integer is what the values of a block are computed in.
type integer interface{ int32 | int64 }

// forward transforms the block p along all axes, the fastest first.
func forward[T integer](p []T) {
	for s := 1; s < len(p); s *= 4 {
		for i := 0; i < len(p); i += 4 * s {
			a, b, c, d := quarters(p[i:], s)
			for k := range a {
				x, y, z, w := a[k], b[k], c[k], d[k]
				x += w
				x >>= 1
				w -= x
				z += y
				z >>= 1
				y -= z
				x += z
				x >>= 1
				z -= x
				w += y
				w >>= 1
				y -= w
				w += y >> 1
				y -= w >> 1
				a[k], b[k], c[k], d[k] = x, y, z, w
			}
		}
	}
}

// inverse undoes forward, but for bits that it shifted out.
func inverse[T integer](p []T) {
	for s := len(p) / 4; s > 0; s /= 4 {
		for i := 0; i < len(p); i += 4 * s {
			a, b, c, d := quarters(p[i:], s)
			for k := range a {
				x, y, z, w := a[k], b[k], c[k], d[k]
				y += w >> 1
				w -= y >> 1
				y += w
				w += w - y
				z += x
				x += x - z
				y += z
				z += z - y
				w += x
				x += x - w
				a[k], b[k], c[k], d[k] = x, y, z, w
			}
		}
	}
}

// forwardExact is the transform of the reversible variant: each value less what
// those before it on its axis foretell.
func forwardExact[T integer](p []T) {
	for s := 1; s < len(p); s *= 4 {
		for i := 0; i < len(p); i += 4 * s {
			a, b, c, d := quarters(p[i:], s)
			for k := range a {
				x, y, z, w := a[k], b[k], c[k], d[k]
				a[k], b[k], c[k], d[k] = x, y-x, z-2*y+x, w-3*(z-y)-x
			}
		}
	}
}

// inverseExact undoes forwardExact.
func inverseExact[T integer](p []T) {
	for s := len(p) / 4; s > 0; s /= 4 {
		for i := 0; i < len(p); i += 4 * s {
			a, b, c, d := quarters(p[i:], s)
			for k := range a {
				x, y, z, w := a[k], b[k], c[k], d[k]
				a[k], b[k], c[k], d[k] = x, x+y, x+2*y+z, x+3*(y+z)+w
			}
		}
	}
}

// quarters gives the four runs of s values that begin p.
func quarters[T integer](p []T, s int) (a, b, c, d []T) {
	return p[:s:s], p[s : 2*s : 2*s], p[2*s : 3*s : 3*s], p[3*s : 4*s : 4*s]
}
