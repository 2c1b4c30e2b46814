package hdf5

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Attribute is a small value that belongs to an object.
type Attribute struct {
	Name  string
	Type  *Type
	Space Space
	Raw   []byte // the elements as they are stored; must not be changed
	Order int    // of creation, -1 if that is not tracked
	file  *File
}

// Attributes gives all attributes of an object, by name. Those that are wrong
// are left out, and the error says so.
func (o *Object) Attributes() ([]Attribute, error) {
	var all []Attribute
	var errs []error
	add := func(m message) {
		a, err := o.file.attribute(m)
		if err != nil {
			errs = append(errs, err)
			return
		}
		all = append(all, a)
	}
	for _, m := range o.header.messages {
		switch m.kind {
		case msgAttribute:
			add(m)
		case msgAttrInfo:
			if err := o.file.denseAttributes(m, add); err != nil {
				errs = append(errs, fmt.Errorf("attributes: %w", err))
			}
		}
	}
	slices.SortFunc(all, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	return all, errors.Join(errs...)
}

// denseAttributes reads the attributes of an object that has many.
func (f *File) denseAttributes(m message, add func(message)) error {
	c := f.body(m, "attribute info")
	c.version(0, 0)
	flags := c.u8()
	if flags&1 != 0 {
		c.skip(2)
	}
	at, names := c.addr(), c.addr()
	if c.err != nil || at == Undefined {
		return c.err
	}
	h, err := f.openHeap(at)
	if err != nil {
		return err
	}
	return f.records(names, 8, func(r *cursor) error {
		id := r.take(8)
		flags := r.u8()
		order := int(r.u32())
		if r.err != nil {
			return r.err
		}
		if flags&flagShared != 0 { // it is in the heap of shared messages
			for _, x := range f.shared {
				if x.kinds&(1<<msgAttribute) == 0 {
					continue
				}
				s, err := f.openHeap(x.heap)
				if err != nil {
					return err
				}
				b, at, err := s.object(id)
				if err != nil {
					return err
				}
				add(message{kind: msgAttribute, body: b, at: at, order: order})
			}
			return nil
		}
		b, at, err := h.object(id[:h.idLen(8)])
		if err != nil {
			return err
		}
		add(message{kind: msgAttribute, body: b, at: at, order: order})
		return nil
	})
}

// attribute reads an attribute message.
func (f *File) attribute(m message) (Attribute, error) {
	m, _, err := f.resolve(m, "attribute", 0)
	if err != nil {
		return Attribute{}, err
	}
	a := Attribute{Order: m.order, file: f}
	c := f.body(m, "attribute")
	version := c.version(1, 3)
	flags := c.u8()
	if version == 1 {
		flags = 0
	}
	name, typ, space := c.u16(), c.u16(), c.u16()
	if version == 3 {
		c.skip(1)
	}
	padded := func(n int) int {
		if version == 1 {
			return (n + 7) &^ 7
		}
		return n
	}
	a.Name = trimNull(c.take(padded(name)))
	t, s := c.part("datatype", padded(typ)), c.part("dataspace", padded(space))
	if c.err != nil {
		return a, c.err
	}
	if a.Type, err = f.datatype(message{kind: msgType, flags: flags & 1 << 1, body: t.b, at: t.at}); err == nil {
		a.Space, err = f.space(message{kind: msgSpace, flags: flags & 2, body: s.b, at: s.at})
	}
	if err != nil {
		return a, fmt.Errorf("attribute %q: %w", a.Name, err)
	}
	n, ok := a.Space.Len()
	if !ok || n > uint64(c.left()) || n*uint64(a.Type.Size) > uint64(c.left()) {
		c.fail("%q has elements for more than the %d bytes of the message that are left", a.Name, c.left())
		return a, c.err
	}
	a.Raw = c.take(int(n) * a.Type.Size)
	return a, c.err
}

// Value gives the attribute as a Go value: one for a scalar, a slice of them for
// an array, nil for no element. [File.Decode] says what elements become.
func (a *Attribute) Value() (any, error) {
	if a.Space.Kind == Null {
		return nil, nil
	}
	if a.Space.Kind == Scalar {
		return a.file.Decode(a.Type, a.Raw)
	}
	n := len(a.Raw) / a.Type.Size
	out := make([]any, n)
	for i := range out {
		v, err := a.file.Decode(a.Type, a.Raw[i*a.Type.Size:(i+1)*a.Type.Size])
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		out[i] = v
	}
	return out, nil
}

// datatype reads a datatype message, or the one that it refers to.
func (f *File) datatype(m message) (*Type, error) {
	m, at, err := f.resolve(m, "datatype", 0)
	if err != nil {
		return nil, err
	}
	c := f.body(m, "datatype")
	t := parseType(&c, 0)
	if c.err != nil {
		return nil, c.err
	}
	t.Committed = at
	return t, nil
}

// space reads a dataspace message, or the one that it refers to.
func (f *File) space(m message) (Space, error) {
	m, _, err := f.resolve(m, "dataspace", 0)
	if err != nil {
		return Space{}, err
	}
	c := f.body(m, "dataspace")
	s := parseSpace(&c)
	return s, c.err
}
