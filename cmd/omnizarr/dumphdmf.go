package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// neutralLink describes a link, and what it leads to.
func neutralLink(ctx context.Context, l *hdmf.Link) *neutralNode {
	doc := &neutralNode{Kind: "link", Target: &neutralTarget{File: l.Source, Path: l.Path}}
	o, err := l.Target(ctx)
	if err != nil {
		doc.Error = why(err)
		return doc
	}
	doc.Target.File, doc.Target.Path = place(ctx, l.Group().File(), o.File()), o.Path()
	doc.TargetKind = kindOf(o)
	return doc
}

// kindOf is what dump calls an object.
func kindOf(o hdmf.Object) string {
	if _, ok := o.(*hdmf.Dataset); ok {
		return "dataset"
	}
	return "group"
}

// neutralReference gives the object that a reference in a file means, or why there
// is none.
func neutralReference(ctx context.Context, holder *hdmf.File, r hdmf.Reference) json.RawMessage {
	o, err := holder.Resolve(ctx, r)
	if err != nil {
		return dangling(err)
	}
	raw, err := strictjson.Marshal(map[string]neutralTarget{"$ref": {place(ctx, holder, o.File()), o.Path(), r.Region}}, false)
	if err != nil {
		return dangling(err)
	}
	return raw
}

// neutralReferences does so for those of an attribute.
func neutralReferences(ctx context.Context, holder *hdmf.File, attr hdmf.Attribute) json.RawMessage {
	if !attr.List {
		return neutralReference(ctx, holder, attr.References[0])
	}
	out := []byte{'['}
	for i, r := range attr.References {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, neutralReference(ctx, holder, r)...)
	}
	return append(out, ']')
}

// dangling stands for a reference that leads nowhere.
func dangling(err error) json.RawMessage {
	return append(strictjson.AppendString([]byte(`{"$dangling":`), why(err)), '}')
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

// schemaSums are the sums of the cached schemas by namespace, version and source.
type schemaSums map[string]map[string]map[string]string

// dumpSchemas prints which schemas a file has cached.
func (a *app) dumpSchemas(ctx context.Context, f *hdmf.File, asJSON bool) error {
	var doc struct {
		Location   *string    `json:"location"`
		Namespaces schemaSums `json:"namespaces"`
	}
	doc.Namespaces = schemaSums{}
	if at := schemaLocation(f); at != "" {
		doc.Location = &at
	}
	texts, err := f.SchemaTexts(ctx)
	for _, t := range texts {
		if t.Err != nil {
			err = t.Err
			continue
		}
		versions := doc.Namespaces[t.Namespace]
		if versions == nil {
			versions = map[string]map[string]string{}
			doc.Namespaces[t.Namespace] = versions
		}
		if versions[t.Version] == nil {
			versions[t.Version] = map[string]string{}
		}
		sum := sha256.Sum256([]byte(t.Text))
		versions[t.Version][t.Source] = hex.EncodeToString(sum[:])
		if !asJSON {
			a.printf("schema %s %s %s  sha256 %x\n", t.Namespace, t.Version, t.Source, sum)
		}
	}
	if asJSON {
		raw, err := strictjson.Marshal(doc, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "\"specifications\": %s,\n", raw)
	}
	return err
}

// schemaLocation is where a file says that its cached schemas are, "" if it does
// not.
func schemaLocation(f *hdmf.File) string {
	return strings.TrimPrefix(f.SchemaPath(), "/")
}

// inFile names an object for people.
func inFile(t neutralTarget) string {
	text := t.Path
	if t.File != "." && t.File != "" {
		text = t.File + ":" + t.Path
	}
	if t.Region != nil {
		text += t.Region.String()
	}
	return text
}

// cannot adds why a link leads nowhere.
func cannot(problem string) string {
	if problem == "" {
		return ""
	}
	return "  leads nowhere: " + oneLine(problem)
}
