package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// form is how a layout spells what Zarr has no place for.
type form struct {
	layout hdmf.Layout
	// pickle says that all objects are pickles, json that none is; compounds are, others
	// are not, if nobody says so.
	pickle, json bool
	// place gives a reference as the new file must have it: its source relative to
	// that file, and, for the layout V2, the ids.
	place func(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error)
}

func appendText(dst []byte, s string) []byte { return strictjson.AppendString(dst, s) }

// appendID appends an id, null if there is none.
func appendID(dst []byte, id string) []byte {
	if id == "" {
		return append(dst, "null"...)
	}
	return appendText(dst, id)
}

// appendReference appends the members of a reference that was placed, without
// braces.
func (f *form) appendReference(dst []byte, r hdmf.Reference) ([]byte, error) {
	if f.layout == hdmf.V2 {
		dst = appendID(append(dst, `"object_id":`...), r.ObjectID)
		dst = appendText(append(dst, `,"path":`...), r.Path)
		dst = appendText(append(dst, `,"source":`...), r.Source)
		dst = appendID(append(dst, `,"source_object_id":`...), r.SourceObjectID)
	} else {
		dst = appendText(append(dst, `"source":`...), r.Source)
		dst = appendText(append(dst, `,"path":`...), r.Path)
	}
	if r.Region == nil {
		return dst, nil
	}
	region, err := r.Region.MarshalJSON()
	return append(append(dst, `,"region":`...), region...), err
}

// placed gives a reference as the new file must have it. Sources have slashes in every
// file, also if a program on Windows made them.
func (f *form) placed(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
	if !strings.Contains(r.Source, "://") {
		r.Source = strings.ReplaceAll(r.Source, `\`, "/")
	}
	return f.place(ctx, r)
}

// checkReference refuses what leads nowhere, wherever the file is.
func checkReference(r hdmf.Reference) error {
	if r.Path == "" {
		return errEmpty
	}
	s := strings.ReplaceAll(r.Source, `\`, "/")
	if strings.HasPrefix(s, "/") || len(s) > 1 && s[1] == ':' || strings.HasPrefix(strings.ToLower(s), "file:") {
		return fmt.Errorf("source %s is absolute: it must be relative to the file that is written, such as ../other.nwb.zarr", strictjson.Quote(r.Source))
	}
	if r.Region == nil {
		return nil
	}
	_, err := r.Region.MarshalJSON()
	return err
}

// checkLink does so for links, which are to whole objects.
func checkLink(r hdmf.Reference) error {
	if r.Region != nil {
		return errors.New("a link is to an object and not to a region of it: a reference can be that")
	}
	return checkReference(r)
}

// fillIDs adds the ids that a reference of a file lacks, where the file that it leads
// to can be looked into.
func fillIDs(ctx context.Context, f *hdmf.File, r hdmf.Reference) hdmf.Reference {
	if r.SourceObjectID == "" {
		if source, err := f.Source(ctx, r.Source); err == nil {
			r.SourceObjectID = source.ID()
		}
	}
	if r.ObjectID == "" {
		if o, err := f.Resolve(ctx, hdmf.Reference{Source: r.Source, Path: r.Path}); err == nil {
			r.ObjectID = o.ID()
		}
	}
	return r
}

// appendElement appends a reference as an element of a dataset: the JSON of it,
// or, as text in the layout V3, its path if that says all. One without a path
// stands for none and appends nothing.
func (f *form) appendElement(ctx context.Context, dst []byte, r hdmf.Reference) ([]byte, error) {
	if r.Path == "" {
		return dst, nil
	}
	r, err := f.placed(ctx, r)
	if err != nil {
		return dst, err
	}
	if f.layout == hdmf.V3 && r.Source == "." && r.Region == nil {
		if r.Path[0] != '/' { // a path that begins in any other way could be JSON
			dst = append(dst, '/')
		}
		return append(dst, r.Path...), nil
	}
	if dst, err = f.appendReference(append(dst, '{'), r); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// appendAttribute appends a reference as an attribute.
func (f *form) appendAttribute(ctx context.Context, dst []byte, r hdmf.Reference) ([]byte, error) {
	r, err := f.placed(ctx, r)
	if err != nil {
		return dst, err
	}
	if f.layout == hdmf.V3 {
		dst = append(dst, `{"`+referenceV3+`":{`...)
	} else {
		dst = append(dst, `{"value":{`...)
	}
	if dst, err = f.appendReference(dst, r); err != nil {
		return dst, err
	}
	switch {
	case f.layout == hdmf.V3:
		return append(dst, "}}"...), nil
	case r.Region != nil:
		return append(dst, `},"`+dtypeV2+`":"region"}`...), nil
	}
	return append(dst, `},"`+dtypeV2+`":"object"}`...), nil
}

// attribute spells an attribute in the layout.
func (f *form) attribute(ctx context.Context, a hdmf.Attribute) (json.RawMessage, error) {
	return a.Rewrite(func(dst []byte, r hdmf.Reference) ([]byte, error) { return f.appendAttribute(ctx, dst, r) })
}

// link is a name that stands for an object elsewhere.
type link struct {
	name string
	ref  hdmf.Reference
}

// appendLink appends an entry of the list of links.
func (f *form) appendLink(ctx context.Context, dst []byte, l link) ([]byte, error) {
	if l.ref.Path == "" {
		return dst, errEmpty
	}
	r, err := f.placed(ctx, l.ref)
	if err != nil {
		return dst, err
	}
	r.Region = nil
	if dst, err = f.appendReference(append(dst, '{'), r); err != nil {
		return dst, err
	}
	return append(appendText(append(dst, `,"name":`...), l.name), '}'), nil
}

// linksName is the attribute that holds the links of a group.
func (f *form) linksName() string {
	if f.layout == hdmf.V3 {
		return linksV3
	}
	return linksV2
}

// attributes are those of an object as the layout has them, its links included.
func (f *form) attributes(ctx context.Context, list []hdmf.Attribute, links []link) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	for _, a := range list {
		raw, err := f.attribute(ctx, a)
		if err == nil {
			err = out.Set(a.Name, raw)
		}
		if err != nil {
			return nil, strictjson.AtMember(a.Name, err)
		}
	}
	if len(links) == 0 {
		return out, nil
	}
	text := []byte{'['}
	for i, l := range links {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = f.appendLink(ctx, text, l); err != nil {
			return nil, strictjson.At(l.name, err)
		}
	}
	return out, out.Set(f.linksName(), json.RawMessage(append(text, ']')))
}
