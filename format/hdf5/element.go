package hdf5

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
)

// element is how the elements of a dataset are shown.
type element struct {
	data  dtype.Type
	codec meta.Extension
	big   []dtype.Unit // numbers that are stored with the highest byte first
	kind  kind
}

// kind is what a chunk is made of.
type kind uint8

const (
	asStored kind = iota // the bytes in the file
	packed               // numbers that are converted, without gaps
	asText               // text of any length
	asJSON
)

// describe finds out how elements of a type are shown.
func describe(t *hdf5.Type) (element, error) {
	if name := special(t); name != "" {
		e := element{data: dtype.MustParse(name), codec: meta.Extension{Name: "bytes"}}
		if t.Size > 1 {
			e.codec.Configuration = []byte(`{"endian":"little"}`)
			if t.Order == hdf5.BigEndian {
				e.codec.Configuration = []byte(`{"endian":"big"}`)
				e.big = e.data.Units()
			}
		}
		return e, nil
	}
	if t.Class == hdf5.String && t.Variable || t.Class == hdf5.Reference && t.Kind == hdf5.ObjectReference {
		return element{data: dtype.MustParse("string"), codec: meta.Extension{Name: "vlen-utf8"}, kind: asText}, nil
	}
	descr, same, ok := numpy(t)
	if !ok {
		return element{data: dtype.MustParse("omnizarr.json"), codec: meta.Extension{Name: "numcodecs.json2"}, kind: asJSON}, nil
	}
	raw, err := json.Marshal(descr)
	if err != nil {
		return element{}, err
	}
	e := element{}
	if pair, ok := descr.([]any); ok && t.Class == hdf5.Array { // a sub-array by itself is one of a field
		if raw, err = json.Marshal([]any{append([]any{"x"}, pair...)}); err != nil {
			return e, err
		}
	}
	if e.data, e.big, err = dtype.ParseNumpyUnits(raw); err != nil {
		return e, err
	}
	if t.Class == hdf5.Array {
		e.data = dtype.Fields(e.data)[0].Type
	}
	if !same {
		e.kind = packed
	}
	wide := 0
	for _, u := range e.data.Units() {
		if u.Width > 1 {
			wide++
		}
	}
	switch {
	case wide == 0:
		e.codec = meta.Extension{Name: "bytes"}
	case len(e.big) == 0:
		e.codec = meta.Extension{Name: "bytes", Configuration: []byte(`{"endian":"little"}`)}
	case len(e.big) == wide:
		e.codec = meta.Extension{Name: "bytes", Configuration: []byte(`{"endian":"big"}`)}
	default:
		e.codec = meta.Extension{Name: endian.NumpyName, Configuration: []byte(`{"dtype":` + string(raw) + `}`)}
	}
	return e, nil
}

// single reports whether numbers of another format in four bytes are such as float32
// has too, as h5py shows them.
func single(t *hdf5.Type) bool {
	l := t.Layout
	return t.Size == 4 && l.Implied && l.MantissaBits <= 23 && l.ExponentBits <= 8 && l.Bias <= 127 && 1<<l.ExponentBits-2-int(l.Bias) <= 127
}

// pathLetters is how long the path of a reference in a compound may be.
const pathLetters = 512

// special are types that NumPy has no code for.
func special(t *hdf5.Type) string {
	if t.Class != hdf5.Float || t.Order == hdf5.VAX || t.Offset != 0 || t.Precision != 8*t.Size {
		return ""
	}
	switch t.Layout {
	case hdf5.FloatLayout{Sign: 15, ExponentAt: 7, ExponentBits: 8, MantissaBits: 7, Bias: 127, Implied: true}:
		return "bfloat16"
	case hdf5.FloatLayout{Sign: 7, ExponentAt: 3, ExponentBits: 4, MantissaBits: 3, Bias: 7, Implied: true}:
		return "float8_e4m3"
	case hdf5.FloatLayout{Sign: 7, ExponentAt: 2, ExponentBits: 5, MantissaBits: 2, Bias: 15, Implied: true}:
		return "float8_e5m2"
	}
	return ""
}

// numpy describes a type as NumPy does: by a code, by fields, or by a code and a
// shape. Same says that elements are stored so; else packElement makes them.
func numpy(t *hdf5.Type) (descr any, same, ok bool) {
	order := "<"
	if t.Order == hdf5.BigEndian {
		order = ">"
	}
	whole := t.Offset == 0 && t.Precision == 8*t.Size && (t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8)
	number := func(letter string, size int) string {
		if size == 1 {
			return "|" + letter + "1"
		}
		return order + letter + strconv.Itoa(size)
	}
	switch t.Class {
	case hdf5.Integer, hdf5.Bitfield:
		letter := "u"
		if t.Signed {
			letter = "i"
		}
		if whole {
			return number(letter, t.Size), true, true
		}
		if t.Precision > 64 {
			return nil, false, false
		}
		order = "<"
		return number(letter, widen(t.Size)), false, true
	case hdf5.Float:
		if t.IEEE() {
			return number("f", t.Size), true, true
		}
		if single(t) {
			return "<f4", false, true
		}
		return "<f8", false, true
	case hdf5.Time:
		if t.Size == 4 || t.Size == 8 {
			return number("u", t.Size), true, true
		}
	case hdf5.Enum:
		if isBool(t) {
			return "|b1", true, true
		}
		return numpy(t.Base)
	case hdf5.Complex:
		if t.Base.IEEE() && t.Base.Size >= 4 {
			if t.Base.Order == hdf5.BigEndian {
				order = ">"
			}
			return order + "c" + strconv.Itoa(t.Size), true, true
		}
	case hdf5.String:
		if !t.Variable {
			return "|S" + strconv.Itoa(t.Size), t.Padding == hdf5.NullPadded, true
		}
	case hdf5.Opaque:
		if code, ok := strings.CutPrefix(t.Tag, "NUMPY:"); ok {
			raw, _ := json.Marshal(code)
			if x, _, err := dtype.ParseNumpy(raw); err == nil && x.Size() == t.Size && len(x.Refs()) == 0 {
				return code, true, true
			}
		}
		return "|V" + strconv.Itoa(t.Size), true, true
	case hdf5.Reference:
		if t.Kind == hdf5.ObjectReference { // the path, as HDMF has it in compounds
			return "<U" + strconv.Itoa(pathLetters), false, true
		}
	case hdf5.Array:
		base, same, ok := numpy(t.Base)
		if _, nested := base.([]any); !ok || nested && t.Base.Class == hdf5.Array {
			return nil, false, false
		}
		return []any{base, t.Dims}, same, true
	case hdf5.Compound:
		return numpyCompound(t)
	}
	return nil, false, false
}

func numpyCompound(t *hdf5.Type) (descr any, same, ok bool) {
	if isComplex(t) {
		order := "<"
		if t.Members[0].Type.Order == hdf5.BigEndian {
			order = ">"
		}
		return order + "c" + strconv.Itoa(t.Size), true, true
	}
	fields := []any{}
	names := map[string]bool{}
	at := 0
	same = true
	for _, m := range t.Members {
		d, s, ok := numpy(m.Type)
		if !ok || names[m.Name] || m.Name == "" || !utf8.ValidString(m.Name) {
			return nil, false, false
		}
		names[m.Name] = true
		same = same && s && m.Offset == at
		at += m.Type.Size
		if pair, ok := d.([]any); ok && m.Type.Class == hdf5.Array {
			fields = append(fields, []any{m.Name, pair[0], pair[1]})
		} else {
			fields = append(fields, []any{m.Name, d})
		}
	}
	return fields, same && at == t.Size, len(fields) > 0
}

// isBool reports whether an enumeration is that of truth values.
func isBool(t *hdf5.Type) bool {
	if t.Size != 1 || len(t.Members) != 2 {
		return false
	}
	for _, m := range t.Members {
		if !(m.Name == "FALSE" && m.Value[0] == 0 || m.Name == "TRUE" && m.Value[0] == 1) {
			return false
		}
	}
	return t.Members[0].Name != t.Members[1].Name
}

// isComplex reports whether a compound is a complex number.
func isComplex(t *hdf5.Type) bool {
	if len(t.Members) != 2 || t.Members[0].Name != "r" || t.Members[1].Name != "i" || t.Size != 8 && t.Size != 16 {
		return false
	}
	r, i := t.Members[0], t.Members[1]
	return r.Type.IEEE() && i.Type.IEEE() && r.Type.Order == i.Type.Order && 2*r.Type.Size == t.Size && i.Type.Size == r.Type.Size && r.Offset == 0 && i.Offset == r.Type.Size
}

// widen is the size of the next integer that holds another.
func widen(size int) int {
	for _, n := range []int{1, 2, 4} {
		if size <= n {
			return n
		}
	}
	return 8
}

// pack appends an element of the node at a path as its description by NumPy lays it out.
func (s *Store) pack(dst []byte, t *hdf5.Type, raw []byte, at string) ([]byte, error) {
	_, same, _ := numpy(t)
	if same {
		return append(dst, raw[:t.Size]...), nil
	}
	switch t.Class {
	case hdf5.Enum:
		return s.pack(dst, t.Base, raw, at)
	case hdf5.Compound:
		var err error
		for _, m := range t.Members {
			if dst, err = s.pack(dst, m.Type, raw[m.Offset:], at); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case hdf5.Array:
		var err error
		for i := range t.Len() {
			if dst, err = s.pack(dst, t.Base, raw[i*t.Base.Size:], at); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	v, err := s.f.Decode(t, raw)
	if err != nil {
		return dst, err
	}
	var b [8]byte
	switch v := v.(type) {
	case string:
		dst = append(dst, v...)
		return append(dst, make([]byte, t.Size-len(v))...), nil
	case int64:
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		return append(dst, b[:widen(t.Size)]...), nil
	case uint64:
		binary.LittleEndian.PutUint64(b[:], v)
		return append(dst, b[:widen(t.Size)]...), nil
	case hdf5.Ref:
		path := ""
		if v.Address != 0 {
			if path, err = s.referred(at, v.Address); err != nil {
				return dst, err
			}
		}
		letters := []rune(path)
		if len(letters) > pathLetters {
			return dst, fmt.Errorf("the path %s of a reference has more than %d letters", path, pathLetters)
		}
		for _, r := range letters {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(r))
		}
		return append(dst, make([]byte, 4*(pathLetters-len(letters)))...), nil
	case float64:
		if single(t) {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v))), nil
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v)), nil
	}
	return dst, fmt.Errorf("an element of class %d cannot be shown", t.Class)
}
