package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// consolidated compares the consolidated metadata of the file with its nodes.
func (c *checker) consolidated(ctx context.Context) error {
	root := c.file.Zarr()
	all := root.Metadata().Consolidated
	if all == nil {
		return nil
	}
	s, top := committed(ctx, root)
	n, err := zarr.OpenStore(ctx, s, top, zarr.BypassConsolidated())
	if err != nil {
		return c.unreadable(ctx, "/", err)
	}
	fresh, ok := n.(*zarr.Group)
	if !ok {
		return nil
	}
	if now := fresh.Metadata().Consolidated; now != nil {
		all = now // of the same commit as the nodes
	}
	for _, name := range all.Ignored {
		c.tell("/", StaleConsolidated, "consolidated metadata has %s, which is no path of a node", quote(name))
	}
	listed, seen := map[string]bool{}, map[string]bool{}
	for at := range all.Paths("") {
		listed[at] = true
	}
	// Some writers leave the schemas out, and some stores cannot list.
	hidden := strings.TrimPrefix(c.file.SchemaPath(), "/")
	for n, err := range fresh.Walk(ctx) {
		if err != nil {
			continue // where a node is broken, it is told when it is checked
		}
		// The root of the file need not be that of its store.
		at := strings.TrimPrefix(strings.TrimPrefix(n.Path(), fresh.Path()), "/")
		if listed[at] {
			seen[at] = true
			c.compare(all, at, n, nil)
		} else if hidden == "" || at != hidden && !strings.HasPrefix(at, hidden+"/") {
			c.tell("/"+at, StaleConsolidated, "the node is not in the consolidated metadata of the file, so that readers miss it")
		}
	}
	// What the walk did not come by is gone or broken, or cannot be listed.
	for at := range all.Paths("") {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !seen[at] {
			n, err := fresh.Open(ctx, at)
			c.compare(all, at, n, err)
		}
	}
	return ctx.Err()
}

// compare compares the entry of a node with the node, as it was opened.
func (c *checker) compare(all *meta.Consolidated, at string, n zarr.Node, err error) {
	if problem := stale(all, at, n, err); problem != "" {
		c.tell("/"+at, StaleConsolidated, "%s", problem)
	}
}

// committed is where the file is found as it is after its last commit, which the
// documents of nodes may not tell of yet.
func committed(ctx context.Context, root *zarr.Group) (s store.Store, at string) {
	under, err := store.Sub(translate.Raw(root.Store()), root.Path())
	if err == nil {
		if whole := journal.Committed(ctx, under); whole != nil {
			return whole, ""
		}
	}
	return root.Store(), root.Path()
}

// stale says how the entry of a node differs from its own document, "" if it does
// not.
func stale(all *meta.Consolidated, at string, n zarr.Node, err error) string {
	entry, bad := all.Get(at)
	if bad != nil {
		return "consolidated metadata cannot be read: " + bad.Error()
	}
	if errors.Is(err, store.ErrNotExist) {
		return "is in the consolidated metadata of the file, and there is no such node"
	}
	if err != nil {
		return "is in the consolidated metadata of the file, and cannot be opened itself: " + reason(err).Error()
	}
	var own meta.Node
	switch n := n.(type) {
	case *zarr.Array:
		own = n.Metadata()
	case *zarr.Group:
		own = n.Metadata()
	}
	a, errA := entry.Marshal()
	b, errB := own.Marshal()
	if errA == nil && errB == nil && (bytes.Equal(a, b) || reflect.DeepEqual(document(a), document(b))) {
		return ""
	}
	return "consolidated metadata is stale: the node's own document is different"
}

// document decodes a document to compare it: the order of members and the
// consolidated metadata of groups do not count.
func document(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(strictjson.QuoteBare(text)))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil
	}
	delete(doc, "consolidated_metadata")
	if attrs, ok := doc["attributes"].(map[string]any); ok && len(attrs) == 0 {
		delete(doc, "attributes")
	}
	return doc
}
