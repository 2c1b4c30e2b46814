package packbits

import "testing"

// without runs a test as on a processor that lacks the instructions.
func without(t *testing.T, test func(t *testing.T)) {
	kernels, bmi2 := hasKernels, hasBMI2
	defer func() { hasKernels, hasBMI2 = kernels, bmi2 }()
	hasKernels, hasBMI2 = false, false
	test(t)
}
