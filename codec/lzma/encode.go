package lzma

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"

	"github.com/omnizarr/zarr/codec"
)

func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	data := src
	if len(f.chain.deltas) > 0 {
		b, err := ck.Lend(len(src))
		if err != nil {
			return nil, err
		}
		defer b.Free()
		b.B = append(b.B, src...)
		applyDeltas(b.B, f.chain.deltas)
		data = b.B
	}
	e := encoders.Get().(*encoder)
	defer e.free()
	e.init(data, &f.chain)
	switch {
	case f.format == XZ:
		return f.appendXZ(dst, src, e), nil
	case f.chain.lzma1:
		return f.appendLZMA1(dst, e), nil
	default:
		return e.appendLZMA2(dst), nil
	}
}

// dict is the dictionary that a header asks for to decode n bytes.
func (f *filter) dict(n int) int {
	return min(1<<bits.Len(uint(max(n, minDict)-1)), f.chain.dict)
}

// appendLZMA1 writes all that e has, behind a header if the format has one.
func (f *filter) appendLZMA1(dst []byte, e *encoder) []byte {
	n := len(e.finder.data)
	if f.format == Alone {
		// liblzma does not write the size either.
		dst = append(dst, f.chain.props.code())
		dst = binary.LittleEndian.AppendUint32(dst, uint32(f.dict(n)))
		dst = binary.LittleEndian.AppendUint64(dst, math.MaxUint64)
	}
	e.rc.init(dst)
	e.encode(n, math.MaxInt)
	e.end()
	return e.rc.flush()
}

// A chunk of LZMA2 has at most so many bytes, packed and unpacked.
const (
	maxPacked   = 1 << 16
	maxUnpacked = 1 << 21
	// No operation takes more than this.
	oneOperation = 64
)

// appendLZMA2 writes all that e has.
func (e *encoder) appendLZMA2(dst []byte) []byte {
	control := byte(newDict)
	first := byte(copyReset)
	for n := len(e.finder.data); e.pos < n; {
		at, from := len(dst), e.pos
		header := 5
		if control >= newProps {
			header++
		}
		e.rc.init(append(dst, make([]byte, header)...))
		e.encode(min(from+maxUnpacked, n), maxPacked-oneOperation)
		dst = e.rc.flush()
		packedSize, size := len(dst)-at-header, e.pos-from
		if packedSize >= size {
			// Nothing was gained, and the bytes fit a chunk as they are. The
			// model learned what a decoder will not see, so it starts anew.
			dst = append(dst[:at], first, byte((size-1)>>8), byte(size-1))
			dst = append(dst, e.finder.data[from:e.pos]...)
			e.model.reset(e.model.props)
			first, control = copyOnly, max(min(control, newProps), newState)
			continue
		}
		h := dst[at : at+header]
		h[0] = control | byte((size-1)>>16)
		binary.BigEndian.PutUint16(h[1:], uint16(size-1))
		binary.BigEndian.PutUint16(h[3:], uint16(packedSize-1))
		if control >= newProps {
			h[5] = e.model.props.code()
		}
		first, control = copyOnly, packed
	}
	return append(dst, endOfChunks)
}

// appendXZ writes a stream with a block, or none if there is nothing in it. e has
// src after the deltas.
func (f *filter) appendXZ(dst, src []byte, e *encoder) []byte {
	flags := [2]byte{0, byte(f.check)}
	dst = append(append(dst, xzMagic...), flags[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(flags[:]))
	var index [32]byte
	records := append(index[:0], 0, 0)
	if len(src) > 0 {
		at := len(dst)
		dst = f.appendBlockHeader(dst, len(src))
		header := len(dst)
		dst = e.appendLZMA2(dst)
		end := len(dst)
		dst = append(dst, 0, 0, 0)[:end+(header-end)&3]
		padding := len(dst) - end
		dst = appendCheck(dst, f.check, src)
		records[1]++
		records = binary.AppendUvarint(records, uint64(len(dst)-at-padding))
		records = binary.AppendUvarint(records, uint64(len(src)))
	}
	return appendIndex(dst, records, flags)
}

func (f *filter) appendBlockHeader(dst []byte, n int) []byte {
	at := len(dst)
	dst = append(dst, 0, byte(len(f.chain.deltas)))
	for _, dist := range f.chain.deltas {
		dst = append(dst, filterDelta, 1, byte(dist-1))
	}
	dst = append(dst, filterLZMA2, 1, dictCode(f.dict(n)))
	for len(dst[at:])%4 != 0 {
		dst = append(dst, 0)
	}
	dst[at] = byte(len(dst[at:]) / 4)
	return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[at:]))
}

// dictCode is the number of the smallest dictionary of at least n bytes. They are
// 4 KiB, 6 KiB, 8 KiB, 12 KiB and so on.
func dictCode(n int) byte {
	code := 0
	for code < 40 && (2|code&1)<<(code/2+11) < n {
		code++
	}
	return byte(code)
}

// appendIndex writes what follows the blocks.
func appendIndex(dst, records []byte, flags [2]byte) []byte {
	at := len(dst)
	dst = append(dst, records...)
	for len(dst[at:])%4 != 0 {
		dst = append(dst, 0)
	}
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[at:]))
	var tail [6]byte
	binary.LittleEndian.PutUint32(tail[:], uint32(len(dst[at:])/4-1))
	copy(tail[4:], flags[:])
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(tail[:]))
	return append(append(dst, tail[:]...), xzEndMagic...)
}
