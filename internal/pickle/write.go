package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/omnizarr/zarr/internal/pyjson"
)

// Writer is a Sink that appends a pickle of protocol 5 to B. It writes a value
// between Begin and Finish, or an array between BeginArray and FinishArray.
type Writer struct {
	B []byte

	open  []frame // the lists, maps and tuples that are open
	items int     // of the array since the last mark
	class bool    // the class of references is remembered
}

// frame is a container that is being written.
type frame struct {
	end   byte  // the opcode that closes it
	at    int   // where it begins
	parts int   // items so far; names and values of a map count each
	names uint8 // of a map: a bit for every name that references have
}

// referenceNames are what a reference of HDMF has, and nothing else.
var referenceNames = [...]string{"source", "path", "object_id", "source_object_id"}

// batch is how many items are appended to a list at once, as Python does it.
const batch = 1000

// Begin starts a pickle.
func (w *Writer) Begin() {
	w.B = append(w.B, opProto, 5)
	w.class = false
}

// Finish ends it.
func (w *Writer) Finish() { w.B = append(w.B, opStop) }

// BeginArray starts the pickle of an array of a type with objects. Its items
// follow in C order.
func (w *Writer) BeginArray(shape []int, t Type) error {
	w.Begin()
	w.name("numpy._core.multiarray", "_reconstruct")
	w.name("numpy", "ndarray")
	w.B = append(w.B, opBinInt1, 0, opTuple1, opShortBinBytes, 1, 'b', opTuple3, opReduce)
	w.B = append(w.B, opMark, opBinInt1, 1, opMark)
	for _, n := range shape {
		w.int(int64(n))
	}
	w.B = append(w.B, opTuple)
	if err := w.typ(t); err != nil {
		return err
	}
	w.B = append(w.B, opNewFalse, opEmptyList, opMark)
	return nil
}

// Item must be called before each item of an array.
func (w *Writer) Item() {
	if w.items++; w.items > batch {
		w.B = append(w.B, opAppends, opMark)
		w.items = 1
	}
}

// FinishArray ends it.
func (w *Writer) FinishArray() {
	w.B = append(w.B, opAppends, opTuple, opBuild, opStop)
	w.items = 0
}

// text writes a short string that is known to be one.
func (w *Writer) text(s string) {
	w.B = append(append(w.B, opShortBinUnicode, byte(len(s))), s...)
}

func (w *Writer) name(module, name string) {
	w.text(module)
	w.text(name)
	w.B = append(w.B, opStackGlobal)
}

// typ writes a type and its state: version, byte order, no sub-array, names and
// fields, size, alignment, flags.
func (w *Writer) typ(t Type) error {
	w.name("numpy", "dtype")
	w.text(t.Code)
	w.B = append(w.B, opNewFalse, opNewTrue, opTuple3, opReduce, opMark, opBinInt1, 3)
	if t.Fields == nil {
		order, flags := "<", byte(0)
		switch {
		case t.Code[0] == 'O':
			order, flags = "|", 63
		case t.Code[1:] == "1":
			order = "|"
		}
		w.text(order)
		w.B = append(w.B, opNone, opNone, opNone)
		if t.Code[0] == 'U' { // text has a size and an alignment
			size, err := strconv.Atoi(t.Code[1:])
			if err != nil {
				return err
			}
			w.int(int64(4 * size))
			w.B = append(w.B, opBinInt1, 4, opBinInt1, 8, opTuple, opBuild)
			return nil
		}
		w.int(-1)
		w.int(-1)
		w.B = append(w.B, opBinInt1, flags, opTuple, opBuild)
		return nil
	}
	w.text("|")
	w.B = append(w.B, opNone, opMark)
	for _, f := range t.Fields {
		if err := w.Text([]byte(f.Name)); err != nil {
			return err
		}
	}
	w.B = append(w.B, opTuple, opEmptyDict, opMark)
	size := 0
	flags := byte(16) // fields are found by name
	for _, f := range t.Fields {
		if err := w.Text([]byte(f.Name)); err != nil {
			return err
		}
		if err := w.typ(f.Type); err != nil {
			return err
		}
		w.int(int64(size))
		w.B = append(w.B, opTuple2)
		n, err := strconv.Atoi(f.Type.Code[1:])
		if err != nil {
			return err
		}
		if f.Type.Code[0] == 'U' {
			n *= 4
		}
		if size += n; f.Type.Code[0] == 'O' {
			flags = 27 // there are references
		}
	}
	w.B = append(w.B, opSetItems)
	w.int(int64(size))
	w.B = append(w.B, opBinInt1, 1, opBinInt1, flags, opTuple, opBuild)
	return nil
}

// Null writes None.
func (w *Writer) Null() error {
	w.part(nil)
	w.B = append(w.B, opNone)
	return nil
}

// Bool writes a bool.
func (w *Writer) Bool(v bool) error {
	w.part(nil)
	if v {
		w.B = append(w.B, opNewTrue)
	} else {
		w.B = append(w.B, opNewFalse)
	}
	return nil
}

// Number writes an int or a float.
func (w *Writer) Number(text []byte) error {
	if !pyjson.IsInteger(text) {
		return w.Float(pyjson.ParseFloat(text))
	}
	w.part(nil)
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		w.int(n)
		return nil
	}
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok {
		return errors.New("not an integer")
	}
	return w.long(v)
}

func (w *Writer) int(n int64) {
	switch {
	case n >= 0 && n <= math.MaxUint8:
		w.B = append(w.B, opBinInt1, byte(n))
	case n >= 0 && n <= math.MaxUint16:
		w.B = binary.LittleEndian.AppendUint16(append(w.B, opBinInt2), uint16(n))
	case n >= math.MinInt32 && n <= math.MaxInt32:
		w.B = binary.LittleEndian.AppendUint32(append(w.B, opBinInt), uint32(n))
	default:
		w.B = binary.LittleEndian.AppendUint64(append(w.B, opLong1, 8), uint64(n))
	}
}

// long writes an integer of up to 255 bytes, as two's complement.
func (w *Writer) long(v *big.Int) error {
	n := v.BitLen()/8 + 1
	if n > 255 {
		return fmt.Errorf("an integer of %d bits", v.BitLen())
	}
	if v.Sign() < 0 {
		v.Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	b := v.FillBytes(make([]byte, n))
	w.B = append(w.B, opLong1, byte(n))
	for i := range b {
		w.B = append(w.B, b[n-1-i])
	}
	return nil
}

// Float writes a float.
func (w *Writer) Float(v float64) error {
	w.part(nil)
	w.B = binary.BigEndian.AppendUint64(append(w.B, opBinFloat), math.Float64bits(v))
	return nil
}

// Text writes a str.
func (w *Writer) Text(text []byte) error {
	w.part(text)
	return w.sized(opShortBinUnicode, opBinUnicode, text)
}

// Bytes writes bytes.
func (w *Writer) Bytes(b []byte) error {
	w.part(nil)
	return w.sized(opShortBinBytes, opBinBytes, b)
}

func (w *Writer) sized(short, long byte, b []byte) error {
	switch {
	case len(b) <= math.MaxUint8:
		w.B = append(w.B, short, byte(len(b)))
	case len(b) <= math.MaxUint32:
		w.B = binary.LittleEndian.AppendUint32(append(w.B, long), uint32(len(b)))
	default:
		return fmt.Errorf("%d bytes in one value", len(b))
	}
	w.B = append(w.B, b...)
	return nil
}

// List opens a list.
func (w *Writer) List() error { return w.begin(opAppends, opEmptyList, opMark) }

// Map opens a dict. One that has just what a reference of HDMF has becomes such,
// as old readers of HDMF files expect it.
func (w *Writer) Map() error { return w.begin(opSetItems, opEmptyDict, opMark) }

// Tuple opens a tuple.
func (w *Writer) Tuple() error { return w.begin(opTuple, opMark) }

func (w *Writer) begin(end byte, ops ...byte) error {
	w.part(nil)
	w.open = append(w.open, frame{end: end, at: len(w.B)})
	w.B = append(w.B, ops...)
	return nil
}

// part counts what is written into a container; text may be a name of a map.
func (w *Writer) part(text []byte) {
	if len(w.open) == 0 {
		return
	}
	f := &w.open[len(w.open)-1]
	if f.end == opSetItems && f.parts%2 == 0 {
		for i, name := range referenceNames {
			if string(text) == name {
				f.names |= 1 << i
			}
		}
	}
	f.parts++
}

// End closes what was opened last.
func (w *Writer) End() error {
	f := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	w.B = append(w.B, f.end)
	if f.names == 1<<len(referenceNames)-1 && f.parts == 2*len(referenceNames) {
		w.reference(f.at)
	}
	return nil
}

// reference makes an object of the dict that begins at a place and reaches to the
// end. Its class is the only thing that is remembered.
func (w *Writer) reference(at int) {
	dict := len(w.B)
	if w.class {
		w.B = append(w.B, opBinGet, 0)
	} else {
		w.name("hdmf_zarr.utils", "ZarrReference")
		w.B = append(w.B, opMemoize)
		w.class = true
	}
	w.B = append(w.B, opEmptyTuple, opNewObj)
	head := len(w.B) - dict
	// The head goes where the empty dict was.
	w.B = append(w.B, w.B[at+1:dict]...)
	copy(w.B[at:], w.B[dict:])
	w.B = w.B[:dict-1+head]
}
