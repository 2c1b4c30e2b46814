package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Any is an extent that may have any length.
const Any = -1

// maxRank is how many axes a shape may have; NumPy allows 64.
const maxRank = 64

// Shape is one extent for every axis, Any where it is free.
type Shape []int

// Fits reports whether data of a shape is allowed: the same number of axes, each
// as long as the extent says.
func (s Shape) Fits(data []int) bool {
	if len(data) != len(s) {
		return false
	}
	for i, n := range s {
		if n != Any && n != data[i] {
			return false
		}
	}
	return true
}

// String is the shape with stars for free extents: "[*, 3]".
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		if n == Any {
			b.WriteByte('*')
		} else {
			b.WriteString(strconv.Itoa(n))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// ShapesFit reports whether data of a shape fits one of the alternatives. No
// alternatives allow everything, scalars too.
func ShapesFit(alternatives []Shape, data []int) bool {
	for _, s := range alternatives {
		if s.Fits(data) {
			return true
		}
	}
	return len(alternatives) == 0
}

// narrows reports whether every shape that s allows is allowed by one of the
// alternatives.
func (s Shape) narrows(alternatives []Shape) bool {
next:
	for _, wide := range alternatives {
		if len(wide) != len(s) {
			continue
		}
		for i, n := range wide {
			if n != Any && n != s[i] {
				continue next
			}
		}
		return true
	}
	return false
}

// isNested reports whether an array's first element is an array, which is how
// alternatives are told from a single shape.
func isNested(raw json.RawMessage) bool {
	nested := false
	_ = strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		nested = elem[0] == '['
		return fmt.Errorf("only the first counts")
	})
	return nested
}

// alternatives calls one for each alternative of a shape or of dims.
func alternatives(raw json.RawMessage, one func(json.RawMessage) error) error {
	if !isNested(raw) {
		return one(raw)
	}
	return strictjson.Each(raw, func(i int, elem json.RawMessage) error { return one(elem) })
}

func parseShapes(raw json.RawMessage) ([]Shape, error) {
	var out []Shape
	err := alternatives(raw, func(raw json.RawMessage) error {
		shape := Shape{}
		err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if i >= maxRank {
				return fmt.Errorf("more than %d axes", maxRank)
			}
			if strictjson.IsNull(elem) {
				shape = append(shape, Any)
				return nil
			}
			n, err := strictjson.Length(elem, 0)
			shape = append(shape, n)
			return err
		})
		if err == nil && len(shape) == 0 {
			err = fmt.Errorf("a shape without axes")
		}
		out = append(out, shape)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func parseDims(raw json.RawMessage) ([][]string, error) {
	var out [][]string
	err := alternatives(raw, func(raw json.RawMessage) error {
		var dims []string
		err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if i >= maxRank {
				return fmt.Errorf("more than %d axes", maxRank)
			}
			if strictjson.IsNull(elem) {
				dims = append(dims, "")
				return nil
			}
			name, err := strictjson.String(elem)
			dims = append(dims, name)
			return err
		})
		out = append(out, dims)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// matchDims makes shapes and dims of a spec agree. Names of axes without a shape
// mean free extents. Names that do not match the shapes, as hdmf makes them up for
// alternatives without names, are left out; then ok is false unless they are made up.
func matchDims(shapes []Shape, dims [][]string) (_ []Shape, _ [][]string, ok bool) {
	if len(dims) == 0 || len(dims) == 1 && len(dims[0]) == 0 {
		return shapes, nil, true
	}
	if shapes == nil {
		for _, names := range dims {
			shape := make(Shape, len(names))
			for i := range shape {
				shape[i] = Any
			}
			shapes = append(shapes, shape)
		}
		return shapes, dims, true
	}
	ok = len(shapes) == len(dims)
	for i := 0; ok && i < len(dims); i++ {
		ok = len(shapes[i]) == len(dims[i])
	}
	if ok {
		return shapes, dims, true
	}
	return shapes, nil, len(dims) == 1 && strings.HasPrefix(dims[0][0], "dim_")
}
