// Package dtype holds the data types of Zarr: how an element lies in memory,
// how metadata spells the type and its fill value, and which Go type it is.
//
// In memory every number is little-endian, types below eight bits take one
// byte per component (signed ones sign-extended), complex numbers are real
// then imaginary, structs have no gaps, and values of variable length are
// references into an nd.Heap.
package dtype

import (
	"encoding/json"

	"github.com/omnizarr/zarr/nd"
)

// Kind is the family of a type: what its components mean.
type Kind uint8

// The kinds of data types.
const (
	Bool     Kind = iota + 1 // one byte, 0 or 1
	Int                      // two's complement
	Uint                     // unsigned
	Float                    // see Format for the layout of the bits
	Complex                  // two floats
	Raw                      // opaque bytes of fixed length
	UTF32                    // code points of four bytes, zero padded
	Time                     // 64-bit count of a unit since 1970
	Duration                 // 64-bit count of a unit
	String                   // UTF-8 of any length, by reference
	Bytes                    // bytes of any length, by reference
	Struct                   // fields
	Subarray                 // a small array of another type
	Object                   // a JSON value, by reference
	List                     // any number of elements of another type, by reference
	Optional                 // another type, or nothing
)

// Type is one data type with its configuration. Types are immutable.
type Type interface {
	// Name is the Zarr v3 name, without configuration.
	Name() string
	// MarshalJSON gives the data_type member of Zarr v3 metadata.
	json.Marshaler
	// Kind is the family of the type.
	Kind() Kind
	// Size is the number of bytes of an element in memory.
	Size() int
	// Units lists the scalars of an element in order: what a change of byte
	// order swaps and what bit packing packs. Variable-length types have none.
	Units() []Unit
	// Refs are the offsets of references to the heap inside an element.
	Refs() []int
	// ParseFill reads a fill value as metadata spells it and returns one
	// element; variable-length parts are added to h.
	ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error)
	// AppendFill appends the spelling of an element that ParseFill reads back
	// bit by bit.
	AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error)
	// AppendValue appends an element as JSON for people and programs: numbers,
	// "NaN", "Infinity", "-Infinity", [re, im], text, base64, objects for
	// structs.
	AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error)
}

// Unit is a run of equal scalars inside an element.
type Unit struct {
	Offset int // in bytes, from the start of the element
	Width  int // bytes of one scalar in memory
	Count  int
	Bits   int // significant bits of one scalar
	Signed bool
}

// Canonicaliser is a type for which not every pattern of bits is a value that
// memory may hold, such as bool and the types below eight bits. Decoders call
// Canonicalise on what they decoded.
type Canonicaliser interface {
	// Canonicalise mends the bits that the format says to ignore, and returns an
	// error for a value that does not exist.
	Canonicalise(v nd.View) error
}

// Copy copies elements of type t between views, also from one heap to another.
func Copy(t Type, dst, src nd.View) {
	nd.Copy(dst, src)
	if refs := t.Refs(); len(refs) > 0 && dst.Heap != src.Heap {
		nd.Rebase(dst, refs, dst.Heap.Import(src.Heap))
	}
}
