package check

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// ownAttributes are those that every object may have, whatever its schema says. The
// text of the layout has doc on groups and datasets, though no version of hdmf-zarr
// writes it.
var ownAttributes = []string{"neurodata_type", "data_type", "namespace", "object_id", "_ARRAY_DIMENSIONS", "doc"}

// attributes checks the attributes of an object.
func (c *checker) attributes(ctx context.Context, o hdmf.Object, v visit, open bool) {
	all := o.Attributes()
	wanted := map[string]string{} // the types of targets, by attribute
	known := map[string]bool{}
	for _, spec := range v.specs {
		for _, s := range attributesOf(spec) {
			known[s.Name] = true
			i := slices.IndexFunc(all, func(a hdmf.Attribute) bool { return a.Name == s.Name })
			if i < 0 || strictjson.IsNull(all[i].Raw) {
				if s.Required {
					c.tell(v.at, Missing, "attribute %s is missing", quote(s.Name))
				}
				if i >= 0 {
					c.tell(v.at, BadDType, "attribute %s is null, which readers refuse", quote(s.Name))
				}
				continue
			}
			c.attribute(all[i], s, v.at)
			if s.DType.Target != "" {
				wanted[s.Name] = s.DType.Target
			}
		}
	}
	for _, a := range all {
		regions := a.Regions()
		for i, r := range a.References {
			who := "attribute " + quote(a.Name)
			if a.List {
				who = fmt.Sprintf("element %d of %s", i, who)
			}
			c.reference(ctx, o.File(), v.at, who, r, wanted[a.Name])
			if r.Region == nil && regions[i] {
				c.tell(v.at, BadRegion, "%s is a reference to a region of %s, and has no region", who, r)
			}
		}
		for _, n := range a.Nested {
			who := "attribute " + quote(a.Name) + n.At
			if n.Err != nil {
				c.tell(v.at, BadDType, "%s is a reference that cannot be read: %v", who, n.Err)
			} else {
				c.reference(ctx, o.File(), v.at, who, n.Reference, "")
			}
		}
		switch {
		case a.Err != nil:
			c.tell(v.at, BadDType, "attribute %s is a reference that cannot be read: %v", quote(a.Name), a.Err)
		case a.References == nil && looksLikeReference(a.Raw):
			c.tell(v.at, BadDType, "attribute %s is a reference that cannot be read: it has no value", quote(a.Name))
		}
		if !open && !known[a.Name] && !slices.Contains(ownAttributes, a.Name) && c.catalog != nil {
			c.tell(v.at, ExtraField, "no schema has a place for attribute %s", quote(a.Name))
		}
	}
}

func attributesOf(spec any) []*schema.AttributeSpec {
	if s, ok := spec.(*schema.DatasetSpec); ok {
		return s.Attributes
	}
	return spec.(*schema.GroupSpec).Attributes
}

// attribute checks the value of an attribute.
func (c *checker) attribute(a hdmf.Attribute, s *schema.AttributeSpec, at string) {
	val := valueOf(a)
	who := "attribute " + quote(s.Name)
	switch {
	case val.empty:
	case !val.fits(s.DType):
		c.tell(at, BadDType, "%s is %s, must be %s", who, val.stored, s.DType)
	case s.DType.Primitive == schema.ISOTime:
		c.dateTime(at, who, val.text)
	case s.DType.Primitive == schema.ASCII && !isASCII(val.text):
		c.tell(at, BadDType, "%s is %s, must be ASCII", who, quote(val.text))
	}
	c.shape(at, who, s.Shapes, val.shape, val.shape == nil)
	if s.Value != nil && !val.empty && !sameJSON(a.Raw, s.Value) {
		c.tell(at, BadValue, "%s is %s, must be %s", who, strictjson.Excerpt(a.Raw), strictjson.Excerpt(s.Value))
	}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// dateTime tells of a text that should be a date.
func (c *checker) dateTime(at, who, text string) {
	valid, zoned := schema.DateTime(text)
	switch {
	case !valid:
		c.tell(at, BadDType, "%s is %s, must be a date and time (isodatetime)", who, quote(text))
	case !zoned:
		c.tell(at, BadDType, "%s is %s, a date and time without its time zone", who, quote(text))
	}
}

// shape compares shapes; of a single value the shape is empty.
func (c *checker) shape(at, who string, want []schema.Shape, shape []int, single bool) (fits bool) {
	if schema.ShapesFit(want, shape) {
		return true
	}
	asked := ""
	for i, s := range want {
		if i > 0 {
			asked += " or "
		}
		asked += s.String()
	}
	if single {
		c.tell(at, NoArray, "%s is a single value, must be an array of shape %s", who, asked)
	} else {
		c.tell(at, BadShape, "%s has shape %s, must be %s", who, strictjson.AppendInts(nil, shape), asked)
	}
	return false
}

// looksLikeReference reports whether JSON has a form that is reserved for
// references.
func looksLikeReference(raw json.RawMessage) bool {
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return false
	}
	for _, m := range members {
		if m.Name == "_REFERENCE" || m.Name == "zarr_dtype" {
			return true
		}
	}
	return false
}
