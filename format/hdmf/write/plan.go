package write

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/meta"
)

// plan is how a dataset is stored in a layout.
type plan struct {
	typ        string // the data_type
	fill       json.RawMessage
	serializer string
	width      int             // of elements, as Blosc wants it
	dtype      json.RawMessage // the layout's attribute for the type, nil for none
	references []string        // the fields that are references
	flat       bool            // a scalar is an array of one element
	objects    bool            // elements lie under a codec for values of any kind
	pickled    bool            // which is that of pickles
}

// minChars is how much room text in compounds has at least in the layout V3.
const minChars = 512

// maxChars is how much it has at most: every element takes as much as the longest.
const maxChars = 1 << 20

// maxTotal bounds what the longest text makes of all elements.
const maxTotal = 1 << 38

// objects is the type of values of any kind, which JSON or pickles hold.
const objects = "omnizarr.json"

// plan decides how the elements of a source are stored. Where that depends on
// them, it looks at all.
func (f *form) plan(ctx context.Context, src source) (plan, error) {
	e := src.elem()
	p := plan{flat: f.layout == hdmf.V2, width: 1}
	switch {
	case e.fields != nil:
		return f.compound(ctx, src, e, p)
	case e.typ != nil:
		p.fill = src.fill()
		return f.fixed(e, p, src.shape() == nil)
	}
	p.typ, p.serializer = "string", textCodec
	switch kind := e.kind; {
	case kind == hdmf.Bytes:
		all, err := f.layout == hdmf.V3, error(nil)
		if all {
			if all, err = f.isText(ctx, src); err != nil {
				return p, err
			}
		}
		if p.dtype = quoted("str"); !all { // in V3 hdmf-zarr has no place for them, but Zarr has
			p.typ, p.serializer, p.dtype = "variable_length_bytes", `{"name":"vlen-bytes"}`, quoted("bytes")
		}
	case kind == hdmf.Text:
		p.dtype = quoted("str")
	case f.layout == hdmf.V3 && kind == hdmf.ObjectRef:
		p.dtype = quoted("object_reference")
	case f.layout == hdmf.V3 && kind == hdmf.RegionRef:
		p.dtype = quoted("region_reference")
	case kind == hdmf.ObjectRef || kind == hdmf.RegionRef:
		p.typ, p.fill = objects, json.RawMessage("0")
		p.dtype, p.flat = quoted("object"), false
		if kind == hdmf.RegionRef {
			p.dtype = quoted("region")
		}
		return p.asObjects(f.pickle), nil
	case kind == hdmf.Anything && f.layout == hdmf.V2:
		p.typ, p.fill, p.dtype = objects, json.RawMessage("0"), quoted("any")
		return p.asObjects(f.pickle), nil
	default:
		return p, fmt.Errorf("objects that are neither text nor references nor compounds have no form in the layout %v", f.layout)
	}
	if f.layout == hdmf.V2 && src.shape() == nil {
		p.dtype = quoted("scalar")
	}
	return p, nil
}

// textCodec is the serializer of text of any length.
const textCodec = `{"name":"vlen-utf8","configuration":{}}`

// asObjects is the plan with the codec for values of any kind in the layout V2.
func (p plan) asObjects(pickled bool) plan {
	p.objects, p.pickled, p.serializer = true, pickled, `{"name":"numcodecs.json2"}`
	if pickled {
		p.serializer = `{"name":"numcodecs.pickle","configuration":{"protocol":5}}`
	}
	return p
}

// fixed is for elements of a fixed size.
func (f *form) fixed(e elem, p plan, scalar bool) (plan, error) {
	if err := f.hasForm(e.typ); err != nil {
		return p, err
	}
	text, err := e.typ.MarshalJSON()
	p.typ, p.serializer, p.width = string(text), bytesCodec(e.typ), e.typ.Size()
	switch fields := dtype.Fields(e.typ); {
	case fields == nil && e.stored != "":
		p.dtype = quoted(e.stored)
	case fields == nil:
		p.dtype = quoted(numpyName(e.typ))
	case f.layout == hdmf.V2:
		list := make([]elem, len(fields))
		for i, t := range fields {
			list[i] = elem{name: t.Name, kind: hdmf.Number, typ: t.Type}
		}
		p.dtype, p.flat = fieldList(list), false
	}
	if scalar && p.flat {
		p.dtype = quoted("scalar")
	}
	return p, err
}

// bytesCodec is the codec that lays elements of a type down.
func bytesCodec(t dtype.Type) string {
	if slices.ContainsFunc(t.Units(), func(u dtype.Unit) bool { return u.Width > 1 }) {
		return `{"name":"bytes","configuration":{"endian":"little"}}`
	}
	return `{"name":"bytes"}`
}

// fieldList is what the layout V2 says about the fields of a compound.
func fieldList(fields []elem) json.RawMessage {
	out := []byte{'['}
	for i, e := range fields {
		name := "str_"
		switch {
		case e.kind == hdmf.ObjectRef:
			name = "object"
		case e.kind == hdmf.RegionRef:
			name = "region"
		case e.typ != nil:
			name = numpyName(e.typ)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(append(out, `{"dtype":`...), name), `,"name":`...)
		out = append(appendText(out, e.name), '}')
	}
	return append(out, ']')
}

// compound is for compounds with text or references.
func (f *form) compound(ctx context.Context, src source, e elem, p plan) (plan, error) {
	room := make([]int, len(e.fields))
	count := 0
	if f.layout == hdmf.V3 {
		var err error
		if count, err = f.longest(ctx, src, e.fields, room); err != nil {
			return p, err
		}
	}
	typ, fill := []byte(`{"name":"struct","configuration":{"fields":[`), []byte{'{'}
	for i, field := range e.fields {
		if i > 0 {
			typ, fill = append(typ, ','), append(fill, ',')
		}
		text, zero := json.RawMessage(`"`+objects+`"`), json.RawMessage("0")
		switch {
		case field.typ != nil:
			err := f.hasForm(field.typ)
			if err == nil {
				text, zero, err = f.fieldType(field.typ)
			}
			if err != nil {
				return p, fmt.Errorf("field %q: %w", field.name, err)
			}
		case f.layout == hdmf.V3:
			if room[i] > maxChars || count > 0 && room[i] > maxTotal/4/count {
				return p, fmt.Errorf("field %q has text of %d characters, for which all %d compounds would need room; there is room for %d characters, and for %d bytes in all",
					field.name, room[i], count, maxChars, maxTotal)
			}
			text = fmt.Appendf(nil, `{"name":"fixed_length_utf32","configuration":{"length_bytes":%d}}`, 4*max(room[i], minChars))
			zero = json.RawMessage(`""`)
		}
		if field.kind == hdmf.ObjectRef || field.kind == hdmf.RegionRef {
			p.references = append(p.references, field.name)
		}
		typ = append(append(appendText(append(typ, `{"name":`...), field.name), `,"data_type":`...), text...)
		typ = append(typ, '}')
		fill = append(append(appendText(fill, field.name), ':'), zero...)
	}
	p.typ, p.fill = string(append(typ, "]}}"...)), append(fill, '}')
	if f.layout == hdmf.V3 {
		p.serializer = `{"name":"bytes","configuration":{"endian":"little"}}`
		return p, nil
	}
	p.dtype, p.flat, p.references = fieldList(e.fields), false, nil
	return p.asObjects(!f.json), nil
}

// isText looks whether all bytes are text.
func (f *form) isText(ctx context.Context, src source) (bool, error) {
	var text []byte
	all := true
	err := each(ctx, src, func(s *items, i int) (err error) {
		if all {
			text, err = s.blob(text[:0], i)
			all = utf8.Valid(text)
		}
		return err
	})
	return all, err
}

// longest finds how many characters the text of every field has at most, and
// counts the elements that there are.
func (f *form) longest(ctx context.Context, src source, fields []elem, room []int) (count int, err error) {
	var text []byte
	err = each(ctx, src, func(s *items, i int) error {
		count++
		for k, e := range fields {
			var err error
			switch {
			case e.kind == hdmf.ObjectRef || e.kind == hdmf.RegionRef:
				var r hdmf.Reference
				if r, err = s.fields[k].reference(i); err == nil {
					text, err = f.appendElement(ctx, text[:0], r)
				}
			case e.typ == nil:
				text, err = s.fields[k].blob(text[:0], i)
			default:
				continue
			}
			if err != nil {
				return fmt.Errorf("element %d: field %q: %w", i, e.name, err)
			}
			room[k] = max(room[k], utf8.RuneCount(text))
		}
		return nil
	})
	return count, err
}

// each calls fn for all elements of a source.
func each(ctx context.Context, src source, fn func(s *items, i int) error) error {
	for p, err := range src.blocks(ctx) {
		if err != nil {
			return err
		}
		s, err := src.read(ctx, p)
		if err != nil {
			return err
		}
		for i := range p.count() {
			if err := fn(s, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p part) count() int {
	n := 1
	for _, k := range p.box.Shape {
		n *= k
	}
	return n
}

// spec is the array that a plan makes.
func (f *form) spec(p plan, src source, attrs *meta.Attributes) (zarr.ArraySpec, error) {
	shape := slices.Clone(src.shape())
	chunks, shards := src.chunks()
	if shape == nil {
		shape, chunks, shards = []int{}, nil, nil
		if p.flat {
			shape = []int{1}
		}
	}
	if f.layout == hdmf.V2 {
		shards = nil
	}
	t, err := dtype.Parse(typeJSON(p.typ))
	if err != nil {
		return zarr.ArraySpec{}, err
	}
	chunks = fitting(shape, chunks, t.Size(), shards)
	compress, chosen := src.codecs()
	if p.dtype != nil {
		name := dtypeV3
		if f.layout == hdmf.V2 {
			name = dtypeV2
		}
		if err := attrs.Set(name, p.dtype); err != nil {
			return zarr.ArraySpec{}, err
		}
	}
	if p.references != nil {
		if err := attrs.Set(referenceFields, p.references); err != nil {
			return zarr.ArraySpec{}, err
		}
	}
	spec := zarr.ArraySpec{
		Shape: shape, DataType: p.typ, Chunks: chunks, Shards: shards, FillValue: p.fill,
		Codecs: f.chain(p.serializer, p.width, compress, chosen), Attributes: attrs,
	}
	if l, ok := src.(*laid); ok && l.list != nil {
		spec.Codecs = l.list
	}
	return spec, nil
}

func typeJSON(text string) json.RawMessage {
	if text[0] == '{' || text[0] == '"' {
		return json.RawMessage(text)
	}
	return quoted(text)
}

// maxChunk is the size from which chunks of the source are cut smaller along the
// first axis: text in compounds takes much room in the layout V3.
const maxChunk = 64 << 20

// fitting gives chunks for an array.
func fitting(shape, chunks []int, size int, shards []int) []int {
	if len(shape) == 0 {
		return []int{}
	}
	if chunks == nil || len(chunks) != len(shape) {
		return zarr.DefaultChunks(shape, size, shards)
	}
	chunks = slices.Clone(chunks)
	if shards != nil {
		return chunks
	}
	row := size
	for _, n := range chunks[1:] {
		row *= max(n, 1)
	}
	if row > 0 && size > 256 {
		chunks[0] = max(min(chunks[0], maxChunk/row), 1)
	}
	return chunks
}
