// Package numeric computes on the memory of numbers as NumPy does: conversions
// between its number types, floats of sixteen bits, and loops over the runs of
// two arrays. The codecs that change numbers are made of it.
package numeric

import (
	"encoding/json"
	"strings"
	"unsafe"
)

// Type is a number type that NumPy has and computes with.
type Type uint8

// The number types. None stands for every other type.
const (
	None Type = iota
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
)

var names = [...]string{"", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}

// Named finds a type by its name in Zarr v3; it is None for names of others.
func Named(name string) Type {
	for t := Int8; t <= Float64; t++ {
		if names[t] == name {
			return t
		}
	}
	return None
}

// String is the name of the type.
func (t Type) String() string { return names[t] }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t >= Float16 }

// IsSigned reports whether t is an integer type with a sign.
func (t Type) IsSigned() bool { return t >= Int8 && t <= Int64 }

// Size is the number of bytes of a number.
func (t Type) Size() int {
	switch t {
	case Int8, Uint8:
		return 1
	case Int16, Uint16, Float16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	}
	return 8
}

// Promote is the type in which NumPy computes with numbers of both types.
func Promote(a, b Type) Type {
	if a > b {
		a, b = b, a
	}
	size := max(a.Size(), b.Size())
	switch {
	case a.IsFloat() || a.IsSigned() == b.IsSigned() && !b.IsFloat():
		return max(a, b)
	case !b.IsFloat() && b.Size() < a.Size():
		return a
	case !b.IsFloat() && b.Size() < 8:
		return Int8 + Type(1+b-Uint8) // the next larger type with a sign
	case !b.IsFloat() || b == Float64 || size > 4 || a.Size() == 4:
		return Float64
	case a.Size() == 1:
		return b
	}
	return Float32
}

// Signed, Unsigned and Float are the Go types whose memory is that of a Type.
type (
	Signed   interface{ int8 | int16 | int32 | int64 }
	Unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	Integer interface{ Signed | Unsigned }
	Float   interface{ float32 | float64 }
)

// Slice is b as elements of type T. It may begin at any address: the machines
// that Go serves with this byte order load words from everywhere.
func Slice[T Integer | Float | Half](b []byte) []T {
	var t T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// Bytes is the memory of elements of type T, as Slice takes it.
func Bytes[T Integer | Float | Half](s []T) []byte {
	var t T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// Spelling gives a NumPy type code its byte order where it lacks one, as it does
// where people wrote it: "f8" and "float64" become "<f8". Others stay as they
// are.
func Spelling(raw json.RawMessage) json.RawMessage {
	var code string
	if json.Unmarshal(raw, &code) != nil {
		return raw
	}
	code = strings.TrimPrefix(code, "=")
	for t := Int8; t <= Float64; t++ {
		short := string(names[t][0]) + string(rune('0'+t.Size()))
		switch {
		case code != names[t] && code != short:
		case t.Size() == 1:
			return json.RawMessage(`"|` + short + `"`)
		default:
			return json.RawMessage(`"<` + short + `"`)
		}
	}
	return raw
}
