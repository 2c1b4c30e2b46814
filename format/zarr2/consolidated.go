package zarr2

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// consolidated is a .zmetadata, taken apart.
type consolidated struct {
	members   []strictjson.Member // of the document
	documents []strictjson.Member // by key, such as a/.zarray
}

func splitConsolidated(zmetadata []byte) (*consolidated, error) {
	members, err := strictjson.Object(zmetadata, strictjson.Options{NaNIn: []string{"metadata"}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", consolidatedName, err)
	}
	c := &consolidated{members: members}
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
	if c.documents, err = strictjson.Split(orElse(documents, "null")); err != nil {
		return nil, fmt.Errorf("%s: metadata: %w", consolidatedName, err)
	}
	return c, nil
}

// ParseConsolidated reads a .zmetadata. Its nodes are translated when they are
// asked for; paths that no node can have are passed over.
func ParseConsolidated(zmetadata []byte) (*meta.Consolidated, error) {
	c, err := splitConsolidated(zmetadata)
	if err != nil {
		return nil, err
	}
	return c.nodes(), nil
}

// nodes are those below the group that the document lies in.
func (c *consolidated) nodes() *meta.Consolidated {
	found := make(map[string]*documents, len(c.documents))
	var ignored []string
	for _, m := range c.documents {
		dir, name := path.Split(m.Name)
		if dir == "" {
			continue // of the group itself
		}
		dir = dir[:len(dir)-1]
		if meta.CheckPath(dir) != nil {
			ignored = append(ignored, m.Name)
			continue
		}
		d := found[dir]
		if d == nil {
			d = &documents{}
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
	nodes := make(map[string]func() (meta.Node, error), len(found))
	for dir, d := range found {
		if d.exists() {
			nodes[dir] = d.parse
		}
	}
	out := meta.LazyConsolidated(nodes, c)
	out.Ignored = ignored
	return out
}

// group gives the group that the document lies in, as it has that itself; nil if it
// does not.
func (c *consolidated) group() (*meta.Group, error) {
	var group, attributes json.RawMessage
	for _, m := range c.documents {
		switch m.Name {
		case arrayName:
			return nil, nil
		case groupName:
			group = m.Raw
		case attributesName:
			attributes = m.Raw
		}
	}
	if group == nil {
		return nil, nil
	}
	g, err := ParseGroup(group, attributes)
	if err == nil {
		g.Consolidated = c.nodes()
	}
	return g, err
}

// writeConsolidated stores the .zmetadata of a group: documents as they are
// stored. Where only the group itself has changed, so do its entries.
func (h hierarchy) writeConsolidated(ctx context.Context, node string, g *meta.Group, opt store.PutOptions) error {
	was, _, err := h.get(ctx, node, consolidatedName)
	if err != nil {
		return err
	}
	old, _ := g.Consolidated.Origin.(*consolidated)
	if old == nil || was == nil {
		old = &consolidated{members: []strictjson.Member{{Name: "zarr_consolidated_format", Raw: json.RawMessage("1")}, {Name: "metadata"}}}
		for dir := range g.Consolidated.Paths("") {
			if err := h.collect(ctx, old, node, dir, g.Consolidated); err != nil {
				return err
			}
		}
	}
	fresh := &consolidated{members: old.members}
	if err := h.collect(ctx, fresh, node, "", nil); err != nil {
		return err
	}
	for _, m := range old.documents {
		if m.Name != groupName && m.Name != attributesName {
			fresh.documents = append(fresh.documents, m)
		}
	}
	now := fresh.marshal()
	return h.replace(ctx, key(node, consolidatedName), was, now, opt)
}

// collect adds the documents of a node below a group as they are stored, or as
// all says for one that has none.
func (h hierarchy) collect(ctx context.Context, c *consolidated, group, dir string, all *meta.Consolidated) error {
	d, err := h.read(ctx, key(group, dir))
	if err == nil && !d.exists() {
		d, err = translated(all.Get(dir))
	}
	if err != nil {
		return err
	}
	for _, doc := range []strictjson.Member{{Name: attributesName, Raw: d.attributes}, {Name: arrayName, Raw: d.array}, {Name: groupName, Raw: d.group}} {
		if doc.Raw == nil {
			continue
		}
		if err := strictjson.Validate(doc.Raw, strictjson.Options{NaN: doc.Name == attributesName}); err != nil {
			return fmt.Errorf("%s: %w", key(dir, doc.Name), err)
		}
		c.documents = append(c.documents, strictjson.Member{Name: key(dir, doc.Name), Raw: doc.Raw})
	}
	return nil
}

// translated gives the Zarr v2 documents of a node.
func translated(n meta.Node, err error) (*documents, error) {
	d := &documents{}
	switch n := n.(type) {
	case *meta.Array:
		d.array, d.attributes, err = MarshalArray(n)
	case *meta.Group:
		d.group, d.attributes, err = MarshalGroup(n)
	}
	return d, err
}

func (c *consolidated) marshal() []byte {
	members := slices.Clone(c.members)
	for i, m := range members {
		if m.Name == "metadata" {
			members[i].Raw = appendObject(nil, c.documents)
		}
	}
	return append(strictjson.Indent(nil, appendObject(nil, members)), '\n')
}
