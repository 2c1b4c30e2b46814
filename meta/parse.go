package meta

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Parse reads the document of a Zarr v3 node. The node refers to doc, which
// must not be changed afterwards.
//
// Unknown codecs are no error: the codecs are only checked for their form, so
// that an array can be looked at without them.
func Parse(doc []byte, reg Registry) (Node, error) {
	members, err := strictjson.Object(doc, strictjson.Options{
		MaxBytes: reg.Limit(),
		NaNIn:    []string{"attributes", "consolidated_metadata"},
		Context:  reg.ctx,
	})
	if err != nil {
		return nil, err
	}
	reg.ctx = nil // what a node keeps of the registry outlives the call
	var format, nodeType json.RawMessage
	for _, m := range members {
		switch m.Name {
		case "zarr_format":
			format = m.Raw
		case "node_type":
			nodeType = m.Raw
		}
	}
	if err := checkFormat(format); err != nil {
		return nil, err
	}
	if nodeType == nil {
		return nil, missing("node_type")
	}
	kind, err := strictjson.String(nodeType)
	if err != nil {
		return nil, strictjson.At("node_type", err)
	}
	switch kind {
	case "array":
		a, err := parseArray(members, reg)
		if err != nil {
			return nil, err
		}
		return a, nil
	case "group":
		g, err := parseGroup(members, reg)
		if err != nil {
			return nil, err
		}
		return g, nil
	}
	return nil, strictjson.Errorf("node_type", `%s, must be "array" or "group"`, strictjson.Excerpt(nodeType))
}

func checkFormat(raw json.RawMessage) error {
	if raw == nil {
		return missing("zarr_format")
	}
	n, err := strictjson.Int(raw)
	if err == nil && n != 3 {
		err = fmt.Errorf("%d, must be 3", n)
	}
	return strictjson.At("zarr_format", err)
}

func missing(name string) error { return fmt.Errorf("missing member %q", name) }

// errMustUnderstand refuses what the core text says must not be ignored.
var errMustUnderstand = errors.New(`unknown member without "must_understand": false`)

// checkUnknown accepts an unknown member only if it says that it may be
// ignored.
func checkUnknown(m Member) error {
	if m.Raw[0] == '{' {
		members, err := strictjson.Object(m.Raw, strictjson.Options{})
		if err != nil {
			return strictjson.AtMember(m.Name, err)
		}
		for _, in := range members {
			if in.Name == "must_understand" && string(in.Raw) == "false" {
				return nil
			}
		}
	}
	return strictjson.AtMember(m.Name, errMustUnderstand)
}
