package check

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// dataset checks type, shape and elements of a dataset.
func (c *checker) dataset(ctx context.Context, d *hdmf.Dataset, v visit) error {
	has := storedAs(d.DType(), d.File().Layout())
	dates, ascii, shapes := false, false, true
	wanted := map[string]bool{} // types of targets
	fields := map[string]map[string]bool{}
	for _, spec := range v.specs {
		s := spec.(*schema.DatasetSpec)
		if !has.fits(s.DType) {
			c.tell(v.at, BadDType, "holds %s, must be %s", has, s.DType)
		} else {
			dates = dates || s.DType.Primitive == schema.ISOTime
			ascii = ascii || s.DType.Primitive == schema.ASCII
			if s.DType.Target != "" {
				wanted[s.DType.Target] = true
			}
			for i, f := range s.DType.Fields {
				if f.DType.Target != "" {
					name := d.DType().Fields[i].Name
					if fields[name] == nil {
						fields[name] = map[string]bool{}
					}
					fields[name][f.DType.Target] = true
				}
			}
		}
		// hdmf's validator sees a single number as an array without axes.
		single := d.Scalar() && d.DType().Kind != hdmf.Number
		shapes = c.shape(v.at, "the dataset", s.Shapes, d.Shape(), single) && shapes
		if s.Value != nil && d.Scalar() {
			if err := c.fixed(ctx, d, v.at, s.Value); err != nil {
				return err
			}
		}
	}
	if shapes {
		c.dims(d, v.at)
	}
	switch kind := d.DType().Kind; {
	case kind == hdmf.ObjectRef || kind == hdmf.RegionRef:
		c.putOffAll(references{dataset: d, at: v.at}, wanted)
	case kind == hdmf.Compound:
		for _, f := range d.DType().Fields {
			if f.Kind == hdmf.ObjectRef || f.Kind == hdmf.RegionRef {
				c.putOffAll(references{dataset: d, at: v.at, field: f.Name}, fields[f.Name])
			}
		}
	}
	switch {
	case dates:
		return c.texts(ctx, d, v.at, c.dateTime)
	case ascii:
		return c.texts(ctx, d, v.at, func(at, who, text string) {
			if !isASCII(text) {
				c.tell(at, BadDType, "%s is %s, must be ASCII", who, quote(text))
			}
		})
	}
	return nil
}

// putOffAll puts references off, for every type that targets must have.
func (c *checker) putOffAll(r references, wanted map[string]bool) {
	if len(wanted) == 0 {
		c.putOff(r)
	}
	for r.want = range wanted {
		c.putOff(r)
	}
}

// fixed compares a single value with the only one that is allowed.
func (c *checker) fixed(ctx context.Context, d *hdmf.Dataset, at string, want json.RawMessage) error {
	v, err := d.Read(ctx, zarr.All())
	if err != nil {
		return c.unreadable(ctx, at, err)
	}
	if v.Len() != 1 {
		return nil
	}
	raw, err := v.JSON(0)
	if err == nil && !sameJSON(raw, want) {
		c.tell(at, BadValue, "is %s, must be %s", strictjson.Excerpt(raw), strictjson.Excerpt(want))
	}
	return nil
}

// texts checks all elements that are text.
func (c *checker) texts(ctx context.Context, d *hdmf.Dataset, at string, check func(at, who, text string)) error {
	before := len(c.findings)
	err := eachBlock(ctx, d, func(start []int, v *hdmf.Values) error {
		for i := 0; i < v.Len() && len(c.findings)-before < maxTold; i++ {
			who := "the dataset"
			if !d.Scalar() {
				who = "element " + index(start, v.Shape, i)
			}
			check(at, who, v.Text(i))
		}
		return ctx.Err()
	})
	return c.readable(ctx, at, err)
}

// dims tells if not every axis has a name where axes have names.
func (c *checker) dims(d *hdmf.Dataset, at string) {
	a, ok := d.Attribute("_ARRAY_DIMENSIONS")
	if !ok {
		return
	}
	var names []string
	if err := strictjson.Decode(a.Raw, &names); err != nil {
		c.tell(at, BadShape, "_ARRAY_DIMENSIONS does not list the names of axes")
	} else if n := len(d.Array().Shape()); len(names) != n {
		c.tell(at, BadShape, "_ARRAY_DIMENSIONS names %d axes, the dataset has %d", len(names), n)
	}
}
