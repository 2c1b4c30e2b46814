package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// consolidated compares a group's consolidated metadata with the documents of
// the nodes below it, and tells what is wrong with which. g was opened without
// it; listed says that the store can tell which nodes there are.
func consolidated(ctx context.Context, root zarr.Node, g *zarr.Group, listed bool, tell func(path, problem string)) {
	c := g.Metadata().Consolidated
	if c == nil {
		return
	}
	at := nodePath(root, g)
	for _, path := range c.Ignored {
		tell(at, strictjson.Quote(path)+" is no path of a node")
	}
	seen := map[string]bool{}
	for path := range c.Paths("") {
		seen[path] = true
		if text := compare(ctx, g, c, path); text != "" {
			tell(join(at, path), text)
		}
		if ctx.Err() != nil {
			return
		}
	}
	if !listed {
		return
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			continue // reported where the node itself is verified
		}
		if path := nodePath(g, n)[1:]; !seen[path] {
			tell(join(at, path), "the node is not in that of "+at)
		}
	}
}

func join(at, path string) string {
	if at == "/" {
		return "/" + path
	}
	return at + "/" + path
}

// compare says how a node's entry differs from its document, "" if it does not.
func compare(ctx context.Context, g *zarr.Group, c *meta.Consolidated, path string) string {
	entry, err := c.Get(path)
	if err != nil {
		return err.Error()
	}
	own, err := g.Open(ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		return "there is no such node"
	}
	if err != nil {
		return "" // reported where the node itself is verified
	}
	a, err := plainDocument(entry)
	if err != nil {
		return err.Error()
	}
	b, err := plainDocument(metadata(own))
	if err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(a, b) {
		return "stale, the node's own document is different"
	}
	return ""
}

func metadata(n zarr.Node) meta.Node {
	if a, ok := n.(*zarr.Array); ok {
		return a.Metadata()
	}
	return n.(*zarr.Group).Metadata()
}

// plainDocument decodes a document for comparison: the order of members and the
// consolidated metadata of groups do not count.
func plainDocument(n meta.Node) (any, error) {
	text, err := n.Marshal()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(strictjson.QuoteBare(text)))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	delete(doc, "consolidated_metadata")
	if attrs, ok := doc["attributes"].(map[string]any); ok && len(attrs) == 0 {
		delete(doc, "attributes")
	}
	return doc, nil
}
