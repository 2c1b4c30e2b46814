package write

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
)

// hasForm refuses types that readers of the layout cannot take.
func (f *form) hasForm(t dtype.Type) error {
	for _, field := range dtype.Fields(t) {
		if err := f.hasForm(field.Type); err != nil {
			return fmt.Errorf("field %q: %w", field.Name, err)
		}
	}
	if _, shape := dtype.Elements(t); shape != nil && f.layout == hdmf.V3 {
		return fmt.Errorf("is an array of shape %v in every element, for which Zarr v3 has no type, so that zarr-python could not open the file", shape)
	}
	return nil
}

// numpyName is what NumPy calls a type of a fixed size.
func numpyName(t dtype.Type) string {
	if elem, _ := dtype.Elements(t); elem != nil {
		t = elem
	}
	name := strings.TrimPrefix(t.Name(), "numpy.")
	switch t.Kind() {
	case dtype.Raw:
		return "bytes"
	case dtype.UTF32:
		return "str_"
	case dtype.Struct:
		return "void"
	}
	switch unit, scale, ok := dtype.TimeUnit(t); {
	case !ok || unit == "generic":
		return name
	case scale == 1:
		return name + "[" + unit + "]"
	default:
		return fmt.Sprintf("%s[%d%s]", name, scale, unit)
	}
}

// fieldType is the type of a field of a fixed size, and its fill value. In the
// layout V2 compounds with text lie under a codec for objects, to which some types
// are strange: there they are JSON.
func (f *form) fieldType(t dtype.Type) (text, zero json.RawMessage, err error) {
	if text, err = t.MarshalJSON(); err != nil {
		return nil, nil, err
	}
	if zero, err = t.AppendFill(nil, make([]byte, t.Size()), nil); err != nil || f.layout != hdmf.V2 {
		return text, zero, err
	}
	switch t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
		return text, zero, nil
	case dtype.Time, dtype.Duration, dtype.Complex:
		return quoted(objects), json.RawMessage("0"), nil
	case dtype.Raw:
		if t.Name() == terminated {
			return quoted(objects), json.RawMessage("0"), nil
		}
	}
	return nil, nil, fmt.Errorf("elements of type %s have no form beside text in the layout %v", t.Name(), f.layout)
}
