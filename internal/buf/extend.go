package buf

// Extend gives dst with n more bytes, of any content, at its end: in place when
// dst has the room, else in new memory of just that size.
func Extend(dst []byte, n int) []byte {
	if n <= cap(dst)-len(dst) {
		return dst[:len(dst)+n]
	}
	out := make([]byte, len(dst)+n)
	copy(out, dst)
	return out
}
