package hdmf

import (
	"bytes"
	"encoding/json"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Nested is a reference inside of the value of an attribute.
type Nested struct {
	Reference
	// At is where in the value it stands, such as ".channels[2]".
	At string
	// Err says why it is none, though it has the form of one.
	Err error
}

// maxNested is how deep inside of an attribute references are looked for.
const maxNested = 32

// Rewrite gives the value of the attribute with each reference in it spelled anew, and
// all else as it is, also what has the form of a reference and is none.
func (a *Attribute) Rewrite(spell func(dst []byte, r Reference) ([]byte, error)) (json.RawMessage, error) {
	if a.References == nil && a.Nested == nil && a.Err == nil {
		return a.Raw, nil
	}
	return eachNested(nil, a.Raw, "", 0, func(dst []byte, raw json.RawMessage, n Nested) ([]byte, error) {
		if n.Err != nil {
			return append(dst, raw...), nil
		}
		dst, err := spell(dst, n.Reference)
		return dst, strictjson.At(n.At, err)
	})
}

// nested finds the references inside of a value that is none itself.
func nested(raw json.RawMessage) (list []Nested) {
	_, _ = eachNested(nil, raw, "", 0, func(dst []byte, _ json.RawMessage, n Nested) ([]byte, error) {
		list = append(list, n)
		return dst, nil
	})
	return list
}

// eachNested appends a value to dst, for every reference in it what one appends.
func eachNested(dst []byte, raw json.RawMessage, at string, depth int, one func(dst []byte, raw json.RawMessage, n Nested) ([]byte, error)) ([]byte, error) {
	if depth > maxNested || !mayRefer(raw) {
		return append(dst, raw...), nil
	}
	if r, ok, err := attributeReference(raw); ok {
		return one(dst, raw, Nested{r, at, err})
	}
	var err error
	before := len(dst)
	next := func(i int, begin byte) {
		if i == 0 {
			dst = append(dst, begin)
		} else {
			dst = append(dst, ',')
		}
	}
	if raw[0] == '[' {
		err = strictjson.Each(raw, func(i int, elem json.RawMessage) (err error) {
			next(i, '[')
			dst, err = eachNested(dst, elem, at+string(strictjson.AppendInts(nil, []int{i})), depth+1, one)
			return err
		})
		return append(dst, ']'), err
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return append(dst[:before], raw...), nil
	}
	for i, m := range members {
		next(i, '{')
		dst = append(strictjson.AppendString(dst, m.Name), ':')
		if dst, err = eachNested(dst, m.Raw, at+"."+strictjson.Step(m.Name), depth+1, one); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// mayRefer says whether a list or an object may hold references: most do not, and
// need not be taken apart. Names may have escapes in them.
func mayRefer(raw json.RawMessage) bool {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return false
	}
	return bytes.Contains(raw, []byte(referenceV3)) || bytes.Contains(raw, []byte(dtypeV2)) || bytes.Contains(raw, []byte(`\u`))
}
