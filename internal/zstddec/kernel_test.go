//go:build amd64 || arm64

package zstddec

// decodePlain is Decode without kernels.
func decodePlain(dst, src []byte) (int, error) {
	had := hasKernels
	hasKernels = false
	defer func() { hasKernels = had }()
	return Decode(dst, src)
}
