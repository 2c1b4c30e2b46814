//go:build !amd64 && !arm64

package zstddec

func decodePlain(dst, src []byte) (int, error) { return Decode(dst, src) }
