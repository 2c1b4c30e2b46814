package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// text is a JSON value that a pyjson.Writer wrote: the bytes from start to end
// of a buffer, which will be a blob.
type text struct {
	b          []byte
	start, end int
}

func (t text) bytes() []byte { return t.b[t.start:t.end] }

// setter puts a value into an element. keep says that the element refers to the
// text, in the blob with number 0.
type setter func(elem []byte, t text) (keep bool, err error)

// newSetter makes the setter of a type.
func newSetter(t dtype.Type) (setter, error) {
	size := t.Size()
	if d := descr(t); d == "" || d[0] != '|' && d[0] != '<' {
		return nil, fmt.Errorf("cannot write %s, which NumPy does not have", t.Name())
	}
	switch t.Kind() {
	case dtype.Object:
		return setObject, nil
	case dtype.String:
		return setString, nil
	case dtype.Bool:
		return setBool, nil
	case dtype.Int:
		bits := t.Units()[0].Bits
		return func(elem []byte, t text) (bool, error) {
			n, err := strconv.ParseInt(string(t.bytes()), 10, bits)
			if err != nil {
				return false, misfit("an integer of %d bits", t, bits)
			}
			put(elem, uint64(n), size)
			return false, nil
		}, nil
	case dtype.Uint:
		bits := t.Units()[0].Bits
		return func(elem []byte, t text) (bool, error) {
			n, err := strconv.ParseUint(string(t.bytes()), 10, bits)
			if err != nil {
				return false, misfit("an unsigned integer of %d bits", t, bits)
			}
			put(elem, n, size)
			return false, nil
		}, nil
	case dtype.Float:
		f, _ := dtype.FormatOf(t)
		return setFloat(f, size), nil
	case dtype.UTF32:
		return setUTF32, nil
	case dtype.Struct:
		return newStructSetter(t)
	}
	return nil, fmt.Errorf("cannot write %s", t.Name())
}

// misfit is the error for a value that the type does not have.
func misfit(format string, t text, args ...any) error {
	s := string(t.b[t.start:min(t.end, t.start+40)])
	if t.end-t.start > 40 {
		s += "…"
	}
	return fmt.Errorf("%s is not %s", s, fmt.Sprintf(format, args...))
}

func put(elem []byte, bits uint64, size int) {
	var mem [8]byte
	binary.LittleEndian.PutUint64(mem[:], bits)
	copy(elem, mem[:size])
}

func setObject(elem []byte, t text) (bool, error) {
	if string(t.bytes()) == "null" {
		clear(elem)
		return false, nil
	}
	if t.end-t.start > math.MaxUint32 {
		return false, errors.New("a value of more than 4 GiB")
	}
	nd.PutRef(elem, 0, t.start, t.end-t.start)
	return true, nil
}

// setString also takes null and 0 for empty text, as numcodecs does: they fill
// chunks that reach beyond the array.
func setString(elem []byte, t text) (bool, error) {
	switch b := t.bytes(); {
	case b[0] == '"':
		s, err := pyjson.Unquote(b)
		if err != nil {
			return false, err
		}
		nd.PutRef(elem, 0, t.start+1, len(s))
		return true, nil
	case string(b) == "null" || string(b) == "0":
		clear(elem)
		return false, nil
	}
	return false, misfit("text", t)
}

func setBool(elem []byte, t text) (bool, error) {
	switch string(t.bytes()) {
	case "true":
		elem[0] = 1
	case "false":
		elem[0] = 0
	default:
		return false, misfit("a bool", t)
	}
	return false, nil
}

func isNumber(t text) bool {
	c := t.b[t.start]
	return c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I'
}

func setFloat(f *dtype.Format, size int) setter {
	return func(elem []byte, t text) (bool, error) {
		if !isNumber(t) {
			return false, misfit("a number", t)
		}
		x := pyjson.ParseFloat(t.bytes())
		switch size {
		case 8:
			put(elem, math.Float64bits(x), 8)
		case 4:
			put(elem, uint64(math.Float32bits(float32(x))), 4)
		default:
			bits, ok := f.Encode(x)
			if !ok {
				return false, misfit("a value of the type", t)
			}
			put(elem, bits, size)
		}
		return false, nil
	}
}

func setUTF32(elem []byte, t text) (bool, error) {
	if t.b[t.start] != '"' {
		return false, misfit("text", t)
	}
	s, err := pyjson.Unquote(t.bytes())
	if err != nil {
		return false, err
	}
	if n := utf8.RuneCount(s); n > len(elem)/4 {
		return false, fmt.Errorf("text of %d code points, there is room for %d", n, len(elem)/4)
	}
	clear(elem)
	at := 0
	for i := 0; i < len(s); at += 4 {
		r, n := utf8.DecodeRune(s[i:])
		binary.LittleEndian.PutUint32(elem[at:], uint32(r))
		i += n
	}
	return false, nil
}

// newStructSetter makes the setter of structs, whose values are lists with an
// item for every field.
func newStructSetter(t dtype.Type) (setter, error) {
	fields := dtype.Fields(t)
	sets := make([]setter, len(fields))
	for i, f := range fields {
		var err error
		if f.Type.Kind() == dtype.Struct {
			err = errors.New("a struct inside a struct")
		} else {
			sets[i], err = newSetter(f.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return func(elem []byte, t text) (bool, error) {
		if t.b[t.start] != '[' {
			return false, misfit("a list of %d fields", t, len(fields))
		}
		at, keep := t.start+1, false
		for i, f := range fields {
			if t.b[at] == ']' {
				return false, misfit("a list of %d fields", t, len(fields))
			}
			end := valueEnd(t.b, at)
			kept, err := sets[i](elem[f.Offset:f.Offset+f.Type.Size()], text{t.b, at, end})
			if err != nil {
				return false, fmt.Errorf("field %q: %w", f.Name, err)
			}
			keep = keep || kept
			if at = end; t.b[at] == ',' {
				at++
			}
		}
		if t.b[at] != ']' {
			return false, misfit("a list of %d fields", t, len(fields))
		}
		return keep, nil
	}, nil
}

// valueEnd is where a value that a Writer wrote ends; it stands in a list.
func valueEnd(b []byte, at int) int {
	depth := 0
	quoted := false
	for ; ; at++ {
		switch c := b[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case depth == 0 && (c == ',' || c == ']'):
			return at
		case c == ']' || c == '}':
			depth--
		}
	}
}
