package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Schema is a JSON Schema of draft 2020-12. It knows the keywords that the
// schemas of codecs use; Parse refuses the others rather than pass over them.
type Schema struct {
	types      []string
	enum       []any // nil: any value
	properties map[string]*Schema
	required   []string
	closed     bool // no other properties
	items      *Schema
	pattern    *regexp.Regexp
	minimum    *float64
	maximum    *float64
	anyOf      []*Schema
	ref        string
	defs       map[string]*Schema // of the outermost schema
}

// annotations are keywords that say nothing about what is valid.
var annotations = []string{"$schema", "$id", "title", "description", "default", "examples", "contentEncoding", "$comment"}

// ParseSchema reads a schema.
func ParseSchema(text []byte) (*Schema, error) {
	s := &Schema{defs: map[string]*Schema{}}
	if err := s.parse(text, s.defs); err != nil {
		return nil, err
	}
	return s, s.resolve(s.defs)
}

func (s *Schema) parse(raw json.RawMessage, defs map[string]*Schema) error {
	members, err := strictjson.Object(raw, strictjson.Options{})
	if err != nil {
		return err
	}
	s.defs = defs
	for _, m := range members {
		if err := s.keyword(m, defs); err != nil {
			return strictjson.AtMember(m.Name, err)
		}
	}
	return nil
}

func (s *Schema) keyword(m strictjson.Member, defs map[string]*Schema) (err error) {
	switch m.Name {
	case "type":
		if m.Raw[0] == '"' {
			s.types = make([]string, 1)
			return json.Unmarshal(m.Raw, &s.types[0])
		}
		return json.Unmarshal(m.Raw, &s.types)
	case "enum":
		s.enum = []any{}
		return strictjson.Each(m.Raw, func(_ int, elem json.RawMessage) error {
			v, err := decode(elem)
			s.enum = append(s.enum, v)
			return err
		})
	case "const":
		v, err := decode(m.Raw)
		s.enum = []any{v}
		return err
	case "properties":
		s.properties, err = parseMap(m.Raw, defs)
	case "$defs":
		var own map[string]*Schema
		own, err = parseMap(m.Raw, defs)
		for name, d := range own {
			defs["#/$defs/"+name] = d
		}
	case "$ref":
		return json.Unmarshal(m.Raw, &s.ref)
	case "required":
		return json.Unmarshal(m.Raw, &s.required)
	case "additionalProperties":
		if string(m.Raw) != "false" {
			return errors.New("only false is supported")
		}
		s.closed = true
	case "items":
		s.items = &Schema{}
		return s.items.parse(m.Raw, defs)
	case "pattern":
		var text string
		if err = json.Unmarshal(m.Raw, &text); err == nil {
			s.pattern, err = regexp.Compile(text)
		}
	case "minimum":
		return json.Unmarshal(m.Raw, &s.minimum)
	case "maximum":
		return json.Unmarshal(m.Raw, &s.maximum)
	case "anyOf":
		return strictjson.Each(m.Raw, func(_ int, elem json.RawMessage) error {
			one := &Schema{}
			s.anyOf = append(s.anyOf, one)
			return one.parse(elem, defs)
		})
	default:
		if !slices.Contains(annotations, m.Name) {
			err = errors.New("this keyword is not supported")
		}
	}
	return err
}

func parseMap(raw json.RawMessage, defs map[string]*Schema) (map[string]*Schema, error) {
	members, err := strictjson.Object(raw, strictjson.Options{})
	if err != nil {
		return nil, err
	}
	out := map[string]*Schema{}
	for _, m := range members {
		out[m.Name] = &Schema{}
		if err := out[m.Name].parse(m.Raw, defs); err != nil {
			return nil, strictjson.AtMember(m.Name, err)
		}
	}
	return out, nil
}

// resolve checks that every reference leads to a definition.
func (s *Schema) resolve(defs map[string]*Schema) error {
	if s.ref != "" && defs[s.ref] == nil {
		return fmt.Errorf("$ref %q leads nowhere", s.ref)
	}
	inner := slices.Clone(s.anyOf)
	for _, p := range s.properties {
		inner = append(inner, p)
	}
	if s.items != nil {
		inner = append(inner, s.items)
	}
	for _, p := range inner {
		if err := p.resolve(defs); err != nil {
			return err
		}
	}
	return nil
}

// decode reads JSON with numbers as they are spelled.
func decode(raw json.RawMessage) (any, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// Validate checks a JSON text. The error is the first thing that is wrong, with
// the path of the member that it is about.
func (s *Schema) Validate(text json.RawMessage) error {
	v, err := decode(text)
	if err != nil {
		return err
	}
	return s.check(v)
}

func (s *Schema) check(v any) error {
	if s.ref != "" {
		if err := s.defs[s.ref].check(v); err != nil {
			return err
		}
	}
	if s.types != nil && !slices.ContainsFunc(s.types, func(t string) bool { return hasType(v, t) }) {
		return fmt.Errorf("is %s, must be %s", typeName(v), strings.Join(s.types, " or "))
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return equal(e, v) }) {
		return fmt.Errorf("is %s, must be %s", show(v), showAll(s.enum))
	}
	if err := s.checkAny(v); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return s.checkObject(v)
	case []any:
		for i, e := range v {
			if s.items != nil {
				if err := s.items.check(e); err != nil {
					return strictjson.AtIndex(i, err)
				}
			}
		}
	case string:
		if s.pattern != nil && !s.pattern.MatchString(v) {
			return fmt.Errorf("%s does not match %s", strictjson.Quote(v), s.pattern)
		}
	case json.Number:
		n := number(v)
		if s.minimum != nil && n < *s.minimum {
			return fmt.Errorf("is %s, must not be below %v", v, *s.minimum)
		}
		if s.maximum != nil && n > *s.maximum {
			return fmt.Errorf("is %s, must not be above %.0f", v, *s.maximum)
		}
	}
	return nil
}

// checkAny tries the alternatives; the error is that of the one that got
// furthest.
func (s *Schema) checkAny(v any) error {
	var best error
	for _, one := range s.anyOf {
		err := one.check(v)
		if err == nil {
			return nil
		}
		if best == nil || len(pathOf(err)) > len(pathOf(best)) {
			best = err
		}
	}
	return best
}

func pathOf(err error) string {
	var at *strictjson.Error
	if errors.As(err, &at) {
		return at.Path
	}
	return ""
}

func (s *Schema) checkObject(v map[string]any) error {
	for _, name := range s.required {
		if _, ok := v[name]; !ok {
			return fmt.Errorf("lacks %s", name)
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names) // so that the same document has the same error
	for _, name := range names {
		p, known := s.properties[name]
		if !known {
			if s.closed {
				return strictjson.AtMember(name, errors.New("unknown member"))
			}
			continue
		}
		if err := p.check(v[name]); err != nil {
			return strictjson.AtMember(name, err)
		}
	}
	return nil
}

// number is the value of a number; one that is too large is infinite.
func number(v json.Number) float64 {
	f, _ := strconv.ParseFloat(string(v), 64)
	return f
}

func hasType(v any, t string) bool {
	n, ok := v.(json.Number)
	if ok && t == "integer" {
		f := number(n)
		return f == math.Trunc(f)
	}
	return typeName(v) == t
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func equal(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, areNumbers := b.(json.Number)
	if isNumber && areNumbers {
		return number(x) == number(y)
	}
	return reflect.DeepEqual(a, b)
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil || !utf8.Valid(text) {
		return typeName(v)
	}
	return strictjson.Excerpt(text)
}

func showAll(list []any) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = show(v)
	}
	return strings.Join(parts, " or ")
}
