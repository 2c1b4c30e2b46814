package tile

// little24 reports samples of three bytes, the least significant first.
func (l *Layout) little24() bool { return l.Packed == 24 && !l.BigEndian }

// widen makes samples of four bytes from those of three in src.
func widen(dst, src []byte) {
	for ; len(dst) >= 4 && len(src) >= 3; dst, src = dst[4:], src[3:] {
		dst[0], dst[1], dst[2], dst[3] = src[0], src[1], src[2], 0
	}
}

// narrow undoes widen.
func narrow(dst, src []byte) {
	for ; len(src) >= 4 && len(dst) >= 3; dst, src = dst[3:], src[4:] {
		dst[0], dst[1], dst[2] = src[0], src[1], src[2]
	}
}
