package format

import (
	"encoding/json"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/meta"
)

// Terms are how documents of a format tell programs what to take elements for,
// which is not the same in all formats: a copy in another one has to say it anew.
type Terms interface {
	// Read takes what the document of an array says in these terms out of it, and
	// reports whether it says anything. beside are the documents of all arrays of its
	// group, or none where that is not known.
	Read(m *meta.Array, beside []*meta.Array) (Meaning, bool)
	// Write says it in the document. What these terms have no words for is told in
	// ours, or "".
	Write(m *meta.Array, what Meaning) (lost string)
}

// Meaning is what a document says, in the terms of no format; the names of
// dimensions are in it as they are in all documents.
type Meaning struct {
	// Missing is the stored value that stands for a missing one, as a fill value of
	// MissingType of the array's type is spelled; nil if there is none.
	Missing json.RawMessage
}

// MissingType is the type that missing values of a type have. Programs compare
// floats of all sizes with one of 64 bits, which need not be one that can be stored.
func MissingType(t dtype.Type) dtype.Type {
	name := ""
	switch t.Kind() {
	case dtype.Float:
		name = "float64"
	case dtype.Complex:
		name = "complex128"
	default:
		return t
	}
	if wide, err := dtype.Lookup(name); err == nil {
		return wide
	}
	return t
}
