package zarr

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// transformers are the storage transformers that arrays may have.
var transformers = []string{refs.Transformer}

// transformed gives the node of an array whose document may name storage
// transformers: its engine has another store then, in which the chunks look as
// if they were stored. Nothing is read yet.
func transformed(n node, m *meta.Array) (node, error) {
	if len(m.Transformers) == 0 {
		return n, nil
	}
	if s, ok := n.store.(*referencing); ok && s.prefix == n.prefix() {
		return n, nil // it came out of this very array
	}
	if len(m.Transformers) > 1 {
		return n, errors.New("storage_transformers: only one is supported")
	}
	name, err := manifestName(m.Transformers[0].Configuration)
	if err != nil {
		return n, strictjson.At("storage_transformers[0].configuration", err)
	}
	inner := n.store
	e := *n.engine
	e.store = &referencing{
		translator: inner,
		prefix:     n.prefix(),
		Store: refs.New(refs.Config{
			Inner:  inner,
			Prefix: n.prefix(),
			Load:   func(ctx context.Context) (*refs.Manifest, error) { return refs.Load(ctx, inner, n.prefix()+name) },
			Own:    func(key string) bool { return key == documentName },
			Hidden: name,
			Files:  &files{n.around, n.path},
		}),
	}
	n.engine = &e
	return n, nil
}

// manifestName reads the configuration of refs.Transformer.
func manifestName(config json.RawMessage) (string, error) {
	if config == nil {
		return refs.ManifestName, nil
	}
	members, err := strictjson.Object(config, strictjson.Options{})
	if err != nil {
		return "", err
	}
	name := refs.ManifestName
	for _, m := range members {
		if m.Name != "manifest" {
			return "", strictjson.AtMember(m.Name, errors.New("unknown member"))
		}
		if name, err = strictjson.String(m.Raw); err == nil {
			err = store.CheckKey(name)
		}
		if err != nil {
			return "", strictjson.At("manifest", err)
		}
	}
	return name, nil
}

// referencing is the store of an array whose chunks are references: documents
// are those of the store inside.
type referencing struct {
	*refs.Store
	translator
	prefix string
}

// PutNode refuses.
func (s *referencing) PutNode(context.Context, string, meta.Node, string, store.PutOptions) error {
	return refs.ErrWrite
}
