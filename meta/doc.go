// Package meta holds the documents that describe Zarr nodes: what zarr.json
// says about an array or a group. It reads and writes them and does no I/O.
//
// Reading is strict where a mistake would give wrong data: every member must be
// known or say that it need not be, integers must be integers, names must not
// repeat. Writing is lossless: what is not understood, and every attribute that
// was not changed, keeps its order and its spelling.
//
// Other formats make an Array or a Group in Go and need no JSON at all.
package meta

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// MaxBytes is the length of the longest document that Parse takes where its registry
// does not say otherwise.
const MaxBytes = 16 << 20

// Member is a member of a JSON object whose value was left as it is.
type Member = strictjson.Member

// Node is the document of one node: *Array or *Group.
type Node interface {
	// NodeType is "array" or "group".
	NodeType() string
	// Attrs returns the attributes for reading and changing; it adds an empty
	// set to a document that has none.
	Attrs() *Attributes
	// Marshal gives the document as indented JSON.
	Marshal() ([]byte, error)

	// append appends the document as compact JSON. Documents that lie in
	// consolidated metadata have none themselves.
	append(dst []byte, nested bool) ([]byte, error)
}

// Registry knows what names in documents mean. Fields that are nil stand for
// the defaults of their packages.
type Registry struct {
	DataType func(raw json.RawMessage) (dtype.Type, error)
	Grids    *grid.Registry
	// Transformers are the names of the storage transformers that are known. An
	// array behind another one cannot be read, and its document is refused.
	Transformers []string
	// MaxBytes is the length of the longest document; 0 stands for the constant of
	// that name.
	MaxBytes int

	ctx context.Context // nil: parsing is not cut short
}

// Until returns the registry for one document, whose parsing stops when the context
// ends.
func (r Registry) Until(ctx context.Context) Registry {
	r.ctx = ctx
	return r
}

// Limit is the length of the longest document.
func (r Registry) Limit() int {
	if r.MaxBytes > 0 {
		return r.MaxBytes
	}
	return MaxBytes
}

func (r Registry) dataType(raw json.RawMessage) (dtype.Type, error) {
	if r.DataType == nil {
		return dtype.Parse(raw)
	}
	return r.DataType(raw)
}

func (r Registry) grids() *grid.Registry {
	if r.Grids == nil {
		return grid.Default()
	}
	return r.Grids
}
