package codec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Parser reads the configuration of a codec (nil when there is none). Codecs
// that contain others parse them with r.
type Parser func(r *Registry, name string, config json.RawMessage) (Codec, error)

// Registry knows codecs by name. It is a plain value that a program builds and
// passes on: importing a package registers nothing.
type Registry struct {
	parsers map[string]Parser
	ctx     context.Context // nil: parsing is not cut short
	checked bool            // what is parsed is part of a document that is JSON
}

// NewRegistry returns a registry that knows no codec.
func NewRegistry() *Registry { return &Registry{parsers: map[string]Parser{}} }

// Register adds a codec under one or more names; it replaces what had the name.
func (r *Registry) Register(p Parser, names ...string) {
	for _, n := range names {
		r.parsers[n] = p
	}
}

// Clone returns a copy to which more can be added.
func (r *Registry) Clone() *Registry { return &Registry{parsers: maps.Clone(r.parsers)} }

// Until returns a registry that knows the same codecs, and stops parsing when the
// context ends.
func (r *Registry) Until(ctx context.Context) *Registry {
	return &Registry{parsers: r.parsers, ctx: ctx, checked: r.checked}
}

// check looks at a text once, however deep the codecs in it are nested, and returns
// the registry for what is in it.
func (r *Registry) check(raw json.RawMessage) (*Registry, error) {
	if r.ctx != nil && r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	if r.checked || len(raw) == 0 {
		return r, nil
	}
	if err := strictjson.Validate(raw, strictjson.Options{Context: r.ctx}); err != nil {
		return nil, err
	}
	return &Registry{parsers: r.parsers, ctx: r.ctx, checked: true}, nil
}

// Names lists the registered names in order.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.parsers)) }

// Entry is one entry of a codecs list, not yet parsed.
type Entry struct {
	Name   string
	Config json.RawMessage // nil if there is none
}

// Parse reads one entry. An error names the codec.
func (r *Registry) Parse(e Entry) (Codec, error) {
	p := r.parsers[e.Name]
	if p == nil {
		return nil, &Error{Codec: e.Name, Err: ErrUnknown}
	}
	inner, err := r.check(e.Config)
	if err != nil {
		return nil, wrap(e.Name, err)
	}
	c, err := p(inner, e.Name, e.Config)
	return c, wrap(e.Name, err)
}

// ParseList reads a codecs list as metadata spells it: an array of names and of
// objects with name and configuration.
func (r *Registry) ParseList(raw json.RawMessage) (*Chain, error) {
	r, err := r.check(raw)
	if err != nil {
		return nil, err
	}
	entries := []Entry{}
	err = strictjson.Each(raw, func(_ int, item json.RawMessage) error {
		if len(entries) == mostCodecs {
			return fmt.Errorf("more than %d codecs", mostCodecs)
		}
		e, err := strictjson.ParseNamed(item)
		entries = append(entries, Entry{e.Name, e.Configuration})
		if e.Name == "" {
			return err
		}
		return wrap(e.Name, err)
	})
	if err != nil {
		return nil, strictjson.At("codecs", err)
	}
	return r.Chain(entries)
}

// mostCodecs is how many codecs a list has at most.
const mostCodecs = 1024

// Chain reads a list of entries and checks that their kinds follow each other
// as they must: array to array, exactly one array to bytes, bytes to bytes.
func (r *Registry) Chain(entries []Entry) (*Chain, error) {
	c := &Chain{}
	for _, e := range entries {
		parsed, err := r.Parse(e)
		if err != nil {
			return nil, err
		}
		if err := c.add(parsed); err != nil {
			return nil, err
		}
	}
	if c.serializer == nil {
		return nil, fmt.Errorf("no codec in the list turns arrays into bytes")
	}
	return c, nil
}

// add puts a codec behind the others. One that is of two kinds is taken for that
// which fits its place.
func (c *Chain) add(k Codec) error {
	array, isArray := k.(ArrayToArray)
	serializer, isSerializer := k.(ArrayToBytes)
	filter, isFilter := k.(BytesToBytes)
	before := c.serializer
	switch {
	case before == nil && isArray:
		c.arrays = append(c.arrays, array)
	case before == nil && isSerializer:
		c.serializer = serializer
	case before != nil && isFilter:
		c.bytes = append(c.bytes, filter)
	case isFilter:
		return fmt.Errorf(`codec %s works on bytes, but no codec before it turns arrays into bytes: put one in front of it, such as {"name": "bytes", "configuration": {"endian": "little"}}`, k.Name())
	case isSerializer:
		return fmt.Errorf("codecs %s and %s both turn arrays into bytes: there must be exactly one", before.Name(), k.Name())
	case isArray:
		return fmt.Errorf("codec %s works on arrays and cannot follow %s, which gives bytes", k.Name(), before.Name())
	default:
		return fmt.Errorf("codec %s is of no kind", k.Name())
	}
	return nil
}

// ParseConfig reads a configuration into v, a pointer to a struct with json
// tags. Members that v does not have are an error; no configuration at all is
// an empty one.
func ParseConfig(config json.RawMessage, v any) error {
	if len(config) == 0 {
		return nil
	}
	members, err := strictjson.Split(config)
	if err == nil {
		err = setMembers(members, reflect.ValueOf(v).Elem())
	}
	return strictjson.At("configuration", err)
}

// setMembers is stricter than encoding/json: names must be spelled exactly, come
// once, and have a value. A member that may be null, or holds codecs, is a
// json.RawMessage, which is left as it lies in the document.
func setMembers(members []strictjson.Member, v reflect.Value) error {
	seen := map[string]bool{}
	for _, m := range members {
		field, known := fieldOf(v, m.Name)
		switch {
		case !known:
			return fmt.Errorf("unknown member %s", strictjson.Quote(m.Name))
		case seen[m.Name]:
			return strictjson.AtMember(m.Name, errors.New("is there twice"))
		case field.Type() == reflect.TypeFor[json.RawMessage]():
			field.SetBytes(m.Raw)
		case strictjson.IsNull(m.Raw):
			return strictjson.AtMember(m.Name, errors.New("must not be null"))
		default:
			if err := strictjson.Unmarshal(m.Raw, field.Addr().Interface()); err != nil {
				return strictjson.AtMember(m.Name, err)
			}
		}
		seen[m.Name] = true
	}
	return nil
}

// fieldOf is the field of a struct that a member of this name belongs to.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name && tag != "" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// MarshalEntry spells an entry of a codecs list; a nil config is left out. It
// escapes nothing that JSON does not ask for: types are called "<i4".
func MarshalEntry(name string, config any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Name          string `json:"name"`
		Configuration any    `json:"configuration,omitempty"`
	}{name, config})
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
