package reach

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Transformers are the storage transformers that arrays may have.
var Transformers = []string{refs.Transformer}

// References gives the store of an array whose document names a storage
// transformer: one in which chunks that lie in other files look as if they were
// stored. prefix is what the keys of the array begin with. Nothing is read yet.
func (r *Reach) References(inner store.Store, path, prefix string, m *meta.Array) (*refs.Store, error) {
	if len(m.Transformers) > 1 {
		return nil, errors.New("storage_transformers: only one is supported")
	}
	name, err := manifestName(m.Transformers[0].Configuration)
	if err != nil {
		return nil, strictjson.At("storage_transformers[0].configuration", err)
	}
	return refs.New(refs.Config{
		Inner:  inner,
		Prefix: prefix,
		Load:   func(ctx context.Context) (*refs.Manifest, error) { return refs.Load(ctx, inner, prefix+name) },
		Own:    func(key string) bool { return key == documentName },
		Hidden: name,
		Files:  &Files{r, path},
	}), nil
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
