//go:build !amd64

package zstddec

// kernel is for processors that have one for sequences.
func (s *sequenceDecoder) kernel() pause { return tail }
