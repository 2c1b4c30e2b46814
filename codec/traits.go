package codec

import (
	"context"
	"errors"
	"io"

	"github.com/omnizarr/zarr/nd"
)

// Traits is what few codecs tell of themselves beyond what all of a kind do. A bound
// codec that has some says so in a method, which is read when a chain is bound:
//
//	Traits() codec.Traits
type Traits struct {
	// Inner is the chain of the inner chunks that the chunks of a serializer are made
	// of: a cache keeps those, not the whole.
	Inner *Bound
	// Update, of a serializer, changes a part of a chunk without decoding all of the
	// rest. It appends to dst the chunk that old holds, nil a missing one, with the
	// elements in box replaced by src, or returns ErrEmpty when nothing but fill
	// values is left.
	Update func(ctx context.Context, ck *Chunk, dst []byte, old Source, box nd.Box, src nd.View) ([]byte, error)
	// Stream, of a serializer, encodes a chunk part by part, see Bound.Stream; nil if it
	// cannot.
	Stream func(ctx context.Context, ck *Chunk, w io.Writer, part []int, give Giver) error
	// Rows, of a serializer whose chunks are just their elements one after the other, in C
	// order, writes those of a part of one to dst, which is as long as they are.
	Rows func(dst []byte, part nd.View)
	// Parts, of a serializer whose chunks are made of inner ones, each a range of the bytes, reads where
	// those of one chunk lie, and gives what tells it by their index in the chunk; ok is false for those
	// that are not stored.
	Parts func(ctx context.Context, ck *Chunk, src Source) (find func(at []int) (off, n int, ok bool, err error), err error)
	// Front, of a serializer that can decode a box from the first bytes of a chunk, in a Memory whose Of
	// says how many there would be in all, is how many of them hold it.
	Front func(box nd.Box) int
	// DecodeFront, of a BytesFilter that decodes from the front and can stop, appends the first n bytes of
	// the decoded form of src to dst, and may append more of it: fewer only if there are no more. What lies
	// behind is neither decoded nor checked; but data that promise by a checksum what all of them are
	// must be decoded, and checked, whole. limit is as for Decode.
	DecodeFront func(ck *Chunk, dst, src []byte, n, limit int) ([]byte, error)
	// Programs says that the format of a serializer can hold programs beside data. An
	// array with one is opened only if its first chunk, where it is stored and not
	// large, is data.
	Programs bool
	// Blocks says that a Ranger decodes in blocks which fit the processor's cache. A
	// whole chunk that must be copied to where it belongs is taken through it piece
	// by piece, each copied while it is still there.
	Blocks bool
	// Follows says that chunks take less time one after the other, in a Row, than each by itself.
	Follows bool
	// Lossy says what encoding loses, if it does: for each way in words, such as "10
	// bits are kept". What is decoded from such a chunk need not be what was encoded.
	Lossy []string
}

// Giver gives the elements of a box of a chunk, in memory that is lent until free is
// called.
type Giver func(ctx context.Context, box nd.Box) (v nd.View, free func(), err error)

// Streams reports whether chunks can be encoded part by part.
func (b *Bound) Streams() bool { return b.traits.Stream != nil && len(b.arrays)+len(b.bytes) == 0 }

// Stream writes to w the bytes that Encode gives for a chunk. Its elements are asked
// for in parts of a shape, which is whole inner chunks: one along the first axes, some
// along one axis, and all that there are along those behind it. So neither the elements
// nor the bytes are in memory whole. Nothing is written when it is ErrEmpty.
func (b *Bound) Stream(ctx context.Context, ck *Chunk, w io.Writer, part []int, give Giver) (err error) {
	defer b.caught(&err)
	if !b.Streams() {
		return wrap(b.name, errors.ErrUnsupported)
	}
	return wrap(b.name, b.traits.Stream(ctx, ck, w, part, give))
}

// Lossy lists the codecs of the chain that lose precision when they encode, those of
// inner chunks included, each with what it loses.
func (b *Bound) Lossy() []string {
	if b.traits.Inner == nil {
		return b.lossy
	}
	return append(b.lossy[:len(b.lossy):len(b.lossy)], b.traits.Inner.Lossy()...)
}

// addLossy notes what a codec of the chain loses.
func (b *Bound) addLossy(name string, bound any) {
	for _, text := range traitsOf(bound).Lossy {
		b.lossy = append(b.lossy, name+": "+text)
	}
}

// traitsOf reads the traits of a bound codec; most have none.
func traitsOf(bound any) Traits {
	if t, ok := bound.(interface{ Traits() Traits }); ok {
		return t.Traits()
	}
	return Traits{}
}

// Follows reports whether chunks take less time in a Row; see Traits.
func (b *Bound) Follows() bool { return b.last.Follows }

// Parts tells where the inner chunks of a chunk lie, see Traits; it is nil where chunks are not made of such.
func (b *Bound) Parts() func(ctx context.Context, ck *Chunk, src Source) (find func(at []int) (off, n int, ok bool, err error), err error) {
	if len(b.arrays)+len(b.bytes) > 0 {
		return nil
	}
	return b.traits.Parts
}

// Programs reports whether chunks can hold programs beside data; see Traits.
func (b *Bound) Programs() bool { return b.traits.Programs }

// Inner is the chain of the inner chunks that chunks are made of, nil if they are
// not.
func (b *Bound) Inner() *Bound { return b.traits.Inner }

// InnerShape is the shape of the smallest part of a chunk that is coded by itself, in
// the axes of the array; it is the whole chunk unless there are inner ones.
func (b *Bound) InnerShape() []int {
	if b.traits.Inner == nil || len(b.arrays) > 0 {
		return b.in.Shape
	}
	return b.traits.Inner.InnerShape()
}
