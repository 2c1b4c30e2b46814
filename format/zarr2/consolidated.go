package zarr2

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// parseConsolidated reads a .zmetadata. Where one of its nodes cannot be read, it
// counts as absent: reading that node's own documents then says why.
func parseConsolidated(zmetadata []byte) (*meta.Consolidated, error) {
	members, err := strictjson.Object(zmetadata, strictjson.Options{MaxBytes: meta.MaxBytes, NaNIn: []string{"metadata"}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", consolidatedName, err)
	}
	var format, documents json.RawMessage
	for _, m := range members {
		switch m.Name {
		case "zarr_consolidated_format":
			format = m.Raw
		case "metadata":
			documents = m.Raw
		}
	}
	if n, err := strictjson.Int(orElse(format, "null")); err != nil || n != 1 {
		return nil, fmt.Errorf("%s: zarr_consolidated_format must be 1", consolidatedName)
	}
	items, err := strictjson.Split(orElse(documents, "null"))
	if err != nil {
		return nil, fmt.Errorf("%s: metadata: %w", consolidatedName, err)
	}
	found := map[string]*document2{}
	for _, m := range items {
		dir, name := path.Split(m.Name)
		if dir == "" || meta.CheckPath(dir[:len(dir)-1]) != nil {
			continue // of the group itself, or of nothing that could be a node
		}
		dir = dir[:len(dir)-1]
		d := found[dir]
		if d == nil {
			d = &document2{}
			found[dir] = d
		}
		switch name {
		case arrayName:
			d.array = m.Raw
		case groupName:
			d.group = m.Raw
		case attributesName:
			d.attributes = m.Raw
		}
	}
	nodes := make(map[string]meta.Node, len(found))
	for dir, d := range found {
		if d.array == nil && d.group == nil {
			continue
		}
		n, err := d.parse()
		if err != nil {
			return nil, nil
		}
		nodes[dir] = n
	}
	return meta.NewConsolidated(nodes)
}

// marshalConsolidated gives the .zmetadata of a group and all below it.
func marshalConsolidated(g *meta.Group) ([]byte, error) {
	zgroup, zattrs, err := MarshalGroup(g)
	if err != nil {
		return nil, err
	}
	var documents []strictjson.Member
	add := func(dir, name string, text []byte) {
		if text != nil {
			documents = append(documents, strictjson.Member{Name: path.Join(dir, name), Raw: text})
		}
	}
	add("", attributesName, zattrs)
	add("", groupName, zgroup)
	for dir := range g.Consolidated.Paths("") {
		n, err := g.Consolidated.Get(dir)
		if err != nil {
			return nil, err
		}
		var text []byte
		name := groupName
		switch n := n.(type) {
		case *meta.Array:
			name = arrayName
			text, zattrs, err = MarshalArray(n)
		case *meta.Group:
			text, zattrs, err = MarshalGroup(n)
		}
		if err != nil {
			return nil, strictjson.AtMember(dir, err)
		}
		add(dir, name, text)
		add(dir, attributesName, zattrs)
	}
	text := appendObject([]byte(`{"zarr_consolidated_format":1,"metadata":`), documents)
	return append(strictjson.Indent(nil, append(text, '}')), '\n'), nil
}
