package describe

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// cellPrinter spells cells in JSON.
type cellPrinter struct {
	values *hdmf.Values
	fields []*hdmf.Values // of compounds
	shape  []int          // of a value along the first axis
	each   int
}

func newCellPrinter(v *hdmf.Values) (*cellPrinter, error) {
	p := &cellPrinter{values: v}
	if len(v.Shape) > 0 {
		p.shape = v.Shape[1:]
	}
	p.each, _ = nd.Len(p.shape)
	for _, f := range v.Fields {
		part, err := v.Field(f.Name)
		if err != nil {
			return nil, err
		}
		p.fields = append(p.fields, part)
	}
	return p, nil
}

// appendRow appends a row: a value, or a list where there is an index.
func (p *cellPrinter) appendRow(dst []byte, offsets [][]int, i int) ([]byte, error) {
	if len(offsets) == 0 {
		return p.appendNested(dst, p.shape, i*p.each)
	}
	dst = append(dst, '[')
	for k := offsets[0][i]; k < offsets[0][i+1]; k++ {
		if k > offsets[0][i] {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = p.appendRow(dst, offsets[1:], k); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendNested appends the elements of a shape from one on.
func (p *cellPrinter) appendNested(dst []byte, shape []int, first int) ([]byte, error) {
	return appendNested(dst, shape, first, p.appendElement)
}

func appendNested(dst []byte, shape []int, first int, element func(dst []byte, i int) ([]byte, error)) ([]byte, error) {
	if len(shape) == 0 {
		return element(dst, first)
	}
	each, _ := nd.Len(shape[1:])
	dst = append(dst, '[')
	for k := range shape[0] {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = appendNested(dst, shape[1:], first+k*each, element); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendElement appends an element: references by what they name, bytes that are
// text as such.
func (p *cellPrinter) appendElement(dst []byte, i int) ([]byte, error) {
	if p.fields == nil {
		return appendValue(dst, p.values, i)
	}
	dst = append(dst, '{')
	for k, f := range p.fields {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(strictjson.AppendString(dst, p.values.Fields[k].Name), ": "...)
		var err error
		if dst, err = appendValue(dst, f, i); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendValue(dst []byte, v *hdmf.Values, i int) ([]byte, error) {
	switch v.Kind {
	case hdmf.ObjectRef, hdmf.RegionRef:
		r, err := v.Reference(i)
		if err != nil {
			return append(dst, "null"...), nil
		}
		return strictjson.AppendString(dst, r.String()), nil
	case hdmf.Bytes:
		if b := v.Blob(i); utf8.Valid(b) {
			return strictjson.AppendString(dst, string(b)), nil
		}
	}
	return v.Append(dst, i)
}

// appendList appends the elements at some positions.
func appendList(dst []byte, at []int, element func(dst []byte, k int) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	for i, k := range at {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = element(dst, k); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendNumber spells a number as cat does.
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
