//go:build !amd64

package zstdenc

func encodePlain(src []byte, level int, checksum bool) []byte {
	return AppendEncode(nil, src, level, checksum)
}
