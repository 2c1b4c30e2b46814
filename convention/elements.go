package convention

import (
	"context"
	"encoding/json"
)

// Kind is what elements mean.
type Kind uint8

// The kinds of elements.
const (
	Plain    Kind = iota // what their data type says
	Text                 // UTF-8
	Bytes                // bytes of any length
	Objects              // references to objects
	Regions              // references to parts of datasets
	Compound             // fields
	Anything             // JSON values
)

// Refers reports whether elements are references.
func (k Kind) Refers() bool { return k == Objects || k == Regions }

// Elements says what the elements of a dataset are.
type Elements struct {
	Type
	// Shape is that of the dataset, Scalar that it is a single value, which may be
	// stored otherwise.
	Shape  []int
	Scalar bool
	// Stored is the type as the convention's own metadata spells it, nil without.
	Stored json.RawMessage
	// Refer gives the object that a reference means, as the neutral document spells it,
	// or says there why it leads nowhere.
	Refer func(ctx context.Context, reference json.RawMessage) json.RawMessage
}

// Type is that of elements, or of a field of them.
type Type struct {
	Name   string // of a field
	Kind   Kind
	Stored string // the name of the type in JSON values, "" if none is said
	Fields []Type // of compounds
}
