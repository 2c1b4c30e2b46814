package blosc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/shuffle"
)

// Decode appends what the frame src holds to dst: at most limit bytes, more is an
// error that is noticed before anything is allocated.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	return DecodeParts(dst, src, limit, nil)
}

// DecodeParts is Decode of a frame whose blocks may be decoded at once: run calls part
// for each i below n, in any order and on any goroutines. Where it is nil, and where
// there are few blocks, one follows the other.
func DecodeParts(dst, src []byte, limit int, run func(n int, part func(i int) error) error) ([]byte, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return nil, err
	}
	if h.Bytes > limit {
		return nil, fmt.Errorf("holds %d bytes, at most %d are possible", h.Bytes, limit)
	}
	if h.Length > len(src) {
		return nil, fmt.Errorf("%d bytes of a Blosc frame of %d", len(src), h.Length)
	}
	src = src[:h.Length]
	if h.Stored() {
		return append(dst, src[HeaderLen:HeaderLen+h.Bytes]...), nil
	}
	if most := h.maxRatio() * h.Length; h.Bytes > most {
		return nil, fmt.Errorf("claims to hold %d bytes, %d can hold at most %d", h.Bytes, h.Length, most)
	}
	at := len(dst)
	dst = slices.Grow(dst, h.Bytes)[:at+h.Bytes]
	out := dst[at:]
	blocks := h.Blocks()
	each := max(1, share/h.BlockSize) // blocks of a part
	if run == nil || blocks <= each {
		err = h.decode(out, src, 0, blocks)
	} else {
		err = run((blocks+each-1)/each, func(i int) error {
			return h.decode(out, src, i*each, min((i+1)*each, blocks))
		})
	}
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// share is how many bytes at least are worth a goroutine.
const share = 1 << 20

// decode decodes the blocks from first to end into their places in out.
func (h Header) decode(out, src []byte, first, end int) error {
	_, stop := h.Block(end - 1)
	out = out[:stop:cap(out)]
	if stop < h.Bytes {
		out = out[:stop:stop] // what lies behind is another's
	}
	d := newDecoder(h)
	defer d.free()
	for i := first; i < end; i++ {
		start := le.Uint32(src[HeaderLen+4*i:])
		if err := h.checkStart(i, start); err != nil {
			return err
		}
		lo, hi := h.Block(i)
		if err := d.block(out[lo:hi], i, src[start:]); err != nil {
			return err
		}
	}
	return nil
}

// maxRatio bounds how many bytes one byte of a frame can stand for: a run of LZ4
// or BloscLZ grows by 255 with every byte, Deflate's matches of 258 take two bits,
// and four bytes can be a block of 128 KiB in Zstandard.
func (h Header) maxRatio() int {
	switch h.format() {
	case formatZstd:
		return 1 << 15
	case formatZlib:
		return 1 << 11
	}
	return 1 << 9
}

// filter is what is done to a block before it is compressed.
type filter uint8

const (
	noFilter filter = iota
	byBytes
	byBits
)

// filter is the filter of a block of n bytes.
func (h Header) filter(n int) filter {
	switch {
	case h.flags&flagShuffle != 0 && h.TypeSize > 1:
		return byBytes
	case h.flags&flagBitshuffle != 0 && n >= h.TypeSize:
		return byBits
	}
	return noFilter
}

// decoder decodes the blocks of a frame.
type decoder struct {
	Header
	scratch *buf.Buffer // a block, still filtered
	planes  [maxStreams][]byte
}

// slack is room behind the scratch memory that lets decompressors copy in large
// pieces without looking where the end is.
const slack = 128

func newDecoder(h Header) *decoder {
	d := decoders.Get().(*decoder)
	d.Header = h
	if h.filter(h.BlockSize) != noFilter {
		d.scratch = buf.Get(h.BlockSize + slack)
	}
	return d
}

func (d *decoder) free() {
	d.scratch.Free()
	*d = decoder{}
	decoders.Put(d)
}

// block decodes block i, whose encoded form stands at the beginning of src, into
// dst. What the capacity of dst has behind it may be overwritten.
func (d *decoder) block(dst []byte, i int, src []byte) error {
	filter, streams := d.filter(len(dst)), d.streams(len(dst))
	n := len(dst) / streams
	if n*streams != len(dst) {
		return fmt.Errorf("block %d of %d bytes cannot be split into %d streams", i, len(dst), streams)
	}
	mem := dst
	if filter != noFilter {
		mem = d.scratch.B[:len(dst)]
	}
	for j := range streams {
		stream, rest, err := cutStream(src, n)
		if err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		src = rest
		switch {
		case len(stream) != n:
			d.planes[j] = mem[j*n : (j+1)*n]
			if err := d.format().decode(d.planes[j], stream); err != nil {
				return fmt.Errorf("block %d: %s: %w", i, d.format(), err)
			}
		case filter == noFilter:
			copy(dst[j*n:], stream)
		default:
			d.planes[j] = stream // where it is
		}
	}
	planes := d.planes[:streams]
	switch {
	case filter == byBytes && streams == 1:
		shuffle.Unshuffle(dst, planes[0], d.TypeSize)
	case filter == byBytes:
		shuffle.UnshufflePlanes(dst, planes)
	case filter == byBits && streams == 1:
		shuffle.Bitunshuffle(dst, planes[0], d.TypeSize)
	case filter == byBits:
		shuffle.BitunshufflePlanes(dst, planes)
	}
	return nil
}

// cutStream cuts the next stream, which holds n bytes, from src.
func cutStream(src []byte, n int) (stream, rest []byte, err error) {
	if len(src) < 4 {
		return nil, nil, errors.New("a stream has no length")
	}
	size := int64(int32(le.Uint32(src)))
	src = src[4:]
	if size < 0 || size > int64(len(src)) || size > int64(maxStream(n)) {
		return nil, nil, fmt.Errorf("a stream of %d bytes claims %d, with %d left", n, size, len(src))
	}
	return src[:size], src[size:], nil
}
