package deflate

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/inflate"
)

// A frame of either format is a header, compressed data, and a trailer that is
// computed from the data.

// appendHeader appends the header that says what level was used.
func (f Format) appendHeader(dst []byte, level int) []byte {
	if f == Gzip {
		var hint byte
		switch level {
		case 1:
			hint = 4
		case 9:
			hint = 2
		}
		// Neither flags nor a time, from an unknown system: equal chunks have
		// equal bytes.
		return append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, hint, 255)
	}
	hint := []uint16{0, 0, 1, 1, 1, 1, 2, 3, 3, 3}[level]
	h := 0x7800 | hint<<6
	return binary.BigEndian.AppendUint16(dst, h+31-h%31)
}

// appendTrailer appends what follows the compressed form of data.
func (f Format) appendTrailer(dst, data []byte) []byte {
	if f == Gzip {
		dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(data))
		return binary.LittleEndian.AppendUint32(dst, uint32(len(data)))
	}
	return binary.BigEndian.AppendUint32(dst, inflate.Adler32(data))
}

// checkTrailer checks what follows the compressed form of data, and returns how
// long it is.
func (f Format) checkTrailer(src, data []byte) (int, error) {
	var room [8]byte
	want := f.appendTrailer(room[:0], data)
	if len(src) < len(want) {
		return 0, codec.Bad("ends within the checksum behind %d bytes", len(data))
	}
	if got := src[:len(want)]; !bytes.Equal(got, want) {
		return 0, codec.Bad("checksum is %x, the data has %s", got, hex.EncodeToString(want)) // want stays on the stack
	}
	return len(want), nil
}

// header checks the header at the start of src, and returns how long it is.
func (f Format) header(src []byte) (int, error) {
	if f == Gzip {
		return gzipHeader(src)
	}
	if len(src) < 2 {
		return 0, codec.Bad("%d bytes are too few for a header", len(src))
	}
	h := binary.BigEndian.Uint16(src)
	switch {
	case h%31 != 0, h>>8&0xf != 8, h>>12 > 7:
		return 0, codec.Bad("header %04x is not that of zlib", h)
	case h&0x20 != 0:
		return 0, codec.Bad("needs a dictionary that is not in the data")
	}
	return 2, nil
}

// What the flags in the header of gzip announce.
const (
	hasSum     = 1 << 1
	hasExtra   = 1 << 2
	hasName    = 1 << 3
	hasComment = 1 << 4
	reserved   = 0xe0
)

func gzipHeader(src []byte) (int, error) {
	const fixed = 10
	if len(src) < fixed {
		return 0, codec.Bad("%d bytes are too few for a header", len(src))
	}
	if src[3]&reserved != 0 && src[0] == 0x1f && src[1] == 0x8b {
		return 0, codec.Bad("header %x has flags that gzip reserves", src[:4])
	}
	if src[0] != 0x1f || src[1] != 0x8b || src[2] != 8 {
		return 0, codec.Bad("header %x is not that of gzip", src[:4])
	}
	flags, n := src[3], fixed
	if flags&hasExtra != 0 {
		if len(src)-n < 2 {
			return 0, codec.Bad("ends within the header")
		}
		n += 2 + int(binary.LittleEndian.Uint16(src[n:]))
	}
	for _, flag := range []byte{hasName, hasComment} {
		if flags&flag == 0 {
			continue
		}
		end := bytes.IndexByte(src[min(n, len(src)):], 0)
		if end < 0 {
			return 0, codec.Bad("ends within the header")
		}
		n += end + 1
	}
	sum := n
	if flags&hasSum != 0 {
		n += 2
	}
	if n > len(src) {
		return 0, codec.Bad("ends within the header")
	}
	if flags&hasSum != 0 {
		want, got := binary.LittleEndian.Uint16(src[sum:]), uint16(crc32.ChecksumIEEE(src[:sum]))
		if want != got {
			return 0, codec.Bad("checksum of the header is %04x, the header has %04x", want, got)
		}
	}
	return n, nil
}
