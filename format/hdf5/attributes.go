package hdf5

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
)

// attributes gives those of a node as JSON.
func (s *Store) attributes(n *node) (*meta.Attributes, error) {
	if n.mosaic != nil {
		return nil, nil // its group tells what it is
	}
	list, err := n.o.Attributes()
	if err != nil {
		return nil, err
	}
	out := &meta.Attributes{}
	n.list = list
	left := &saying{path: n.path, left: mostSaid}
	means := s.convention()
	for _, a := range list {
		if means.hides(n, a.Name) {
			continue
		}
		v, err := s.attribute(&a, left)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		if err := out.Set(strings.ToValidUTF8(a.Name, "\uFFFD"), v); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
	}
	if err := n.meaning(out); err != nil {
		return nil, err
	}
	if n.name != "" {
		if err := out.Set("hdf5_name", strings.ToValidUTF8(n.name, "\uFFFD")); err != nil {
			return nil, err
		}
	}
	if n.d != nil && n.d.Space.Kind == hdf5.Null {
		if err := out.Set("hdf5_space", "null"); err != nil {
			return nil, err
		}
	}
	if out.Len() == 0 {
		return nil, nil
	}
	return out, nil
}

// meaning adds what HDMF says by attributes where Zarr has no form for it: links,
// and which elements are references.
func (n *node) meaning(out *meta.Attributes) error {
	if n.d == nil {
		links, err := n.o.Links()
		if err != nil {
			return nil // a listing tells
		}
		var list []map[string]string
		for _, l := range links {
			x := map[string]string{"name": strings.ToValidUTF8(l.Name, "\uFFFD"), "source": ".", "path": strings.ToValidUTF8(l.Target, "\uFFFD")}
			switch {
			case l.Kind == hdf5.External:
				x["source"] = strings.ToValidUTF8(l.File, "\uFFFD")
			case l.Kind != hdf5.Soft:
				continue
			}
			if !strings.HasPrefix(l.Target, "/") {
				if x["path"] = "/" + x["path"]; l.Kind == hdf5.Soft {
					x["path"] = path.Join(n.path, strings.TrimPrefix(x["path"], "/"))
				}
			}
			list = append(list, x)
		}
		if len(list) == 0 {
			return nil
		}
		return out.Set("_LINKS", list)
	}
	t := n.d.Type
	if t.Class == hdf5.Reference && t.Kind == hdf5.ObjectReference {
		return out.Set("_DTYPE", "object_reference")
	}
	var fields []string
	if t.Class == hdf5.Compound && n.element.kind == packed {
		for _, m := range t.Members {
			if m.Type.Class == hdf5.Reference {
				fields = append(fields, m.Name)
			}
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return out.Set("_REFERENCE_FIELDS", fields)
}

// attribute gives the value of an attribute: of several axes lists of lists.
func (s *Store) attribute(a *hdf5.Attribute, left *saying) (any, error) {
	if a.Space.Kind == hdf5.Null {
		return nil, nil
	}
	size := a.Type.Size
	at := 0
	var nested func(shape []uint64) (any, error)
	nested = func(shape []uint64) (any, error) {
		if len(shape) == 0 {
			at += size
			return s.value(a.Type, a.Raw[at-size:at], left)
		}
		list := []any{}
		for range shape[0] {
			if len(a.Raw) == 0 {
				break
			}
			v, err := nested(shape[1:])
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	v, err := nested(a.Space.Shape)
	return bare(v), err
}

// mostSaid is about how many bytes the attributes of a node may take, or an element
// that is shown as JSON: many of a small file may lead to the same text or list.
const mostSaid = 1 << 28

// saying is a node whose values are told, and how many bytes they may still take.
type saying struct {
	path string
	left int
	// The text of last, of which there may be many: it is kept once.
	typ  *hdf5.Type
	ref  string
	text string
}

// spend takes what a value takes from what is left.
func (s *saying) spend(bytes int) error {
	if s.left -= bytes; s.left < 0 {
		return fmt.Errorf("values take more than %d bytes, which may be the same ones many times", mostSaid)
	}
	return nil
}

// value gives an element as what JSON can say.
func (s *Store) value(t *hdf5.Type, raw []byte, left *saying) (any, error) {
	if err := left.spend(32); err != nil { // about what any value takes
		return nil, err
	}
	switch t.Class {
	case hdf5.Enum:
		if isBool(t) {
			return raw[0] != 0, nil
		}
	case hdf5.Compound:
		if !isComplex(t) {
			out := map[string]any{}
			for _, m := range t.Members {
				v, err := s.value(m.Type, raw[m.Offset:m.Offset+m.Type.Size], left)
				if err != nil {
					return nil, err
				}
				out[strings.ToValidUTF8(m.Name, "\uFFFD")] = v
			}
			return out, nil
		}
	case hdf5.Array, hdf5.Sequence:
		b := raw[:t.Size]
		if t.Class == hdf5.Sequence {
			var err error
			if b, err = s.f.Sequence(raw, t.Base.Size); err != nil {
				return nil, err
			}
		}
		return s.values(t.Base, b, left)
	}
	var v any = left.text
	if !t.Variable || t != left.typ || string(raw) != left.ref {
		var err error
		if v, err = s.f.Decode(t, raw); err != nil {
			return nil, err
		}
		if text, ok := v.(string); ok && t.Variable {
			left.typ, left.ref, left.text = t, string(raw), text
		}
	}
	if text, ok := v.(string); ok {
		if err := left.spend(len(text)); err != nil {
			return nil, err
		}
	}
	return s.plainValue(v, left.path)
}

// values gives elements that lie one behind the other.
func (s *Store) values(t *hdf5.Type, raw []byte, left *saying) ([]any, error) {
	out := []any{}
	for ; len(raw) >= t.Size; raw = raw[t.Size:] {
		v, err := s.value(t, raw[:t.Size], left)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// plainValue makes JSON of a value that is no list, of the node at a path. Numbers that JSON lacks are
// spelled as Zarr spells them.
func (s *Store) plainValue(v any, at string) (any, error) {
	switch v := v.(type) {
	case float64:
		return number(v), nil
	case complex128:
		return []any{number(real(v)), number(imag(v))}, nil
	case []hdf5.Field: // a complex number
		re, _ := v[0].Value.(float64)
		im, _ := v[1].Value.(float64)
		return []any{number(re), number(im)}, nil
	case string:
		if !utf8.ValidString(v) {
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
		return v, nil
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case *big.Int:
		return json.Number(v.String()), nil
	case hdf5.Ref:
		return s.reference(at, v)
	}
	return v, nil
}

func number(v float64) any {
	switch {
	case math.IsNaN(v), math.IsInf(v, 0):
		return odd(v)
	case v == math.Trunc(v) && math.Abs(v) < 1e15: // so that it is told from an integer
		return json.RawMessage(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return v
}

// odd is a number that JSON lacks. Elements spell it as text; attributes have it bare,
// as Python writes it.
type odd float64

// MarshalJSON spells it as fill values are.
func (o odd) MarshalJSON() ([]byte, error) {
	switch v := float64(o); {
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return []byte(`"NaN"`), nil
}

// bare makes numbers of those that JSON lacks, wherever they are in a value.
func bare(v any) any {
	switch v := v.(type) {
	case odd:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = bare(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = bare(v[name])
		}
	}
	return v
}

// reference tells a reference of the node at a path as HDMF does, nil for none. One to a part of a
// dataset has its boxes too.
func (s *Store) reference(at string, r hdf5.Ref) (any, error) {
	if r.Address == 0 {
		return nil, nil
	}
	path, err := s.referred(at, r.Address)
	if err != nil || path == "" {
		return nil, err
	}
	to := map[string]any{"source": ".", "path": path}
	switch {
	case r.Attribute != "":
		to["attribute"] = r.Attribute
		fallthrough
	case r.Region == nil:
		return map[string]any{"_REFERENCE": to}, nil
	}
	x := r.Region
	out := map[string]any{"_REFERENCE": to, "select": [...]string{"none", "points", "boxes", "all"}[x.Kind]}
	switch {
	case x.Kind == hdf5.SelectPoints:
		out["points"] = x.Points
	case len(x.Start) > 0:
		out["start"], out["stride"], out["count"], out["block"] = x.Start, x.Stride, x.Count, x.Block
	case x.Kind == hdf5.SelectBoxes:
		out["boxes"] = x.Boxes
	}
	return out, nil
}

// maxPaths is how many bytes the paths of all objects may have.
const maxPaths = 1 << 28

// walk finds the paths of all objects.
func (s *Store) walk() (map[uint64]string, error) {
	root := s.f.Root()
	paths, held := map[uint64]string{root.Address(): "/"}, 0
	err := root.Walk(func(path string, _ hdf5.Link, x *hdf5.Object, err error) error {
		if failed, ok := errors.AsType[unread](err); ok {
			return failed
		}
		if x != nil && path != "" {
			if held += len(path); held > maxPaths {
				return fmt.Errorf("the paths of objects have more than %d bytes", maxPaths)
			}
			paths[x.Address()] = strings.ToValidUTF8(path, "\uFFFD")
		}
		return nil // what is wrong elsewhere is told there
	})
	return paths, err
}

// pathOf gives the path of an object: the first in the order of names.
func (s *Store) pathOf(at uint64) (string, error) {
	s.walked.Lock()
	defer s.walked.Unlock()
	if s.paths == nil && s.lost == nil {
		paths, err := s.walk()
		if failed, ok := errors.AsType[unread](err); ok {
			return "", failed // who asks again may have more luck
		}
		s.paths, s.lost = paths, err
	}
	if s.lost != nil {
		return "", s.lost
	}
	path, ok := s.paths[at]
	if !ok {
		return "", fmt.Errorf("a reference to address %d, %w", at, errNoObject)
	}
	return path, nil
}

// errNoObject is the error of a reference that leads nowhere, as one to an object that was
// deleted.
var errNoObject = errors.New("where there is no object")

// referred gives the path of the object that the node at a path refers to, and "" for one
// that there is not, if NullReferences was asked for.
func (s *Store) referred(from string, at uint64) (string, error) {
	path, err := s.pathOf(at)
	if !s.nulls || !errors.Is(err, errNoObject) {
		return path, err
	}
	s.walked.Lock()
	defer s.walked.Unlock()
	if s.nowhere == nil {
		s.nowhere = map[string]uint64{}
	}
	if _, told := s.nowhere[from]; !told {
		s.nowhere[from] = at
	}
	return "", nil
}

// Omitted tells what NullReferences has left out so far.
func (s *Store) Omitted() []string {
	s.walked.Lock()
	defer s.walked.Unlock()
	var out []string
	for _, path := range slices.Sorted(maps.Keys(s.nowhere)) {
		out = append(out, fmt.Sprintf("%s: references to objects that are not there, such as at address %d; they are none in the copy", path, s.nowhere[path]))
	}
	return out
}
