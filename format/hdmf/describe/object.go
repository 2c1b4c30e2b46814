package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
)

// Object is an object of an HDMF file as package convention sees it.
type Object struct {
	knows  *Convention
	object hdmf.Object
	opened *hdmf.File // the one that was asked for; the object of a link may lie in another
}

// Convention knows it.
func (o *Object) Convention() convention.Convention {
	if o.opened.Plain() {
		return native{o.knows}
	}
	return o.knows
}

// native is what plain files of HDF5 have of the convention: their own links and references.
type native struct{ *Convention }

// Name is "hdf5".
func (native) Name() string { return "hdf5" }

// HDMF is the object itself.
func (o *Object) HDMF() hdmf.Object { return o.object }

// Node is the object as the engine has it.
func (o *Object) Node() zarr.Node { return o.object.Node() }

// IsFile reports whether it is a whole file.
func (o *Object) IsFile() bool { return o.object.Path() == "/" }

// Close gives up the file.
func (o *Object) Close() error { return o.opened.Close() }

// At gives another object of the file that holds it.
func (o *Object) At(ctx context.Context, path string) (convention.Object, error) {
	found, err := o.object.File().Object(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Object{o.knows, found, o.opened}, nil
}

// Path is where the object lies in the file that holds it.
func (o *Object) Path() string { return o.object.Path() }

// IsOwn reports whether the object lies in the file that was opened, and not behind a
// link.
func (o *Object) IsOwn() bool { return o.object.File() == o.opened }

// Bound tells why the object says something else outside of its file, "" if it does
// not.
func (o *Object) Bound() string {
	switch o := o.object.(type) {
	case *hdmf.Group:
		return "without the rest, links and references in it lead nowhere, and its types are not known"
	case *hdmf.Dataset:
		if o.DType().Refers() || slices.ContainsFunc(o.DType().Fields, func(f hdmf.Field) bool { return f.Refers() }) {
			return "its elements refer to other objects of it"
		}
		for _, a := range o.Attributes() {
			if a.References != nil || a.Nested != nil {
				return "its attribute " + a.Name + " refers to another object of it"
			}
		}
	}
	return ""
}

// Detail is what a tree says of the object besides its name.
func (o *Object) Detail() string {
	if d, ok := o.object.(*hdmf.Dataset); ok {
		return strings.TrimSpace(fmt.Sprintf("%s  %s  %s", words.Times(d.Shape()), typeWords(d), d.Type().Name))
	}
	return o.object.Type().Name
}

// typeWords names the type of a dataset for people.
func typeWords(d *hdmf.Dataset) string {
	switch t := d.DType(); t.Kind {
	case hdmf.ObjectRef:
		return "references"
	case hdmf.RegionRef:
		return "region references"
	case hdmf.Compound:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, f.Name+" "+f.DType.Name)
		}
		return "compound of " + strings.Join(fields, ", ")
	default:
		return t.Name
	}
}

// Attributes are those of the object, references as {"$ref": …}.
func (o *Object) Attributes(ctx context.Context) []meta.Member {
	var out []meta.Member
	for _, a := range o.object.Attributes() {
		raw, err := a.Rewrite(func(dst []byte, r hdmf.Reference) ([]byte, error) {
			return append(dst, neutralReference(ctx, o.object.File(), r)...), nil
		})
		if err != nil {
			raw = a.Raw
		}
		out = append(out, meta.Member{Name: a.Name, Raw: raw})
	}
	return out
}

// Elements says what those of a dataset are, nil for a group.
func (o *Object) Elements() *convention.Elements {
	d, ok := o.object.(*hdmf.Dataset)
	if !ok {
		return nil
	}
	return &convention.Elements{
		Type: elementType("", "", d.DType()), Shape: d.Shape(), Scalar: d.Scalar(), Stored: storedType(d),
		Refer: func(ctx context.Context, raw json.RawMessage) json.RawMessage {
			r, err := hdmf.ParseReference(raw)
			if err != nil {
				return dangling(err)
			}
			return neutralReference(ctx, d.File(), r)
		},
	}
}

var kinds = map[hdmf.Kind]convention.Kind{
	hdmf.Number: convention.Plain, hdmf.Text: convention.Text, hdmf.Bytes: convention.Bytes, hdmf.ObjectRef: convention.Objects,
	hdmf.RegionRef: convention.Regions, hdmf.Compound: convention.Compound, hdmf.Anything: convention.Anything,
}

func elementType(name, stored string, t hdmf.DType) convention.Type {
	out := convention.Type{Name: name, Kind: kinds[t.Kind], Stored: stored}
	for _, f := range t.Fields {
		out.Fields = append(out.Fields, elementType(f.Name, f.Stored, f.DType))
	}
	return out
}

// storedType is the type that the layout says, or that its own reader makes up of
// compounds where it says none; nil without either.
func storedType(d *hdmf.Dataset) json.RawMessage {
	raw := d.Stored()
	if s, err := strictjson.String(raw); err == nil {
		switch s {
		case "object_reference":
			return json.RawMessage(`"object"`)
		case "region_reference":
			return json.RawMessage(`"region"`)
		}
	}
	if raw != nil || d.DType().Kind != hdmf.Compound {
		return raw
	}
	type field struct {
		Name  string `json:"name"`
		DType string `json:"dtype"`
	}
	var fields []field
	for _, f := range d.DType().Fields {
		name := f.DType.Name
		switch f.Kind {
		case hdmf.Text:
			name = "str_"
		case hdmf.ObjectRef:
			name = "object"
		}
		fields = append(fields, field{f.Name, name})
	}
	raw, err := strictjson.Marshal(fields, false)
	if err != nil {
		return nil
	}
	return raw
}

// Walk yields what a group holds, links too.
func (o *Object) Walk(ctx context.Context) iter.Seq2[convention.Entry, error] {
	return func(yield func(convention.Entry, error) bool) {
		g, ok := o.object.(*hdmf.Group)
		if !ok {
			return
		}
		top := o.Node().Path()
		for m, err := range g.Walk(ctx) {
			var e convention.Entry
			switch {
			case err != nil:
			case m.Link != nil:
				at := strings.TrimPrefix(strings.TrimPrefix(m.Link.At(), "/"), top)
				e = convention.Entry{Path: "/" + strings.Trim(at, "/"), Link: link{m.Link}}
			default:
				e = convention.NodeEntry(m.Object.Node(), top)
				e.Object = &Object{o.knows, m.Object, o.opened}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Resolved gives the object as plain Zarr, where links are what they lead to.
func (o *Object) Resolved(ctx context.Context) (zarr.Node, error) {
	return zarr.OpenStore(ctx, view.New(o.object.File()), strings.TrimPrefix(o.object.Path(), "/"), zarr.ReadOnly())
}

// Schemas are those that a file has cached.
func (o *Object) Schemas(context.Context) *convention.Schemas {
	f := o.object.File()
	return &convention.Schemas{
		Path:  strings.TrimPrefix(f.SchemaPath(), "/"),
		Nodes: func(ctx context.Context) ([]zarr.Node, []string) { return schemaNodes(ctx, f) },
		Texts: func(ctx context.Context) (out []convention.SchemaText, err error) {
			texts, err := f.SchemaTexts(ctx)
			for _, t := range texts {
				out = append(out, convention.SchemaText(t))
			}
			return out, err
		},
	}
}

// schemaNodes lists the nodes that the cached schemas of a file are, and the
// namespaces with their versions.
func schemaNodes(ctx context.Context, f *hdmf.File) (nodes []zarr.Node, versions []string) {
	g, at := f.Zarr(), strings.TrimPrefix(f.SchemaPath(), "/")
	if at == "" {
		return nil, nil
	}
	n, err := g.Open(ctx, at)
	if errors.Is(err, zarr.ErrNoNode) {
		// Some writers leave them out of consolidated metadata.
		n, err = zarr.OpenStore(ctx, g.Store(), path.Join(g.Path(), at), zarr.ReadOnly(), zarr.BypassConsolidated())
	}
	if err != nil {
		return nil, nil // which a check tells
	}
	nodes = []zarr.Node{n}
	if sub, ok := n.(*zarr.Group); ok {
		for n, err := range sub.Walk(ctx) {
			if err == nil {
				nodes = append(nodes, n)
			}
		}
	}
	above := strings.Count(at, "/") + 1
	for _, n := range nodes {
		parts := strings.Split(strings.Trim(strings.TrimPrefix(n.Path(), g.Path()), "/"), "/")
		if _, ok := n.(*zarr.Group); ok && len(parts) == above+2 {
			versions = append(versions, parts[above]+" "+parts[above+1])
		}
	}
	return nodes, versions
}
