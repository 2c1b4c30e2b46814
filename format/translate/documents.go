// Package translate shows nodes that are kept in other documents than zarr.json as
// Zarr v3. A Store lies over the store that has the documents: it makes zarr.json
// of them when it is read, takes it apart when it is written, and passes chunks
// through. What the documents of a format are and mean, its Documents know; Zarr
// v3 is the simplest of them, whose document is zarr.json itself.
package translate

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Documents keeps the nodes of a store in the documents of one format.
type Documents interface {
	// Format is the name of the format, which Info.Format gives of its nodes.
	Format() string
	// Node reads the node at a path. The error is store.ErrNotExist if there is
	// none. Consolidated metadata is read only if it is asked for.
	Node(ctx context.Context, path string, consolidated bool) (meta.Node, store.Info, error)
	// PutNode stores the node at a path, under the conditions of a Put.
	PutNode(ctx context.Context, path string, n meta.Node, opt store.PutOptions) error
	// Keys is the chunk_key_encoding of a new array that asks for none, nil if
	// that of Zarr v3 will do.
	Keys() json.RawMessage
	// Adapt changes the document of a new array to what can be stored, or says why
	// it cannot.
	Adapt(m *meta.Array) error
}

// Names are those of the documents that a node has in its folder.
type Names struct {
	// Nodes make a folder a node, each by itself.
	Nodes []string
	// Others say more of a node that is one.
	Others []string
}

// Form is the documents of one format and how they are called.
type Form struct {
	Documents
	Names
}

// documentName is that of the document of Zarr v3.
const documentName = "zarr.json"

// areKept reports whether nodes are kept as Zarr v3 has them, so that documents
// can be passed through.
func (n Names) areKept() bool { return len(n.Nodes) == 1 && n.Nodes[0] == documentName }

// Draft is how a node that is made now will be stored.
type Draft struct {
	Format string
	// Keys is the chunk_key_encoding of an array that asks for none, nil if that of
	// Zarr v3 will do.
	Keys json.RawMessage
	// Adapt changes the document of an array to what can be stored.
	Adapt func(m *meta.Array) error
}
