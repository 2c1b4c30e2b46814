package zstdenc

// encodePlain is AppendEncode without kernels.
func encodePlain(src []byte, level int, checksum bool) []byte {
	had := hasKernels
	hasKernels = false
	defer func() { hasKernels = had }()
	return AppendEncode(nil, src, level, checksum)
}
