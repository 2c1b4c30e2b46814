// Package pco reads and writes the standalone form of the pco format, lossless
// compression of sequences of numbers.
//
// A file is a header, chunks and a terminating byte. A chunk turns each number
// into one or two unsigned latents (its mode), takes differences between them
// (its delta encoding), and writes for every difference the number of a bin, by
// a table-driven entropy coder (tANS), and the offset inside the bin, as plain
// bits. Bins, tables and differences are described in front of the chunk;
// numbers come in batches of 256.
//
// Decode understands every version, mode and delta encoding that exists: format
// 0 to 4.1 and standalone versions 0 to 3, as the pco crates up to 1.0 write,
// but for the common divisors of the withdrawn crate 0.0.0, which no later one
// reads either.
// Encode chooses by trial from those that suit most data: plain numbers,
// multiples of an integer or of a power of ten, floats with empty low bits, and
// differences to the number before or to one further back.
package pco

import (
	"fmt"
	"sync"
)

// Type is a type of numbers, by the byte that stands for it in a file.
type Type uint8

// The types of numbers.
const (
	U32 Type = 1
	U64 Type = 2
	I32 Type = 3
	I64 Type = 4
	F32 Type = 5
	F64 Type = 6
	U16 Type = 7
	I16 Type = 8
	F16 Type = 9
	U8  Type = 10
	I8  Type = 11
)

type class uint8

const (
	unsigned class = iota
	signed
	float
)

var types = [...]struct {
	name     string
	bits     uint
	class    class
	mantissa uint // bits
}{
	U8: {"u8", 8, unsigned, 0}, U16: {"u16", 16, unsigned, 0}, U32: {"u32", 32, unsigned, 0}, U64: {"u64", 64, unsigned, 0},
	I8: {"i8", 8, signed, 0}, I16: {"i16", 16, signed, 0}, I32: {"i32", 32, signed, 0}, I64: {"i64", 64, signed, 0},
	F16: {"f16", 16, float, 10}, F32: {"f32", 32, float, 23}, F64: {"f64", 64, float, 52},
}

// Valid reports whether t is one of the types above.
func (t Type) Valid() bool { return t > 0 && int(t) < len(types) }

// String is the name of the type, such as "u32".
func (t Type) String() string {
	if !t.Valid() {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return types[t].name
}

// Size is the number of bytes of a number.
func (t Type) Size() int { return int(types[t].bits / 8) }

func (t Type) bits() uint     { return types[t].bits }
func (t Type) isFloat() bool  { return types[t].class == float }
func (t Type) mantissa() uint { return types[t].mantissa }

// What the format fixes.
const (
	magic      = "pco!"
	batchLen   = 256     // numbers of a batch
	states     = 4       // interleaved tANS coders
	maxSizeLog = 14      // of a tANS table
	maxChunk   = 1 << 24 // numbers of a chunk
	maxOrder   = 7       // of consecutive differences
)

// mode says how numbers are made of latents.
type mode uint8

const (
	classic mode = iota
	intMult
	floatMult
	floatQuant
	dict
)

// delta says how latents are made of differences.
type delta uint8

const (
	noDelta delta = iota
	consecutive
	lookback
	conv1
)

var (
	decoders = sync.Pool{New: func() any { return new(decoder) }}
	encoders = sync.Pool{New: func() any { return new(encoder) }}
)

// Decode fills dst with the numbers of a file, little-endian, and returns how
// many bytes of src it took. The file must hold as many numbers of type t as
// dst has room for. Errors are about src, or a dst that holds no whole numbers.
func Decode(dst, src []byte, t Type) (int, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	return d.file(dst, src, t)
}
