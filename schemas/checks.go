package schemas

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/omnizarr/zarr/dtype"
)

// checks are what schemas cannot say, by codec. They get entries that their
// schema accepts.
var checks = map[string]func(entry json.RawMessage, t dtype.Type) []Finding{
	"pad":      func(e json.RawMessage, _ dtype.Type) []Finding { return checkLiteral(e, "pad", "nbytes", "padding") },
	"offset":   func(e json.RawMessage, _ dtype.Type) []Finding { return checkLiteral(e, "offset", "offset", "prefix") },
	"packbits": checkPackbits,
}

// configuration is the configuration of an entry, nil if there is none.
func configuration(entry json.RawMessage) map[string]json.RawMessage {
	var e struct {
		Configuration map[string]json.RawMessage `json:"configuration"`
	}
	if json.Unmarshal(entry, &e) != nil {
		return nil // a bare name
	}
	return e.Configuration
}

// plainInteger is how Zarr spells integers. To JSON Schema, 16.0 and 1e1 are
// integers too.
var plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func checkIntegers(codec string, config map[string]json.RawMessage, names ...string) (out []Finding) {
	for _, name := range names {
		if raw, ok := config[name]; ok && string(raw) != "null" && !plainInteger.Match(raw) {
			out = append(out, Finding{codec + "-integer", fmt.Sprintf("%s is %s, must be spelled as an integer", name, raw)})
		}
	}
	return out
}

// checkLiteral checks that a literal has as many bytes as the configuration says.
func checkLiteral(entry json.RawMessage, codec, sizeName, literalName string) []Finding {
	config := configuration(entry)
	if out := checkIntegers(codec, config, sizeName); out != nil {
		return out
	}
	var size int64
	var text *string
	if json.Unmarshal(config[sizeName], &size) != nil || config[literalName] == nil || json.Unmarshal(config[literalName], &text) != nil {
		return nil
	}
	literal, err := base64.StdEncoding.DecodeString(*text)
	if err != nil || int64(len(literal)) != size {
		return []Finding{{codec + "-length", fmt.Sprintf("%s has %d bytes, %s says %d", literalName, len(literal), sizeName, size)}}
	}
	return nil
}

// packable are the types that can be packed.
var packable = []dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex, dtype.Time, dtype.Duration}

// checkPackbits checks the bits against the type.
func checkPackbits(entry json.RawMessage, t dtype.Type) []Finding {
	config := configuration(entry)
	if out := checkIntegers("packbits", config, "first_bit", "last_bit", "start_bit", "end_bit"); out != nil {
		return out
	}
	bad := func(format string, args ...any) []Finding {
		return []Finding{{"packbits-bits", fmt.Sprintf(format, args...)}}
	}
	first, err := bit(config, "first_bit", "start_bit")
	last, err2 := bit(config, "last_bit", "end_bit")
	if err != nil || err2 != nil {
		return bad("a bit is no number that can be counted")
	}
	if first != nil && last != nil && *last < *first {
		return bad("the last bit, %d, is before the first, %d", *last, *first)
	}
	if t == nil {
		return nil
	}
	if !slices.Contains(packable, t.Kind()) || len(t.Units()) != 1 {
		return []Finding{{"packbits-type", fmt.Sprintf("elements of type %s cannot be packed", t.Name())}}
	}
	n := int64(t.Units()[0].Bits)
	for _, b := range []*int64{first, last} {
		if b != nil && *b >= n {
			return bad("bit %d is outside the %d bits of %s", *b, n, t.Name())
		}
	}
	return nil
}

// bit is a bit under one of its names, nil where the default stands.
func bit(config map[string]json.RawMessage, names ...string) (*int64, error) {
	for _, name := range names {
		if raw, ok := config[name]; ok {
			var n *int64
			err := json.Unmarshal(raw, &n)
			return n, err
		}
	}
	return nil, nil
}
