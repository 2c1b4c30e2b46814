package lzma

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"

	"github.com/omnizarr/zarr/codec"
)

var (
	xzMagic     = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
	xzEndMagic  = []byte{'Y', 'Z'}
	crc64Table  = crc64.MakeTable(crc64.ECMA)
	errXZHeader = codec.Bad("ends within the header of .xz")
)

const (
	xzHeader = 6 + 2 + 4     // magic, flags, CRC-32
	xzFooter = 4 + 4 + 2 + 2 // CRC-32, size of the index, flags, magic
)

// record is what the index has of a block.
type record struct{ unpadded, size uint64 }

// xz reads all streams that follow each other. What else follows them, such as
// padding, means nothing.
func (d *decoder) xz() error {
	for {
		if err := d.xzStream(); err != nil {
			return err
		}
		rest := bytes.TrimLeft(d.src, "\x00")
		if !bytes.HasPrefix(rest, xzMagic) {
			return nil
		}
		d.src = rest
	}
}

func (d *decoder) xzStream() error {
	whole := d.src
	if len(whole) < xzHeader {
		return errXZHeader
	}
	if !bytes.HasPrefix(whole, xzMagic) {
		return codec.Bad("begins with %x, which is not .xz", whole[:len(xzMagic)])
	}
	flags := whole[6:8]
	if want, got := binary.LittleEndian.Uint32(whole[8:]), crc32.ChecksumIEEE(flags); want != got {
		return codec.Bad("checksum of the header is %08x, the header has %08x", want, got)
	}
	check := int(flags[1])
	switch check {
	case checkNone, checkCRC32, checkCRC64, checkSHA256:
	default:
		return codec.Bad("check %d is not supported", check)
	}
	if flags[0] != 0 {
		return codec.Bad("flags are %x", flags)
	}
	d.src = whole[xzHeader:]
	d.records = d.records[:0]
	for {
		if len(d.src) == 0 {
			return codec.Bad("ends without an index")
		}
		if d.src[0] == 0 {
			break
		}
		if err := d.xzBlock(check); err != nil {
			return err
		}
	}
	return d.xzIndex(flags)
}

// xzBlock reads a block: a header, data, padding and a check.
func (d *decoder) xzBlock(check int) error {
	b := d.src
	header := (int(b[0]) + 1) * 4
	if len(b) < header {
		return codec.Bad("ends within the header of a block")
	}
	if want, got := binary.LittleEndian.Uint32(b[header-4:]), crc32.ChecksumIEEE(b[:header-4]); want != got {
		return codec.Bad("checksum of a block's header is %08x, the header has %08x", want, got)
	}
	h, err := parseBlock(b[1 : header-4])
	if err != nil {
		return err
	}
	at := len(d.out)
	d.src = b[header:]
	if err := d.lzma2(); err != nil {
		return err
	}
	undoDeltas(d.out[at:], h.deltas[:h.n])
	n, size := len(b)-header-len(d.src), len(d.out)-at
	if h.hasPacked && h.packed != uint64(n) || h.hasSize && h.size != uint64(size) {
		return codec.Bad("a block of %d bytes for %d has a header that says otherwise", n, size)
	}
	padding := -n & 3
	var room [sha256.Size]byte
	sum := appendCheck(room[:0], check, d.out[at:])
	if len(d.src) < padding+len(sum) {
		return codec.Bad("ends within the check of a block")
	}
	if !zeros(d.src[:padding]) {
		return codec.Bad("a block is padded with %x", d.src[:padding])
	}
	if got := d.src[padding : padding+len(sum)]; !bytes.Equal(got, sum) {
		return codec.Bad("checksum is %x, the data has %x", got, sum)
	}
	d.src = d.src[padding+len(sum):]
	d.records = append(d.records, record{uint64(header + n + len(sum)), uint64(size)})
	return nil
}

// blockHeader is what the header of a block says.
type blockHeader struct {
	hasPacked, hasSize bool
	packed, size       uint64
	deltas             [3]int
	n                  int // of deltas
}

// parseBlock reads the header of a block between its size and its checksum.
func parseBlock(b []byte) (h blockHeader, err error) {
	r := varints{b: b[1:]}
	flags := b[0]
	if flags&0x3c != 0 {
		return h, codec.Bad("flags of a block are %#x", flags)
	}
	if h.hasPacked = flags&0x40 != 0; h.hasPacked {
		h.packed = r.next()
	}
	if h.hasSize = flags&0x80 != 0; h.hasSize {
		h.size = r.next()
	}
	last := int(flags & 3)
	for i := 0; i <= last; i++ {
		id, n := r.next(), r.next()
		switch {
		case r.bad || n > uint64(len(r.b)):
			return h, codec.Bad("the header of a block has no end")
		case id == filterDelta && n == 1 && i < last:
			h.deltas[h.n] = int(r.b[0]) + 1
			h.n++
		case id == filterLZMA2 && n == 1 && i == last && r.b[0] <= 40:
		case id == filterDelta || id == filterLZMA2:
			return h, codec.Bad("filter %d of a block is %d with %x", i, id, r.b[:n])
		default:
			return h, codec.Bad("%v", unsupported(id))
		}
		r.b = r.b[n:]
	}
	if !zeros(r.b) {
		return h, codec.Bad("the header of a block is padded with %x", r.b)
	}
	return h, nil
}

// xzIndex checks what follows the blocks.
func (d *decoder) xzIndex(flags []byte) error {
	whole := d.src
	r := varints{b: whole[1:]}
	if n := r.next(); n != uint64(len(d.records)) || r.bad {
		return codec.Bad("the index has %d blocks, the data %d", n, len(d.records))
	}
	for i, want := range d.records {
		got := record{r.next(), r.next()}
		if r.bad || got != want {
			return codec.Bad("the index says of block %d that it has %d bytes for %d, it has %d for %d", i, got.unpadded, got.size, want.unpadded, want.size)
		}
	}
	n := len(whole) - len(r.b)
	padding := -n & 3
	if len(r.b) < padding+4+xzFooter {
		return codec.Bad("ends within the index")
	}
	if !zeros(r.b[:padding]) {
		return codec.Bad("the index is padded with %x", r.b[:padding])
	}
	n += padding
	if want, got := binary.LittleEndian.Uint32(whole[n:]), crc32.ChecksumIEEE(whole[:n]); want != got {
		return codec.Bad("checksum of the index is %08x, the index has %08x", want, got)
	}
	n += 4
	footer := whole[n : n+xzFooter]
	size := (uint64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
	if binary.LittleEndian.Uint32(footer) != crc32.ChecksumIEEE(footer[4:10]) || size != uint64(n) || !bytes.Equal(footer[8:10], flags) || !bytes.Equal(footer[10:], xzEndMagic) {
		return codec.Bad("the last bytes, %x, do not fit the rest", footer)
	}
	d.src = whole[n+xzFooter:]
	return nil
}

// appendCheck appends the check of data.
func appendCheck(dst []byte, check int, data []byte) []byte {
	switch check {
	case checkCRC32:
		return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(data))
	case checkCRC64:
		return binary.LittleEndian.AppendUint64(dst, crc64.Checksum(data, crc64Table))
	case checkSHA256:
		sum := sha256.Sum256(data)
		return append(dst, sum[:]...)
	default:
		return dst
	}
}

func zeros(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// varints reads numbers of seven bits a byte, the lowest first.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next() uint64 {
	x, n := binary.Uvarint(r.b)
	// No number has nine bytes, nor a byte that adds nothing.
	if n <= 0 || n > 9 || n > 1 && r.b[n-1] == 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return x
}
