// Package cf tells what the stored numbers of an array mean by the conventions of CF,
// which xarray, netCDF and GDAL follow: packed values (scale_factor, add_offset,
// _Unsigned), missing ones (_FillValue, missing_value), and times ("days since
// 2000-01-01" in six calendars). The data types for dates and durations are told
// likewise.
package cf

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Kind is what elements are when they are decoded.
type Kind uint8

// The kinds.
const (
	Numbers   Kind = iota
	Times          // moments in a calendar
	Durations      // lengths of time
)

// Decoder tells what the elements of an array mean. It may be used by several
// goroutines.
type Decoder struct {
	kind    Kind
	stored  dtype.Type
	meant   dtype.Type     // the same bits, as numbers with a sign or without
	numbers numeric.Type   // of meant
	cast    numeric.Kernel // of them to float64, nil where they are
	unit    string

	scale, offset float64
	scaled        bool
	missing       []uint64 // bits of elements
	missingNaN    bool

	units     Units
	calendar  Calendar
	tick      tick // of the types for times
	precision Precision
}

// Of gives the decoder of an array; ok is false where elements mean what is stored.
// Attributes that make no sense are passed over.
func Of(a *zarr.Array) (d *Decoder, ok bool) { return of(a.Metadata(), a.Format()) }

func of(m *meta.Array, format string) (*Decoder, bool) {
	d := &Decoder{stored: m.DataType, meant: m.DataType, scale: 1}
	attrs := m.Attributes
	d.unit = word(attrs, "units")
	if unit, scale, isTime := dtype.TimeUnit(m.DataType); isTime {
		d.missing = []uint64{1 << 63}
		d.tick, d.precision = newTick(unit, scale)
		d.kind, d.unit = Durations, ""
		if m.DataType.Kind() == dtype.Time {
			d.kind = Times
		}
		return d, unit != "generic"
	}
	d.numbers = numeric.Named(m.DataType.Name())
	if d.numbers == numeric.None {
		return nil, false
	}
	d.readSign(attrs)
	d.cast = numeric.Cast(numeric.Float64, d.numbers)
	d.readMissing(m, format)
	for name, to := range map[string]*float64{"scale_factor": &d.scale, "add_offset": &d.offset} {
		if x, ok := number(attrs.Raw(name)); ok {
			*to, d.scaled = x, true
		}
	}
	if calendar, err := ParseCalendar(word(attrs, "calendar")); err == nil {
		d.calendar = calendar
		if d.units, err = ParseUnits(d.unit, calendar); err == nil {
			d.kind, d.unit, d.precision = Times, "", Second
		}
	}
	// xarray says of durations which type they had.
	if step := stepOf(d.unit, Gregorian); step > 0 && strings.HasPrefix(word(attrs, "dtype"), "timedelta64") {
		d.kind, d.unit, d.units = Durations, "", Units{step: step}
	}
	return d, d.kind != Numbers || d.scaled || d.meant != d.stored || d.missing != nil || d.missingNaN
}

// word is an attribute that is text.
func word(attrs *meta.Attributes, name string) string {
	raw := attrs.Raw(name)
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	text, err := strictjson.String(raw)
	if err != nil {
		return ""
	}
	return text
}

// number is an attribute that is a number, or a list of one.
func number(raw json.RawMessage) (float64, bool) {
	var list []float64
	if len(raw) == 0 {
		return 0, false
	}
	if raw[0] != '[' {
		raw = append(append(json.RawMessage{'['}, raw...), ']')
	}
	if strictjson.Decode(raw, &list) != nil || len(list) != 1 || math.IsNaN(list[0]) || math.IsInf(list[0], 0) {
		return 0, false
	}
	return list[0], true
}

// readSign takes integers for those of the same size with a sign or without, as the
// attribute of netCDF says.
func (d *Decoder) readSign(attrs *meta.Attributes) {
	name, twin := d.stored.Name(), ""
	switch strings.ToLower(word(attrs, "_Unsigned")) {
	case "true":
		if d.stored.Kind() == dtype.Int {
			twin = "u" + name
		}
	case "false":
		if d.stored.Kind() == dtype.Uint {
			twin = strings.TrimPrefix(name, "u")
		}
	}
	if t, err := dtype.Lookup(twin); twin != "" && err == nil {
		d.meant, d.numbers = t, numeric.Named(twin)
	}
}

// mostMissing is how many values may stand for missing ones.
const mostMissing = 16

// readMissing finds the values that stand for missing ones.
func (d *Decoder) readMissing(m *meta.Array, format string) {
	add := func(raw json.RawMessage) {
		for _, t := range []dtype.Type{d.stored, d.meant} {
			elem, err := t.ParseFill(raw, nil)
			if err != nil || len(elem) > 8 {
				continue
			}
			bits := load(elem)
			if f, ok := dtype.FormatOf(t); ok && f.IsNaN(bits) {
				d.missingNaN = true
			} else if len(d.missing) < mostMissing {
				d.missing = append(d.missing, bits)
			}
			return
		}
	}
	each := func(raw json.RawMessage) {
		if len(raw) == 0 || strictjson.IsNull(raw) {
			return
		}
		if raw[0] != '[' {
			add(raw)
			return
		}
		_ = strictjson.Each(raw, func(_ int, elem json.RawMessage) error { add(elem); return nil })
	}
	fill, ok := xarray.Missing(m, format)
	switch {
	case ok && (m.Attributes.Raw("_FillValue") != nil || m.Attributes.Raw("scale_factor") != nil || !isZero(fill)):
		each(fill)
	case !ok:
		each(m.Attributes.Raw("_FillValue"))
	}
	each(m.Attributes.Raw("missing_value"))
}

// isZero reports whether a fill value of Zarr v2 is the one that programs write who
// think of none: xarray takes such zeros for missing, which hardly anybody meant.
func isZero(fill json.RawMessage) bool {
	x, ok := number(fill)
	return ok && x == 0
}

// Complete is the same decoder for coordinates, none of which is missing by CF.
func (d *Decoder) Complete() *Decoder {
	out := *d
	if d.tick.step == 0 {
		out.missing, out.missingNaN = nil, false
	}
	return &out
}

// load gives the bits of an element.
func load(elem []byte) uint64 {
	var mem [8]byte
	copy(mem[:], elem)
	return binary.LittleEndian.Uint64(mem[:])
}

// Kind is what elements are when they are decoded.
func (d *Decoder) Kind() Kind { return d.kind }

// Unit is that of the numbers, "" if there is none.
func (d *Decoder) Unit() string { return d.unit }

// Calendar is that of the times.
func (d *Decoder) Calendar() Calendar { return d.calendar }

// Scaled reports whether numbers are others than those that are stored.
func (d *Decoder) Scaled() bool { return d.scaled }

// Missing is the stored number that stands for a missing one, the first if there are
// several; nil if there is none, or only NaN.
func (d *Decoder) Missing() []byte {
	if len(d.missing) == 0 || d.numbers == numeric.None {
		return nil
	}
	return binary.LittleEndian.AppendUint64(nil, d.missing[0])[:d.stored.Size()]
}

// isMissing reports whether an element stands for a missing one.
func (d *Decoder) isMissing(elem []byte) bool {
	bits := load(elem)
	for _, m := range d.missing {
		if bits == m {
			return true
		}
	}
	if d.missingNaN {
		f, _ := dtype.FormatOf(d.stored)
		return f.IsNaN(bits)
	}
	return false
}

// Floats decodes elements, as they lie in memory, as many as dst holds. What is missing
// is NaN, durations are seconds, and times are seconds since 1970 began.
func (d *Decoder) Floats(dst []float64, elems []byte) {
	size := d.stored.Size()
	switch {
	case d.kind == Times:
		for i := range dst {
			dst[i] = math.NaN()
			if t := d.Time(elems[i*size : i*size+size]); !t.IsNaT() {
				dst[i] = float64(t.Seconds) + float64(t.Nanos)/1e9
			}
		}
		return
	case d.kind == Durations:
		for i := range dst {
			dst[i] = d.seconds(elems[i*size : i*size+size])
		}
		return
	}
	d.floats(dst, elems)
	if d.scaled {
		for i, x := range dst {
			dst[i] = x*d.scale + d.offset
		}
	}
	switch {
	case len(d.missing) == 1 && size <= 8:
		markMissing(dst, elems, size, d.missing[0])
	case d.missing != nil:
		for i := range dst {
			if d.isMissing(elems[i*size : i*size+size]) {
				dst[i] = math.NaN()
			}
		}
	}
}

// floats converts numbers.
func (d *Decoder) floats(dst []float64, elems []byte) {
	if d.cast == nil {
		copy(dst, numeric.Slice[float64](elems[:8*len(dst)]))
		return
	}
	const piece = 512
	var mem [8 * piece]byte
	size := d.stored.Size()
	for len(dst) > 0 {
		n := min(piece, len(dst))
		d.cast(mem[:8*n], elems[:n*size])
		copy(dst[:n], numeric.Slice[float64](mem[:8*n]))
		dst, elems = dst[n:], elems[n*size:]
	}
}

// markMissing sets what has certain bits to NaN.
func markMissing(dst []float64, elems []byte, size int, bits uint64) {
	nan := math.NaN()
	switch size {
	case 1:
		for i := range dst {
			if elems[i] == byte(bits) {
				dst[i] = nan
			}
		}
	case 2:
		for i, x := range numeric.Slice[uint16](elems[:2*len(dst)]) {
			if x == uint16(bits) {
				dst[i] = nan
			}
		}
	case 4:
		for i, x := range numeric.Slice[uint32](elems[:4*len(dst)]) {
			if x == uint32(bits) {
				dst[i] = nan
			}
		}
	case 8:
		for i, x := range numeric.Slice[uint64](elems[:8*len(dst)]) {
			if x == bits {
				dst[i] = nan
			}
		}
	}
}

// Time decodes an element, which is NaT where it is missing. It is for Times.
func (d *Decoder) Time(elem []byte) Time {
	if d.isMissing(elem) {
		return NaT
	}
	if d.tick.step != 0 {
		return d.tick.time(int64(binary.LittleEndian.Uint64(elem)))
	}
	if !d.scaled {
		switch d.meant.Kind() {
		case dtype.Int:
			shift := 64 - 8*len(elem)
			return d.units.Int(int64(load(elem)<<shift) >> shift)
		case dtype.Uint:
			if n := load(elem); n < 1<<62 {
				return d.units.Int(int64(n))
			}
			return NaT
		}
	}
	var x [1]float64
	d.floats(x[:], elem)
	return d.units.Float(x[0]*d.scale + d.offset)
}

// AppendValue appends a decoded element as JSON: null where it is missing, numbers
// with the digits that they need, times and durations as ISO 8601 spells them.
func (d *Decoder) AppendValue(dst, elem []byte, heap nd.Blobs) ([]byte, error) {
	if d.isMissing(elem) {
		return append(dst, "null"...), nil
	}
	switch {
	case d.kind == Times:
		t := d.Time(elem)
		if t.IsNaT() {
			return append(dst, "null"...), nil
		}
		return append(t.Append(append(dst, '"'), d.precision), '"'), nil
	case d.kind == Durations:
		return d.appendDuration(dst, elem), nil
	case !d.scaled:
		return d.meant.AppendValue(dst, elem, heap)
	}
	var x [1]float64
	d.floats(x[:], elem)
	return dtype.AppendFloat(dst, x[0]*d.scale+d.offset), nil
}
