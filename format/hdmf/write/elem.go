package write

import (
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
)

// elem is what the elements of a dataset are, or one field of them.
type elem struct {
	name   string
	kind   hdmf.Kind
	typ    dtype.Type // of what has a fixed size and is the same in both layouts
	stored string     // what the layout calls it, if it is one of Python's names
	fields []elem     // of compounds that are not the same in both layouts
}

// fits checks that data can be put behind what a dataset has.
func fits(d *hdmf.Dataset, data Data) error {
	if data.broken != nil {
		return data.broken
	}
	have, err := fromDataset(d)
	if err != nil {
		return err
	}
	shape := d.Shape()
	if len(shape) == 0 || len(data.dims) != len(shape) || !slices.Equal(shape[1:], data.dims[1:]) {
		return fmt.Errorf("values of shape %v for a dataset of shape %v", data.dims, shape)
	}
	return have.what.same(data.what)
}

// same compares types of elements. Text may be put where there are bytes, and the
// other way round.
func (e elem) same(other elem) error {
	a, b := e.kind, other.kind
	if a == hdmf.Bytes && e.typ == nil {
		a = hdmf.Text
	}
	if b == hdmf.Bytes {
		b = hdmf.Text
	}
	switch {
	case a != b || len(e.fields) != len(other.fields):
		return fmt.Errorf("elements are %s, not %s", e, other)
	case e.typ != nil && a != hdmf.Text && (other.typ == nil || !sameType(e.typ, other.typ)):
		return fmt.Errorf("elements are %s, not %s", e, other)
	}
	for i, f := range e.fields {
		if f.name != other.fields[i].name {
			return fmt.Errorf("field %d is %q, not %q", i, f.name, other.fields[i].name)
		}
		if err := f.same(other.fields[i]); err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
	}
	return nil
}

// sameType compares types; structs by their fields, since one type has several
// spellings.
func sameType(a, b dtype.Type) bool {
	x, y := dtype.Fields(a), dtype.Fields(b)
	if x == nil || len(x) != len(y) || a.Size() != b.Size() {
		return dtype.Equal(a, b)
	}
	for i := range x {
		if x[i].Name != y[i].Name || x[i].Offset != y[i].Offset || !sameType(x[i].Type, y[i].Type) {
			return false
		}
	}
	return true
}

// String names the type for errors.
func (e elem) String() string {
	switch {
	case e.fields != nil:
		return fmt.Sprintf("compounds of %d fields", len(e.fields))
	case e.typ != nil:
		return e.typ.Name()
	case e.kind == hdmf.Text:
		return "text"
	case e.kind == hdmf.Bytes:
		return "bytes"
	case e.kind == hdmf.ObjectRef:
		return "references"
	case e.kind == hdmf.RegionRef:
		return "region references"
	}
	return "objects"
}
