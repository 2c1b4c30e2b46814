package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrUnknown is wrapped by the error for a data type that no registry entry
// has the name of.
var ErrUnknown = errors.New("unknown data type")

// Limits on what metadata may ask for, so that a few bytes of hostile text do
// not become a large allocation.
const (
	maxSize    = 1 << 24 // bytes of one element
	maxFields  = 1 << 12 // fields of one struct
	maxNesting = 64      // brackets inside brackets: 16 structs deep
)

// Parser makes a type from its name and its configuration, which is nil when
// the metadata has none.
type Parser func(name string, config json.RawMessage) (Type, error)

// Registry knows data types by name. It may be used by several goroutines.
type Registry struct {
	mu      sync.RWMutex
	parsers map[string]Parser
}

// NewRegistry returns a registry that holds every type of this package.
func NewRegistry() *Registry {
	r := &Registry{parsers: map[string]Parser{}}
	simple := func(t Type) {
		r.Register(t.Name(), func(_ string, config json.RawMessage) (Type, error) {
			return t, noConfig(config)
		})
	}
	simple(newBool())
	for _, bits := range []int{2, 4, 8, 16, 32, 64} {
		simple(newInt("int"+strconv.Itoa(bits), bits, true))
		simple(newInt("uint"+strconv.Itoa(bits), bits, false))
	}
	for _, f := range formats {
		simple(newFloat(f))
		simple(newComplex("complex_"+f.name, f))
	}
	simple(newComplex("complex64", formatFloat32))
	simple(newComplex("complex128", formatFloat64))
	simple(newVariable("string", String))
	simple(newVariable("bytes", Bytes))
	simple(newVariable("variable_length_bytes", Bytes))
	r.Register("r*", parseRawBits)
	r.Register("raw_bytes", parseRawBytes)
	r.Register("null_terminated_bytes", parseRawBytes)
	r.Register("fixed_length_utf32", parseUTF32)
	r.Register("numpy.datetime64", parseTime)
	r.Register("numpy.timedelta64", parseTime)
	simple(newObject())
	r.Register(listName, r.parseList)
	r.Register(optionalName, r.parseOptional)
	r.Register("struct", r.parseStruct)
	r.Register("structured", r.parseStruct)
	r.Register(subarrayName, r.parseSubarray)
	return r
}

var defaultRegistry = sync.OnceValue(NewRegistry)

// Default returns the registry that Parse uses. Types registered with it are
// known to the whole program.
func Default() *Registry { return defaultRegistry() }

// Register adds a type. A name that ends in * stands for every name with
// digits in its place. Register panics when the name is empty or taken.
func (r *Registry) Register(name string, parse func(name string, config json.RawMessage) (Type, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "" || r.parsers[name] != nil {
		panic(fmt.Sprintf("dtype: name %q is empty or registered already", name))
	}
	r.parsers[name] = parse
}

// Names lists the registered names in order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.parsers))
}

// Parse reads the data_type member of Zarr v3 metadata: a name, or an object
// with name and configuration.
func (r *Registry) Parse(raw json.RawMessage) (Type, error) {
	if nesting(raw) > maxNesting {
		return nil, fmt.Errorf("data type %s: nested too deeply", short(string(raw)))
	}
	name, config, err := split(raw)
	if err != nil {
		return nil, fmt.Errorf("data type %s: %w", short(string(trim(raw))), err)
	}
	parse := r.lookup(name)
	if parse == nil {
		return nil, fmt.Errorf("%w %s", ErrUnknown, short(strconv.Quote(name)))
	}
	t, err := parse(name, config)
	if err != nil {
		return nil, fmt.Errorf("data type %s: %w", short(name), err)
	}
	return t, nil
}

// Lookup is Parse for text that people write: a bare name, or JSON.
func (r *Registry) Lookup(s string) (Type, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, `"`) {
		return r.Parse(json.RawMessage(s))
	}
	return r.Parse(appendString(nil, s))
}

func (r *Registry) lookup(name string) Parser {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if p := r.parsers[name]; p != nil && !strings.HasSuffix(name, "*") {
		return p
	}
	if stem := strings.TrimRight(name, "0123456789"); stem != name {
		return r.parsers[stem+"*"]
	}
	return nil
}

// Parse reads the data_type member of Zarr v3 metadata with the default
// registry.
func Parse(raw json.RawMessage) (Type, error) { return Default().Parse(raw) }

// Lookup is Parse for text that people write: a bare name such as uint16, or
// the JSON of the metadata.
func Lookup(s string) (Type, error) { return Default().Lookup(s) }

// MustParse is Lookup for types that the program itself names; it panics when
// there is no such type.
func MustParse(s string) Type {
	t, err := Lookup(s)
	if err != nil {
		panic("dtype: " + err.Error())
	}
	return t
}

// Equal reports whether a and b have the same spelling in metadata.
func Equal(a, b Type) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, errX := a.MarshalJSON()
	y, errY := b.MarshalJSON()
	return errX == nil && errY == nil && string(x) == string(y)
}

// split takes an extension definition apart. A data type can never be skipped,
// so must_understand is only checked to be a boolean.
func split(raw json.RawMessage) (name string, config json.RawMessage, err error) {
	if first(raw) == '"' {
		name, err = text(raw)
		return name, nil, err
	}
	o, err := parseObject(raw)
	if err != nil {
		if first(raw) != '{' {
			err = errors.New("must be a name or an object")
		}
		return "", nil, err
	}
	if err := o.only("name", "configuration", "must_understand"); err != nil {
		return "", nil, err
	}
	if name, err = text(o.get("name")); err != nil {
		return "", nil, fmt.Errorf("name: %w", err)
	}
	if m := string(o.get("must_understand")); m != "" && m != "true" && m != "false" {
		return "", nil, fmt.Errorf("must_understand is %s, not true or false", short(m))
	}
	return name, o.get("configuration"), nil
}

// noConfig checks the configuration of a type that has nothing to configure.
func noConfig(config json.RawMessage) error {
	_, err := configuration(config)
	return err
}

// configuration reads a configuration that has exactly the given members; one
// that is absent counts as empty.
func configuration(config json.RawMessage, names ...string) (object, error) {
	var o object
	if config != nil {
		var err error
		if o, err = parseObject(config); err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
	}
	if err := o.only(names...); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	for _, n := range names {
		if o.get(n) == nil {
			return nil, fmt.Errorf("configuration: no %s", n)
		}
	}
	return o, nil
}

// intMember reads an integer of a configuration.
func (o object) intMember(name string, least, most int64) (int64, error) {
	raw := o.get(name)
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || !isInteger(raw) || n < least || n > most {
		return 0, fmt.Errorf("configuration: %s is %s, not an integer from %d to %d", name, short(string(raw)), least, most)
	}
	return n, nil
}

// nesting is the depth of brackets in a JSON text.
func nesting(raw json.RawMessage) int {
	depth, most := 0, 0
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// base is what all types have; its slices are shared and never changed.
type base struct {
	name  string
	kind  Kind
	size  int
	units []Unit
	refs  []int
	json  string
}

func (b *base) Name() string                 { return b.name }
func (b *base) Kind() Kind                   { return b.kind }
func (b *base) Size() int                    { return b.size }
func (b *base) Units() []Unit                { return b.units }
func (b *base) Refs() []int                  { return b.refs }
func (b *base) MarshalJSON() ([]byte, error) { return []byte(b.json), nil }
func (b *base) String() string               { return b.json }

// plain is the base of a type that is spelled by its name alone.
func plain(name string, kind Kind, units ...Unit) base {
	b := base{name: name, kind: kind, units: units, json: string(appendString(nil, name))}
	for _, u := range units {
		b.size = max(b.size, u.Offset+u.Width*u.Count)
	}
	return b
}

// configured is the base of a type with a configuration, given as JSON.
func configured(name string, kind Kind, config string, units ...Unit) base {
	b := plain(name, kind, units...)
	b.json = `{"name":` + b.json + `,"configuration":` + config + `}`
	return b
}
