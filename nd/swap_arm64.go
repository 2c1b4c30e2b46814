package nd

import "unsafe"

// Every processor of this kind has NEON; tests go without.
var hasKernels = true

// step is how many bytes the kernels have in a register.
const step = 16

// streamSwapped is for processors that can copy past the cache.
func (c *copier) streamSwapped(_, _ unsafe.Pointer, _ loop) bool { return false }
