package hdmf

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// maxYAML is how deep values may lie in each other in a document.
const maxYAML = 64

// fromYAML gives a document in YAML as JSON, its members in their order. Aliases
// are written out, as far as a schema may be long.
func fromYAML(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 {
		return nil, errors.New("is empty")
	}
	return appendYAML(nil, &doc, 0)
}

func appendYAML(dst []byte, n *yaml.Node, depth int) ([]byte, error) {
	switch {
	case depth > maxYAML:
		return nil, fmt.Errorf("line %d: values inside each other more than %d times", n.Line, maxYAML)
	case len(dst) > maxSchema:
		return nil, fmt.Errorf("line %d: the document has more than %d bytes", n.Line, maxSchema)
	}
	var err error
	switch n.Kind {
	case yaml.DocumentNode:
		return appendYAML(dst, n.Content[0], depth)
	case yaml.AliasNode:
		return appendYAML(dst, n.Alias, depth+1)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, elem := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendYAML(dst, elem, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				return nil, fmt.Errorf("line %d: a key must be a plain name", key.Line)
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(strictjson.AppendString(dst, key.Value), ':')
			if dst, err = appendYAML(dst, n.Content[i+1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	return appendScalar(dst, n)
}

// appendScalar appends a single value. What YAML has and JSON lacks, such as
// dates, is text.
func appendScalar(dst []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, err
		}
		return strconv.AppendBool(dst, b), nil
	case "!!int":
		var i int64
		if err := n.Decode(&i); err != nil {
			return nil, err
		}
		return strconv.AppendInt(dst, i, 10), nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		switch {
		case math.IsNaN(f):
			return append(dst, "NaN"...), nil
		case math.IsInf(f, 0):
			return nil, fmt.Errorf("line %d: no schema has an infinite number", n.Line)
		}
		raw, err := strictjson.Marshal(f, false)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1e15 {
			raw = strconv.AppendFloat(nil, f, 'f', 1, 64) // it stays a float for readers in Python
		}
		return append(dst, raw...), err
	}
	return strictjson.AppendString(dst, n.Value), nil
}
