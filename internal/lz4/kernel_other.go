//go:build !amd64 && !arm64

package lz4

// decodeFast unpacks sequences as long as that is simple; see decodePlain.
func decodeFast(dst, src []byte, ip, op int) (int, int) { return decodePlain(dst, src, ip, op) }

// seek looks for the next match; see seekPlain.
func (t *table) seek(_, src []byte, s *progress) bool { return t.seekPlain(src, s) }
