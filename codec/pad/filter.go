package pad

import (
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
)

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(in codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	f := &filter{Codec: c, spec: in, in: size, out: size}
	if size.Known {
		if size.N > math.MaxInt-c.NBytes {
			return nil, fmt.Errorf("%d bytes of padding and %d of data are more than can be counted", c.NBytes, size.N)
		}
		f.out.N += c.NBytes
	}
	return f, nil
}

// filter is the bound codec.
type filter struct {
	Codec
	spec    codec.Spec // of the serialized array
	in, out codec.Size
}

// Size is what comes in and the padding.
func (f *filter) Size() codec.Size { return f.out }

// Encode appends src with its padding.
func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst, err := ck.Grow(dst, f.NBytes+len(src)) // below zero where it cannot be counted
	if err != nil {
		return nil, err
	}
	if f.Location == End {
		dst = append(dst, src...)
	}
	dst, err = f.appendPadding(ck, dst, src)
	if err == nil && f.Location == Start {
		dst = append(dst, src...)
	}
	return dst, err
}

// appendPadding appends the padding for src to dst, which has the room.
func (f *filter) appendPadding(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	at, n := len(dst), f.NBytes
	if f.fill == nil {
		if f.Literal != nil {
			return append(dst, f.Literal...), nil
		}
		dst = dst[:at+n]
		clear(dst[at:])
		return dst, nil
	}
	c := Context{
		Location: f.Location, Size: n, Shape: f.spec.Shape, Type: f.spec.Type,
		Data: src[:len(src):len(src)], Room: dst[at : at : at+n], literal: f.Literal,
	}
	if ck != nil {
		c.Index, c.Extent = ck.Index, ck.Extent
	}
	out, err := f.fill(&c)
	if err != nil {
		return nil, err
	}
	if len(out) != n {
		return nil, fmt.Errorf("the computed padding has %d bytes: must have %d", len(out), n)
	}
	dst = dst[:at+n]
	copy(dst[at:], out)
	return dst, nil
}

// Slice cuts the padding off; what it holds is looked at only if that is asked
// for, since a reader need not know how it was computed.
func (f *filter) Slice(ck *codec.Chunk, src []byte) ([]byte, error) {
	n := len(src) - f.NBytes
	if n < 0 {
		return nil, f.short(int64(len(src)))
	}
	if f.Literal != nil && ck.Strict() {
		if err := f.compare(src); err != nil {
			return nil, err
		}
	}
	if f.Location == Start {
		return src[f.NBytes:], nil
	}
	return src[:n:n], nil
}

// compare reports padding that is not the literal of the metadata. Where there is
// none the padding may be anything, such as the headers of another format.
func (f *filter) compare(src []byte) error {
	stored := src[:f.NBytes]
	if f.Location == End {
		stored = src[len(src)-f.NBytes:]
	}
	for i, b := range stored {
		if want := f.Literal[i]; b != want {
			return codec.Bad("byte %d of the padding is %02x, the metadata says %02x", i, b, want)
		}
	}
	return nil
}

// short says that there is less than the padding.
func (f *filter) short(n int64) error {
	return codec.Bad("%d bytes are too few for the %d of padding", n, f.NBytes)
}

// Decode appends src without its padding.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	src, err := f.Slice(ck, src)
	if err != nil {
		return nil, err
	}
	if len(src) > limit {
		return nil, ck.Over(len(src), limit)
	}
	return append(dst, src...), nil
}

// Range gives random access to the data without the padding.
func (f *filter) Range(_ *codec.Chunk, src codec.Source) codec.Source {
	return &shifted{filter: f, src: src}
}
