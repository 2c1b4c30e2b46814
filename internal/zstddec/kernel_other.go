//go:build !amd64 && !arm64

package zstddec

const hasKernels = false

func (l *lanes) four(*quad) {}

func (l *lanes) both(a, b *quad) {}

func (s *sequenceDecoder) kernel() pause { return tail }
