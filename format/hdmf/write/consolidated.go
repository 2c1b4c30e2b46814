package write

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// reconsolidate brings the consolidated metadata up to date, if there is any: what
// it says of the nodes that were changed, and nothing else.
func (t *target) reconsolidate(ctx context.Context) error {
	key, inside := "zarr.json", "consolidated_metadata"
	if t.layout == hdmf.V2 {
		key, inside = ".zmetadata", ""
	}
	text, _, err := t.held.Get(ctx, key, store.UpTo(meta.MaxBytes), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := strictjson.Object(text, strictjson.Options{MaxBytes: meta.MaxBytes, NaN: true})
	if err != nil {
		return err
	}
	outer := all
	if inside != "" {
		raw := find(all, inside)
		if raw == nil || strictjson.IsNull(*raw) {
			return nil
		}
		if outer, err = strictjson.Split(*raw); err != nil {
			return strictjson.At(inside, err)
		}
	}
	nodes := find(outer, "metadata")
	if nodes == nil {
		return strictjson.Errorf("metadata", "is missing in the consolidated metadata")
	}
	members, err := strictjson.Split(*nodes)
	if err != nil {
		return strictjson.At("metadata", err)
	}
	at := make(map[string]int, len(members))
	for i, m := range members {
		at[m.Name] = i
	}
	listed := func(name string) bool { _, ok := at[name]; return ok }
	err = t.eachTouched(ctx, listed, func(name string, doc []byte) {
		if i, known := at[name]; known {
			members[i].Raw = doc
			return
		}
		at[name] = len(members)
		members = append(members, strictjson.Member{Name: name, Raw: doc})
	})
	if err != nil {
		return err
	}
	*nodes = object(members)
	if inside != "" {
		*find(all, inside) = object(outer)
	}
	_, err = t.held.Put(ctx, key, append(strictjson.Indent(nil, object(all)), '\n'), store.PutOptions{})
	return err
}

// eachTouched calls f for the documents of the nodes that were changed, or that an
// interrupted edit had changed in the same way, by their names in the consolidated
// metadata; and for those of the groups above them that are not listed there.
func (t *target) eachTouched(ctx context.Context, listed func(name string) bool, f func(name string, doc []byte)) error {
	nodes := slices.Clone(t.touched)
	for _, key := range t.held.Changes() {
		nodes = append(nodes, path.Dir(key))
	}
	names, mark := documents[:3], ".zgroup"
	had := map[string]bool{}
	if t.layout == hdmf.V3 {
		names, mark = documents[3:4], ""
		had["."] = true // the root is not listed in itself
	}
	one := func(node string) error {
		if had[node] {
			return nil
		}
		had[node] = true
		for _, name := range names {
			doc, _, err := t.held.Get(ctx, path.Join(node, name), store.UpTo(meta.MaxBytes), nil)
			switch {
			case errors.Is(err, store.ErrNotExist):
			case err != nil:
				return err
			case t.layout == hdmf.V3:
				f(node, doc)
			default:
				f(path.Join(node, name), doc)
			}
		}
		return nil
	}
	for _, node := range nodes {
		var above []string
		for up := path.Dir(node); up != "."; up = path.Dir(up) {
			if !listed(path.Join(up, mark)) {
				above = append(above, up)
			}
		}
		slices.Reverse(above)
		for _, n := range append(above, node) {
			if err := one(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// find gives the value of a member to be changed, nil if there is none.
func find(members []strictjson.Member, name string) *json.RawMessage {
	for i := range members {
		if members[i].Name == name {
			return &members[i].Raw
		}
	}
	return nil
}

// object spells members; those without a value are left out.
func object(members []strictjson.Member) json.RawMessage {
	out := []byte{'{'}
	for _, m := range members {
		if m.Raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendText(out, m.Name), ':'), m.Raw...)
	}
	return append(out, '}')
}
