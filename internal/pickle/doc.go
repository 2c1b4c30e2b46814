// Package pickle reads and writes the pickles that hold NumPy object arrays of
// plain values. It is no pickle machine: a pickle is a program, and this package
// knows only those steps of it that make values. It calls nothing, looks nothing
// up, and refuses every name but those of NumPy's arrays, types and scalars and
// of the references of HDMF, which it takes for the data that they carry.
//
// Python objects come out as events of package pyjson: None, bool, int, float,
// str, bytes, list, dict; a tuple is a list, a reference of HDMF a map.
package pickle

import (
	"fmt"
	"math"
)

// The opcodes that are known, by the names that Python gives them.
const (
	opProto           = 0x80
	opFrame           = 0x95
	opStop            = '.'
	opMark            = '('
	opMemoize         = 0x94
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opBinGet          = 'h'
	opLongBinGet      = 'j'
	opShortBinUnicode = 0x8c
	opBinUnicode      = 'X'
	opShortBinBytes   = 'C'
	opBinBytes        = 'B'
	opGlobal          = 'c'
	opStackGlobal     = 0x93
	opReduce          = 'R'
	opBuild           = 'b'
	opNewObj          = 0x81
	opEmptyTuple      = ')'
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opTuple           = 't'
	opEmptyList       = ']'
	opAppend          = 'a'
	opAppends         = 'e'
	opEmptyDict       = '}'
	opSetItem         = 's'
	opSetItems        = 'u'
	opNone            = 'N'
	opNewTrue         = 0x88
	opNewFalse        = 0x89
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opBinInt2         = 'M'
	opLong1           = 0x8a
	opBinFloat        = 'G'
)

// otherOps names opcodes that are refused, as far as people know them.
var otherOps = map[byte]string{
	'P': "PERSID", 'Q': "BINPERSID", 'i': "INST", 'o': "OBJ", 0x92: "NEWOBJ_EX",
	0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", '0': "POP", '1': "POP_MARK", '2': "DUP",
	'I': "INT", 'L': "LONG", 'F': "FLOAT", 'S': "STRING", 'T': "BINSTRING", 'U': "SHORT_BINSTRING",
	'V': "UNICODE", 'd': "DICT", 'l': "LIST", 'g': "GET", 'p': "PUT", 0x8b: "LONG4",
	0x8d: "BINUNICODE8", 0x8e: "BINBYTES8", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET",
	0x96: "BYTEARRAY8", 0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

func opName(op byte) string {
	if name := otherOps[op]; name != "" {
		return name
	}
	return fmt.Sprintf("0x%02x", op)
}

// The names that a pickle may refer to.
const (
	nameReconstruct = iota
	nameScalar
	nameArray
	nameType
	nameReference
)

var names = map[string]int{
	"numpy._core.multiarray _reconstruct": nameReconstruct,
	"numpy.core.multiarray _reconstruct":  nameReconstruct,
	"numpy._core.multiarray scalar":       nameScalar,
	"numpy.core.multiarray scalar":        nameScalar,
	"numpy ndarray":                       nameArray,
	"numpy dtype":                         nameType,
	"hdmf_zarr.utils ZarrReference":       nameReference,
}

// kind is what a node is.
type kind uint8

const (
	kindNone kind = iota
	kindFalse
	kindTrue
	kindInt   // n
	kindLong  // n bytes at off, two's complement
	kindFloat // the bits in n
	kindText  // n bytes at off
	kindBytes // n bytes at off
	kindMade  // text of n bytes at off of what the decoder made itself
	kindList  // n cells from first to last
	kindTuple // likewise
	kindDict  // likewise, names and values in turn
	kindName  // n: one of the names above
	kindType  // first: the node of its code; last: of its state, or 0
	kindArray // first: the node of its state, or 0 if it has none yet
)

var kindNames = map[kind]string{
	kindNone: "None", kindFalse: "a bool", kindTrue: "a bool", kindInt: "an integer", kindLong: "an integer",
	kindFloat: "a float", kindText: "text", kindMade: "text", kindBytes: "bytes", kindList: "a list",
	kindTuple: "a tuple", kindDict: "a dict", kindName: "a name", kindType: "a type", kindArray: "an array",
}

// node is a value. Nodes refer to each other by number, so that a pickle of any
// size is a few slices.
type node struct {
	kind        kind
	first, last int32 // cells, or nodes; -1: none
	off         int32
	n           int64
}

// cell is an item of a list, tuple or dict.
type cell struct{ node, next int32 }

// maxBytes is how long a pickle may be, since places in it are kept in 32 bits.
const maxBytes = math.MaxInt32

// Error says what is wrong with a pickle, and where.
type Error struct {
	At  int // in bytes
	Err error
}

// Error gives the place and the reason.
func (e *Error) Error() string { return fmt.Sprintf("at byte %d: %v", e.At, e.Err) }

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }
