package schema

import "encoding/json"

// Kind says what objects of a type are.
type Kind uint8

// The two kinds of types.
const (
	GroupKind Kind = iota + 1
	DatasetKind
)

// String is "group" or "dataset".
func (k Kind) String() string {
	switch k {
	case GroupKind:
		return "group"
	case DatasetKind:
		return "dataset"
	}
	return "unknown"
}

// Type is a type with inheritance resolved. It is shared: do not change it.
type Type struct {
	Namespace, Version string // where it is defined
	Source             string // the text in which it is
	Name               string
	Doc                string
	Base               *Type // nil if it inherits from nothing
	Kind               Kind
	Group              *GroupSpec   // complete; nil unless Kind is GroupKind
	Dataset            *DatasetSpec // complete; nil unless Kind is DatasetKind

	depth int // how many types it inherits from
}

// Is reports whether the type is the named one or inherits from it. An empty
// namespace stands for any: specs name types without one.
func (t *Type) Is(namespace, name string) bool {
	for ; t != nil; t = t.Base {
		if t.Name == name && (namespace == "" || t.Namespace == namespace) {
			return true
		}
	}
	return false
}

// GroupSpec is what a group has to be like. Its lists start with the members that
// the type itself writes down, followed by those it only inherits: with names
// first, then those that any name may stand for.
type GroupSpec struct {
	Name        string // "" if objects may have any name
	DefaultName string // a name to use where none is given
	Doc         string
	TypeDef     string // the type that this spec defines, if any
	TypeInc     string // the type that objects have, or a type that inherits from it
	Quantity    Quantity
	Linkable    bool // whether a link may stand for the group

	Attributes []*AttributeSpec
	Groups     []*GroupSpec
	Datasets   []*DatasetSpec
	Links      []*LinkSpec

	home *Namespace // where names of types are looked up
}

// DatasetSpec is what a dataset has to be like.
type DatasetSpec struct {
	Name        string // "" if objects may have any name
	DefaultName string // a name to use where none is given
	Doc         string
	TypeDef     string // the type that this spec defines, if any
	TypeInc     string // the type that objects have, or a type that inherits from it
	Quantity    Quantity
	Linkable    bool // whether a link may stand for the dataset

	DType   DType           // its zero value allows every type
	Shapes  []Shape         // alternatives; nil allows every shape
	Dims    [][]string      // names of the axes of each alternative; nil if there are none
	Value   json.RawMessage // the only value allowed; nil if there is none; may have bare NaN
	Default json.RawMessage // nil if there is none; may have bare NaN

	Attributes []*AttributeSpec

	home *Namespace
}

// AttributeSpec is what an attribute has to be like.
type AttributeSpec struct {
	Name     string
	Doc      string
	Required bool
	DType    DType           // its zero value allows every type
	Shapes   []Shape         // alternatives; nil allows every shape
	Dims     [][]string      // names of the axes of each alternative; nil if there are none
	Value    json.RawMessage // the only value allowed; nil if there is none
	Default  json.RawMessage // nil if there is none
}

// LinkSpec is what a link has to be like.
type LinkSpec struct {
	Name       string // "" if links may have any name
	Doc        string
	TargetType string // the type of the target, or a type that it inherits from
	Quantity   Quantity

	home *Namespace
}

// TypeName is the name of the type that objects have or inherit from, "" if the
// spec asks for no type.
func (g *GroupSpec) TypeName() string { return typeName(g.TypeDef, g.TypeInc) }

// TypeName is the name of the type that objects have or inherit from, "" if the
// spec asks for no type.
func (d *DatasetSpec) TypeName() string { return typeName(d.TypeDef, d.TypeInc) }

func typeName(def, inc string) string {
	if def != "" {
		return def
	}
	return inc
}

// Type looks up TypeName in the namespace that the spec was written in. A spec
// without a type gives ErrUnknown.
func (g *GroupSpec) Type() (*Type, error) { return g.home.Type(g.TypeName()) }

// Type looks up TypeName in the namespace that the spec was written in. A spec
// without a type gives ErrUnknown.
func (d *DatasetSpec) Type() (*Type, error) { return d.home.Type(d.TypeName()) }

// Target looks up TargetType in the namespace that the spec was written in.
func (l *LinkSpec) Target() (*Type, error) { return l.home.Type(l.TargetType) }
