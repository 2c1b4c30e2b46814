//go:build !amd64 && !arm64

package jpeg

import "testing"

// withKernels runs a test with all kernels, here there is one set.
func withKernels(t *testing.T, f func(*testing.T)) { t.Run("go", f) }

// withoutKernels runs f without assembly, of which there is none here.
func withoutKernels(f func()) { f() }
