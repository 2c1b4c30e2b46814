package packbits

import "testing"

// without runs a test as on a processor that lacks the instructions.
func without(t *testing.T, test func(t *testing.T)) {
	defer func() { hasKernels = true }()
	hasKernels = false
	test(t)
}
