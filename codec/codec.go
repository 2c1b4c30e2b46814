// Package codec turns chunks of arrays into bytes and back, through a chain of
// codecs as Zarr describes it: array to array, once array to bytes, bytes to
// bytes.
//
// A codec is made in two steps. Parsing reads its configuration; binding tells
// it what will flow through (shape, data type, fill value), so that what can be
// computed once per array is computed then and a chunk costs only its bytes.
// Bound codecs are immutable and may be used by several goroutines.
//
// Reading is by region: a serializer gets a Source of encoded bytes and the box
// that is wanted, and decodes it straight into the caller's strided memory. A
// shard reads byte ranges of its source, plain bytes read just the rows they
// need, and a bytes-to-bytes codec that can (a header, a blocked compressor)
// offers random access to those behind it.
package codec

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Spec is what flows into a codec: chunks of one shape and type.
type Spec struct {
	Type  dtype.Type
	Shape []int
	Fill  []byte   // one element, as it lies in memory
	Heap  *nd.Heap // what references in Fill refer to; nil without references
}

// Chunk says which chunk is being coded. Codecs whose bytes depend on where the
// chunk lies look at it; the others pass it on.
type Chunk struct {
	Cache *Lease // what is kept of the chunk; nil: nothing
	Name  string // of an inner chunk in Cache; "" for the chunk itself
	// Index is the place in the grid of chunks, and Extent the part of the
	// chunk's shape that lies inside the array, both in the axes of what the
	// codec sees. They are nil where that is not known, behind a codec that
	// computes elements. They are lent until the codec returns.
	Index, Extent []int
	Limits        *Limits
	Row           *Row // nil unless the goroutine decodes another chunk next, with the same chain
}

// Row is what one goroutine decodes with one chain, one encoded chunk after the other.
type Row struct {
	// Next are the bytes that follow, nil where none do. They do not change until they were
	// decoded. What a codec begins of them shows nowhere, least of all as an error.
	Next []byte
	// Kept is what the codec whose trait is Follows keeps from one to the next.
	Kept interface{ Free() }
}

// Free ends the row.
func (r *Row) Free() {
	if r.Kept != nil {
		r.Kept.Free()
	}
	*r = Row{}
}

// Limits are the resources that a read or write may use.
type Limits struct {
	Workers Workers // for codecs that can use more than one goroutine; may be nil
	// MaxChunk bounds what is allocated at once for a chunk: its encoded and its
	// decoded bytes, everything between them, and scratch. Chunks of which parts are
	// read may be larger. 0 stands for DefaultMaxChunk.
	MaxChunk  int
	Strict    bool // decoders also check bytes that mean nothing
	KeepEmpty bool // inner chunks that hold only the fill value are stored too
}

// Workers runs loops on several goroutines, as many as there may be at the time.
type Workers interface {
	// Run calls f for every i below n, each call holding weight bytes. The first
	// error stops the loop and is returned; so does the end of ctx.
	Run(ctx context.Context, n int, weight int64, f func(i int) error) error
}

// Source gives the encoded bytes of a chunk; a store.Object is one.
type Source interface {
	// Get appends the bytes in r to dst; see store.Reader.
	Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error)
}

// Keeper is a source that is not told by its version before it is read, and keeps what
// codecs learn of it, such as an index, with the version that it is of.
type Keeper interface {
	Source
	// Keep gives what load gave under a name before, or else gives now, with its
	// version and its size in bytes. From then on the source gives bytes of that
	// version alone: of another one it is store.ErrChanged. fresh says that load was
	// called; what is not may be old until something was read.
	Keep(ctx context.Context, name string, load func() (v any, version string, size int64, err error)) (v any, fresh bool, err error)
}

// Codec is one entry of a codecs list, parsed. It is also an ArrayToArray, an
// ArrayToBytes or a BytesToBytes.
type Codec interface {
	// Name is the name in the metadata.
	Name() string
	// MarshalJSON gives the entry for the metadata, with explicit
	// configuration.
	json.Marshaler
}

// ArrayToArray is a codec that changes elements or their order.
type ArrayToArray interface {
	Codec
	BindArray(in Spec) (ArrayFilter, error)
}

// ArrayToBytes is a codec that writes elements as bytes.
type ArrayToBytes interface {
	Codec
	BindSerializer(in Spec) (Serializer, error)
}

// BytesToBytes is a codec that changes bytes. in describes the array that the
// chain serializes, and size how many bytes come in.
type BytesToBytes interface {
	Codec
	BindBytes(in Spec, size Size) (BytesFilter, error)
}

// ArrayFilter is a bound ArrayToArray. It is either a Mover or a Transform.
type ArrayFilter interface {
	// Out is what flows on.
	Out() Spec
}

// Mover is an ArrayFilter that only changes where elements stand: a view of the
// caller's memory is all it takes.
type Mover interface {
	ArrayFilter
	// View gives the encoded array's view of memory that v views as decoded.
	View(v nd.View) nd.View
	// Box gives the box of the encoded array that holds b of the decoded one.
	Box(b nd.Box) nd.Box
}

// Transform is an ArrayFilter that computes elements.
type Transform interface {
	ArrayFilter
	// Needs is the box of the encoded array from which b can be decoded.
	Needs(b nd.Box) nd.Box
	// Encode fills dst, the whole encoded chunk, from src.
	Encode(ck *Chunk, dst, src nd.View) error
	// Decode fills dst, which is box b of the decoded chunk, from src, which is
	// box Needs(b) of the encoded one.
	Decode(ck *Chunk, dst nd.View, b nd.Box, src nd.View) error
}

// Serializer is a bound ArrayToBytes.
type Serializer interface {
	// Size tells how many bytes an encoded chunk has.
	Size() Size
	// Encode appends the encoded chunk to dst. src has the bound shape.
	Encode(ctx context.Context, ck *Chunk, dst []byte, src nd.View) ([]byte, error)
	// Decode fills dst with the elements in box of the chunk that src holds.
	Decode(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error
}

// Placer is a Serializer whose bytes are just the elements as they lie in
// memory, so that the bytes can be decoded into, and taken from, the caller's.
type Placer interface {
	// Place returns the memory of v, a whole chunk, if its bytes are the
	// encoded chunk.
	Place(v nd.View) ([]byte, bool)
	// Placed checks and mends what was decoded into the memory that Place
	// gave.
	Placed(v nd.View) error
}

// PartReader is a Serializer that asks its source for ranges rather than for all
// of it, at least for some boxes.
type PartReader interface {
	// Ranges reports whether decoding box reads less than everything.
	Ranges(box nd.Box) bool
}

// BytesFilter is a bound BytesToBytes.
type BytesFilter interface {
	// Size tells how many bytes come out of Encode.
	Size() Size
	// Encode appends the encoded form of src to dst.
	Encode(ck *Chunk, dst, src []byte) ([]byte, error)
	// Decode appends the decoded form of src to dst, at most limit bytes: more
	// is an error, and is noticed before it is allocated.
	Decode(ck *Chunk, dst, src []byte, limit int) ([]byte, error)
}

// Slicer is a BytesFilter whose decoded bytes are a part of the encoded ones:
// whole chunks are cut, not copied.
type Slicer interface {
	// Slice checks src and returns the decoded part of it.
	Slice(ck *Chunk, src []byte) ([]byte, error)
}

// Ranger is a BytesFilter that can decode a part of the bytes.
type Ranger interface {
	// Range returns a source of decoded bytes on top of encoded ones. Sizes that
	// it tells are of the decoded bytes. A source whose ranges are cheap only
	// in larger pieces is not Near, or keeps the last piece.
	Range(ck *Chunk, src Source) Source
}

// Size is what is known of a number of bytes before there are any.
type Size struct {
	N     int  // exact or largest number; meaningless if !Known
	Exact bool // every chunk has exactly N bytes
	Known bool
}

// Exactly is the size that is always n.
func Exactly(n int) Size { return Size{N: n, Exact: true, Known: true} }

// AtMost is a size of n or less.
func AtMost(n int) Size { return Size{N: n, Known: true} }
