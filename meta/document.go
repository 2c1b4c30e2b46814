package meta

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// document is compact JSON under construction.
type document struct {
	json []byte
	err  error
}

// start opens a document.
func start(dst []byte, nodeType string) *document {
	return &document{json: fmt.Appendf(dst, `{"zarr_format":3,"node_type":%q`, nodeType)}
}

// name writes a member's name.
func (d *document) name(name string) {
	d.json = append(d.json, ',')
	d.json = append(strictjson.AppendString(d.json, name), ':')
}

// raw writes a member whose value must be JSON already.
func (d *document) raw(name string, value []byte) {
	if d.err == nil {
		d.err = strictjson.AtMember(name, strictjson.Validate(value, strictjson.Options{}))
	}
	d.name(name)
	d.json = append(d.json, value...)
}

// value writes a member that knows its JSON.
func (d *document) value(name string, v json.Marshaler) {
	raw, err := v.MarshalJSON()
	if err != nil {
		d.fail(strictjson.At(name, err))
		return
	}
	d.raw(name, raw)
}

// attributes writes the attributes, if there are any.
func (d *document) attributes(a *Attributes) {
	if a != nil {
		d.name("attributes")
		d.json = a.Append(d.json)
	}
}

// finish writes unknown members and closes the document.
func (d *document) finish(extra []Member, known func(string) bool) ([]byte, error) {
	for i, m := range extra {
		d.raw(m.Name, m.Raw)
		if known(m.Name) || containsName(extra[:i], m.Name) {
			d.fail(fmt.Errorf("extra member %s is there already", strictjson.Step(m.Name)))
		}
		if d.err == nil {
			d.fail(checkUnknown(m))
		}
	}
	d.json = append(d.json, '}')
	return d.json, d.err
}

// fail keeps the first error.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func containsName(members []Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// indent turns a compact document into the one that people read.
func indent(compact []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return append(strictjson.Indent(nil, compact), '\n'), nil
}
