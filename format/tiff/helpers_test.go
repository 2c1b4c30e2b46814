package tiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/store"
)

// omeXML puts images into a document.
func omeXML(inner string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">` + inner + `</OME>`
}

// described adds a description.
func described(p *picture, text string) *picture {
	return p.with(tag.Text(tag.ImageDescription, text))
}

// outline lists what is in a store: groups by their path, with a star if they are
// levels, arrays with axes and shape, nodes that cannot be opened with "error".
func outline(t testing.TB, s store.Store) string {
	t.Helper()
	node, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		return "error"
	}
	var out []string
	add := func(n zarr.Node) {
		if a, ok := n.(*zarr.Array); ok {
			out = append(out, fmt.Sprintf("%s(%s %v)", a.Path(), strings.Join(a.DimensionNames(), ""), a.Shape()))
		} else if attribute(t, n, "ome") != nil {
			out = append(out, n.Path()+"/*")
		} else {
			out = append(out, n.Path()+"/")
		}
	}
	add(node)
	if g, ok := node.(*zarr.Group); ok {
		for n, err := range g.Walk(ctx) {
			if err != nil {
				out = append(out, "error")
				continue
			}
			add(n)
		}
	}
	return strings.Join(out, " ")
}

// arrayAt opens an array.
func arrayAt(t testing.TB, s store.Store, path string) *zarr.Array {
	t.Helper()
	node, err := zarr.OpenStore(ctx, s, path)
	check(t, err)
	a, ok := node.(*zarr.Array)
	if !ok {
		t.Fatalf("%q is no array", path)
	}
	return a
}

// firsts gives the first byte of every plane of an array of bytes.
func firsts(t testing.TB, a *zarr.Array) []byte {
	t.Helper()
	v := pixels(t, a)
	sh := a.Shape()
	plane := sh[len(sh)-1] * sh[len(sh)-2]
	var out []byte
	for i := 0; i < len(v.Data); i += plane {
		out = append(out, v.Data[i])
	}
	return out
}

// attribute reads an attribute of a node.
func attribute(t testing.TB, n zarr.Node, name string) any {
	t.Helper()
	var v any
	_, err := n.Attributes().Get(name, &v)
	check(t, err)
	return v
}
