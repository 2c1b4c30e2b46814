package dtype

// Holds reports whether a type of numbers has every value of another: what is
// converted to it and back is as it was.
func Holds(to, from Type) bool {
	if Equal(to, from) {
		return true
	}
	t, ok := extentOf(to)
	f, isNumber := extentOf(from)
	return ok && isNumber && t.kind >= f.kind && (t.signed || !f.signed) && t.digits >= f.digits &&
		t.most >= f.most && t.least <= f.least && (f.kind == 0 || t.ieee)
}

// extent is which numbers a type has.
type extent struct {
	kind        int // integers, floats, complex numbers
	signed      bool
	digits      int // binary ones that are exact
	most, least int // powers of two
	ieee        bool
}

func extentOf(t Type) (extent, bool) {
	switch t.Kind() {
	case Bool:
		return extent{digits: 1, most: 1}, true
	case Int:
		bits := t.Units()[0].Bits - 1
		return extent{signed: true, digits: bits, most: bits}, true
	case Uint:
		bits := t.Units()[0].Bits
		return extent{digits: bits, most: bits}, true
	case Float, Complex:
		f, ok := FormatOf(t)
		if !ok {
			return extent{}, false
		}
		e := extent{kind: 1, signed: true, digits: f.mant + 1, most: 1<<f.exp - 1 - f.bias, least: 1 - f.bias - f.mant, ieee: f.special == ieee}
		if t.Kind() == Complex {
			e.kind = 2
		}
		return e, true
	}
	return extent{}, false
}
