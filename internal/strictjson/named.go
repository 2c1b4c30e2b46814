package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Named is how Zarr v3 spells a codec, a data type, a chunk grid or a chunk key
// encoding: {"name": ..., "configuration": {...}, "must_understand": ...}, or
// the name alone.
type Named struct {
	Name          string
	Configuration json.RawMessage // an object, nil if absent
	Optional      bool            // "must_understand": false
}

// ParseNamed reads either form from a checked document.
func ParseNamed(raw json.RawMessage) (Named, error) {
	var n Named
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		name, err := String(raw)
		if err == nil && name == "" {
			err = errors.New("the name is empty")
		}
		n.Name = name
		return n, err
	}
	members, err := Split(raw)
	if err != nil {
		return n, fmt.Errorf("must be a name or an object, not %s", Describe(raw))
	}
	named := false
	for _, m := range members {
		var err error
		switch m.Name {
		case "name":
			named = true
			n.Name, err = String(m.Raw)
			if err == nil && n.Name == "" {
				err = errors.New("is empty")
			}
		case "configuration":
			n.Configuration = m.Raw
			if m.Raw[0] != '{' {
				err = fmt.Errorf("must be an object, not %s", Describe(m.Raw))
			}
		case "must_understand":
			var must bool
			must, err = Bool(m.Raw)
			n.Optional = !must
		default:
			err = errors.New("unknown member")
		}
		if err != nil {
			return n, AtMember(m.Name, err)
		}
	}
	if !named {
		return n, errors.New(`missing member "name"`)
	}
	return n, nil
}

// Append appends the object form.
func (n Named) Append(dst []byte) ([]byte, error) {
	dst = append(dst, `{"name":`...)
	dst = AppendString(dst, n.Name)
	if n.Configuration != nil {
		if _, err := Object(n.Configuration, Options{}); err != nil {
			return nil, At("configuration", err)
		}
		dst = append(dst, `,"configuration":`...)
		dst = append(dst, n.Configuration...)
	}
	if n.Optional {
		dst = append(dst, `,"must_understand":false`...)
	}
	return append(dst, '}'), nil
}
