package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Extension is a codec as metadata names it, known or not.
type Extension struct {
	Name string
	// Configuration is a JSON object, nil if there is none.
	Configuration json.RawMessage
	// Optional stands for "must_understand": false.
	Optional bool
}

// ParseExtension reads an object with a name and perhaps a configuration and
// must_understand, or a bare name.
func ParseExtension(raw json.RawMessage) (Extension, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return Extension{}, err
	}
	named, err := strictjson.ParseNamed(raw)
	return Extension(named), err
}

// ParseCodecs reads a list of codecs, at least one, without looking at what
// they are.
func ParseCodecs(raw json.RawMessage) ([]Extension, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return nil, err
	}
	return parseCodecs(raw)
}

func parseCodecs(raw json.RawMessage) ([]Extension, error) {
	const most = 1024
	var codecs []Extension
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == most {
			return fmt.Errorf("more than %d codecs", most)
		}
		named, err := strictjson.ParseNamed(elem)
		codecs = append(codecs, Extension(named))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(codecs) == 0 {
		return nil, errNoCodecs
	}
	return codecs, nil
}

var errNoCodecs = errors.New("empty, must hold one codec that turns arrays into bytes")

// MarshalJSON gives the object form, which more readers take than the bare
// name.
func (e Extension) MarshalJSON() ([]byte, error) {
	if e.Name == "" {
		return nil, strictjson.Errorf("name", "is empty")
	}
	if !utf8.ValidString(e.Name) {
		return nil, strictjson.At("name", errNotUTF8)
	}
	return strictjson.Named(e).Append(nil)
}

// extensions writes a list of extensions.
func (d *document) extensions(name string, list []Extension) {
	d.name(name)
	d.json = append(d.json, '[')
	for i, x := range list {
		if i > 0 {
			d.json = append(d.json, ',')
		}
		raw, err := x.MarshalJSON()
		if err != nil {
			d.fail(strictjson.At(name, strictjson.AtIndex(i, err)))
		}
		d.json = append(d.json, raw...)
	}
	d.json = append(d.json, ']')
}
