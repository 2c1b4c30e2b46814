package schema

import (
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// value is what specs of datasets and of attributes say about values.
type value struct {
	dtype   DType
	shapes  []Shape
	dims    [][]string
	value   json.RawMessage
	initial json.RawMessage
}

// value reads a member that datasets and attributes share.
func (p *parser) value(v *value, m strictjson.Member) (known bool) {
	var err error
	switch m.Name {
	case "dtype":
		v.dtype, err = parseDType(m.Raw)
	case "shape":
		if !strictjson.IsNull(m.Raw) {
			v.shapes, err = parseShapes(m.Raw)
		}
	case "dims":
		if !strictjson.IsNull(m.Raw) {
			v.dims, err = parseDims(m.Raw)
		}
	case "value":
		v.value = constant(m.Raw)
	case "default_value":
		v.initial = constant(m.Raw)
	default:
		return false
	}
	if err != nil {
		p.fail(m.Name, err)
	}
	return true
}

// finishValue checks these members against each other.
func (p *parser) finishValue(v *value) {
	var ok bool
	if v.shapes, v.dims, ok = matchDims(v.shapes, v.dims); !ok {
		p.warn("dims", errors.New("do not match the shape and are ignored"))
	}
	if v.value != nil && v.initial != nil {
		p.fail("default_value", errors.New("makes no sense beside a fixed value"))
	}
}

// attributes reads a list of attributes. Of two with the same name the last one
// holds, in the place of the first.
func (p *parser) attributes(raw json.RawMessage) []*AttributeSpec {
	var out []*AttributeSpec
	at := map[string]int{}
	p.each(strictjson.Member{Name: "attributes", Raw: raw}, func(raw json.RawMessage) {
		a := p.attribute(raw)
		if a == nil {
			return
		}
		if i, again := at[a.Name]; again && a.Name != "" {
			p.warn("", errors.New("is there twice; the last one holds"))
			out[i] = a
			return
		}
		at[a.Name] = len(out)
		out = append(out, a)
	})
	return out
}

func (p *parser) attribute(raw json.RawMessage) *AttributeSpec {
	a := &AttributeSpec{Required: true}
	members, ok := p.open(raw)
	if !ok {
		return nil
	}
	var v value
	for _, m := range members {
		var err error
		switch m.Name {
		case "name":
			a.Name, err = strictjson.String(m.Raw)
		case "doc":
			a.Doc, err = optionalText(m.Raw)
		case "required":
			a.Required, err = strictjson.Bool(m.Raw)
		default:
			p.value(&v, m)
		}
		if err != nil {
			p.fail(m.Name, err)
		}
	}
	if a.Name == "" {
		p.fail("name", errors.New("is missing"))
	}
	p.finishValue(&v)
	if v.dtype.Primitive == Compound {
		p.fail("dtype", errors.New("attributes cannot be compounds"))
	}
	a.DType, a.Shapes, a.Dims, a.Value, a.Default = v.dtype, v.shapes, v.dims, v.value, v.initial
	a.settle()
	return a
}

// settle makes Required follow the values: a fixed value must be there, and one
// with a default need not.
func (a *AttributeSpec) settle() {
	if a.Value != nil {
		a.Required, a.Default = true, nil
	} else if a.Default != nil {
		a.Required = false
	}
}
