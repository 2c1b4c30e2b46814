// Package zarr2 shows Zarr v2 hierarchies as Zarr v3: zarr.json is made of .zarray,
// .zgroup, .zattrs and .zmetadata, and taken apart again when it is written. Chunks
// stay as they are, since v3 knows the keys of v2. Nothing above it knows of Zarr v2.
//
// Filters and compressors keep their names from numcodecs ("numcodecs.delta"),
// except where Zarr v3 has the same codec under a name of its own.
package zarr2

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// The documents of Zarr v2, and that of Zarr v3 which stands for them.
const (
	arrayName        = ".zarray"
	groupName        = ".zgroup"
	attributesName   = ".zattrs"
	consolidatedName = ".zmetadata"
	documentName     = "zarr.json"
)

// Format is the name of the format.
const Format = "zarr2"

// Describe tells how Zarr v2 is recognised and opened.
func Describe() *format.Format {
	return &format.Format{Name: Format, Title: "Zarr v2", Folder: &format.Folder{
		Endings:   []string{".zarr"},
		Documents: translate.Names{Nodes: []string{arrayName, groupName}, Others: []string{attributesName, consolidatedName}},
		Mixed:     true,
		Nodes:     func(s store.Store, env format.Env) translate.Documents { return hierarchy{s, env.Metadata} },
	}, Terms: xarray.Zarr2, Restate: ngff.Zarr2}
}

// hierarchy is a store with nodes of Zarr v2.
type hierarchy struct {
	store store.Store
	reg   meta.Registry
}

// Format is the name of the format.
func (h hierarchy) Format() string { return Format }

// Keys is the chunk_key_encoding that Zarr v2 has if .zarray says nothing of it.
func (h hierarchy) Keys() json.RawMessage {
	return json.RawMessage(`{"name":"v2","configuration":{"separator":"."}}`)
}

// Adapt leaves out what .zarray has no word for and need not have. What else it cannot
// say is found when it is written.
func (h hierarchy) Adapt(m *meta.Array) error {
	for i := range m.Codecs {
		if err := translate.DropChecksum(&m.Codecs[i]); err != nil {
			return err
		}
	}
	return nil
}

func key(node, name string) string { return path.Join(node, name) }

// get reads a document, nil if there is none.
func (h hierarchy) get(ctx context.Context, node, name string) ([]byte, store.Info, error) {
	text, info, err := translate.Document(ctx, h.store, key(node, name), h.reg)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return nil, info, nil
	case err != nil:
		return nil, info, err
	case text == nil:
		text = []byte{}
	}
	return text, info, nil
}

// Node reads the documents of a node. Consolidated metadata is looked at only if
// it is asked for.
func (h hierarchy) Node(ctx context.Context, path string, consolidated bool) (meta.Node, store.Info, error) {
	if consolidated && h.isTop(ctx, path) {
		if g := h.Gathered(ctx, path); g != nil {
			return g, store.Info{Size: -1}, nil
		}
	}
	d, err := h.read(ctx, path)
	gathered := "" // the tag of consolidated metadata, if it was looked at
	if err == nil && !d.exists() {
		err = store.WrapError("get", h.store.URL(), key(path, documentName), store.ErrNotExist)
	}
	if err == nil && d.group != nil && consolidated {
		var info store.Info
		d.consolidated, info, err = h.get(ctx, path, consolidatedName)
		gathered = "\n" + info.ETag
	}
	if err != nil {
		return nil, store.Info{}, err
	}
	n, err := d.parse()
	if err != nil {
		// The error names the document.
		return nil, store.Info{}, store.WrapError("get", h.store.URL(), "", err)
	}
	tag := d.etag()
	if tag != "" {
		tag += gathered
	}
	return n, store.Info{Size: -1, ETag: tag}, nil
}

// Expected are the documents that are read for a node, but for consolidated metadata.
func (h hierarchy) Expected() []string { return []string{arrayName, groupName, attributesName} }

// isTop reports whether a whole hierarchy probably lies at a path, going by its name, and
// each request takes its time: consolidated metadata, which has the group's own documents
// too, is the first thing to look at there.
func (h hierarchy) isTop(ctx context.Context, node string) bool {
	url, _, _ := strings.Cut(store.JoinURL(h.store.URL(), node), "?")
	return translate.IsLooking(ctx) && format.LastEnding(path.Base(url), ".zarr") != ""
}

// Gathered gives a group by its consolidated metadata alone; nil if it has none.
func (h hierarchy) Gathered(ctx context.Context, node string) *meta.Group {
	text, _, err := h.get(ctx, node, consolidatedName)
	if err != nil || text == nil {
		return nil
	}
	c, err := splitConsolidated(text)
	if err != nil {
		return nil
	}
	if g, err := c.group(); err == nil && g != nil {
		return g
	}
	return nil
}

// documents are those of a Zarr v2 node as they are stored.
type documents struct {
	array, group, attributes, consolidated []byte // nil if absent
	tag, attributesTag                     string
}

// exists reports whether there is a node.
func (d *documents) exists() bool { return d.array != nil || d.group != nil }

// etag changes when one of the documents does; it is empty where the store has
// none.
func (d *documents) etag() string {
	if d.tag == "" {
		return ""
	}
	return d.tag + "\n" + d.attributesTag
}

// read gets the documents of a node but for consolidated metadata, also those
// that are left over from another.
func (h hierarchy) read(ctx context.Context, path string) (*documents, error) {
	translate.Expect(ctx, key(path, arrayName), key(path, groupName), key(path, attributesName))
	d := &documents{}
	var info store.Info
	var err error
	if d.array, info, err = h.get(ctx, path, arrayName); err == nil && d.array == nil {
		d.group, info, err = h.get(ctx, path, groupName)
	}
	if err != nil || !d.exists() {
		return d, err
	}
	d.tag = info.ETag
	d.attributes, info, err = h.get(ctx, path, attributesName)
	d.attributesTag = info.ETag
	return d, err
}

func (d *documents) parse() (meta.Node, error) {
	if d.array != nil {
		return parsed(ParseArray(d.array, d.attributes))
	}
	g, err := ParseGroup(d.group, d.attributes)
	if err == nil && d.consolidated != nil {
		// One that cannot be read counts as none: the nodes' own documents tell.
		g.Consolidated, _ = ParseConsolidated(d.consolidated)
	}
	return parsed(g, err)
}

// parsed keeps a nil pointer from becoming a node.
func parsed[N meta.Node](n N, err error) (meta.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}
