package hdf5

import (
	"fmt"
	"sync"
)

// Dataset is an array of elements, or a single one.
type Dataset struct {
	*Object
	Type      *Type
	Space     Space
	Layout    Layout
	Filters   []Filter
	Fill      Fill
	Externals []ExternalFile
	Mappings  []Mapping // of a virtual dataset

	mu    sync.Mutex
	index chunkIndex
}

// Dataset reads what the header of a dataset says.
func (o *Object) Dataset() (*Dataset, error) {
	left := maxBlocks
	return o.dataset(&left)
}

// dataset reads it. Left is how many sources of virtual datasets may be opened
// on the way.
func (o *Object) dataset(left *int) (*Dataset, error) {
	if o.Kind != KindDataset {
		return nil, wrong("object header", o.header.at, "the object is no dataset")
	}
	f := o.file
	d := &Dataset{Object: o, Fill: Fill{Defined: true}}
	layout, fill := false, false
	for _, m := range o.header.messages {
		var err error
		switch m.kind {
		case msgSpace:
			d.Space, err = f.space(m)
		case msgType:
			d.Type, err = f.datatype(m)
		case msgLayout:
			layout = true
			c := f.body(m, "layout")
			d.Layout = parseLayout(&c)
			err = c.err
		case msgFilters:
			if m, _, err = f.resolve(m, "filter pipeline", 0); err == nil {
				c := f.body(m, "filter pipeline")
				d.Filters = parseFilters(&c)
				err = c.err
			}
		case msgFill, msgOldFill:
			if m.kind == msgOldFill && fill { // the newer one counts
				continue
			}
			fill = fill || m.kind == msgFill
			if m, _, err = f.resolve(m, "fill value", 0); err == nil {
				c := f.body(m, "fill value")
				d.Fill = parseFill(&c, m.kind)
				err = c.err
			}
		case msgExternal:
			d.Externals, err = f.externals(m)
		}
		if err != nil {
			return nil, err
		}
	}
	if !layout {
		return nil, wrong("object header", o.header.at, "a dataset without a layout message")
	}
	if err := d.check(left); err != nil {
		return nil, err
	}
	return d, nil
}

// check compares what the messages say of each other.
func (d *Dataset) check(left *int) error {
	l := &d.Layout
	fail := func(format string, args ...any) error {
		return wrong("layout", d.Address(), format, args...)
	}
	switch l.Class {
	case Compact:
		if n, err := d.bytes(); err != nil || uint64(len(l.Data)) < n {
			return fail("compact data of %d bytes are too short for the elements", len(l.Data))
		}
	case Chunked:
		if d.Space.Kind != Simple || len(l.Chunk) != len(d.Space.Shape) {
			return fail("the rank of chunks is %d, that of the dataset %d", len(l.Chunk), len(d.Space.Shape))
		}
		if l.element != uint64(d.Type.Size) {
			return fail("chunks have elements of %d bytes, the datatype %d", l.element, d.Type.Size)
		}
	case Virtual:
		var err error
		if d.Mappings, err = d.file.mappings(l.heap, len(d.Space.Shape)); err != nil {
			return err
		}
		d.grow(left)
	}
	return nil
}

// bytes is how many bytes the elements have.
func (d *Dataset) bytes() (uint64, error) {
	n, ok := d.Space.Len()
	size := uint64(d.Type.Size)
	if !ok || n > (1<<63-1)/size {
		return 0, wrong("dataspace", d.Address(), "the shape %d has a size that is too large", d.Space.Shape)
	}
	return n * size, nil
}

// Offset is where in the file a contiguous dataset begins, false if it is not
// stored in one piece in the file.
func (d *Dataset) Offset() (int64, bool) {
	if d.Layout.Class != Contiguous || d.Layout.Address == Undefined || len(d.Externals) > 0 {
		return 0, false
	}
	return d.file.base + int64(d.Layout.Address), true
}

// Chunk is where a chunk lies.
type Chunk struct {
	Offset int64  // in the file, from its first byte
	Size   uint64 // bytes as stored
	Mask   uint32 // a bit for each filter that was left out
}

// Chunk tells where the chunk of an index lies, which counts chunks along each
// axis; false if it is not stored.
func (d *Dataset) Chunk(index []uint64) (Chunk, bool, error) {
	if d.Layout.Class != Chunked || len(index) != len(d.Layout.Chunk) {
		return Chunk{}, false, fmt.Errorf("a chunk of index %d, of a dataset that is not chunked so", index)
	}
	if d.Layout.Address == Undefined {
		return Chunk{}, false, nil
	}
	x, err := d.openIndex()
	if err != nil {
		return Chunk{}, false, err
	}
	d.mu.Lock() // an index keeps nodes
	s, err := x.find(index)
	d.mu.Unlock()
	if err != nil || s.at == Undefined {
		return Chunk{}, false, err
	}
	c, err := d.place(s, index)
	return c, err == nil, err
}

// place makes a chunk of what an index says.
func (d *Dataset) place(s stored, index []uint64) (Chunk, error) {
	if s.at == Undefined {
		return Chunk{}, nil
	}
	if err := d.file.check("chunk", s.at, s.size); err != nil {
		return Chunk{}, err
	}
	c := Chunk{Offset: d.file.base + int64(s.at), Size: s.size, Mask: s.mask}
	if d.Layout.EdgesPlain && len(d.Filters) > 0 && d.cut(index) {
		c.Mask = ^uint32(0)
	}
	return c, nil
}

// cut reports whether the edge of the dataset cuts a chunk off.
func (d *Dataset) cut(index []uint64) bool {
	for i, x := range index {
		if (x+1)*d.Layout.Chunk[i] > d.Space.Shape[i] {
			return true
		}
	}
	return false
}

// Chunks calls do for every stored chunk of the dataset, in the order of its
// index of chunks, until do gives false. The slice is used again.
func (d *Dataset) Chunks(do func(index []uint64, c Chunk) bool) error {
	if d.Layout.Class != Chunked || d.Layout.Address == Undefined {
		return nil
	}
	x, err := d.newIndex() // of its own, since the other may be in use
	if err != nil {
		return err
	}
	return x.each(func(index []uint64, s stored) (bool, error) {
		for i, k := range index {
			if c := d.Layout.Chunk[i]; k > d.Space.Shape[i]/c || k*c >= d.Space.Shape[i] {
				return true, nil // left from when the dataset was larger
			}
		}
		c, err := d.place(s, index)
		return err == nil && do(index, c), err
	})
}

// openIndex opens the index of chunks, once.
func (d *Dataset) openIndex() (chunkIndex, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.index != nil {
		return d.index, nil
	}
	x, err := d.newIndex()
	if err != nil {
		return nil, err
	}
	d.index = x
	return x, nil
}

func (d *Dataset) newIndex() (chunkIndex, error) {
	switch d.Layout.Index {
	case IndexSingle:
		return d.singleIndex()
	case IndexImplicit:
		return d.implicitIndex()
	case IndexFixedArray:
		return d.fixedArray()
	case IndexExtensibleArray:
		return d.extensibleArray()
	case IndexBTree2:
		return d.chunkTree2()
	}
	return &chunkTree1{d: d}, nil
}

// Check is an error unless the elements of a contiguous dataset lie in the file,
// and gives how many bytes they have.
func (d *Dataset) Check() (uint64, error) {
	n, err := d.bytes()
	if _, ok := d.Offset(); err == nil && ok {
		err = d.file.check("layout: contiguous data", d.Layout.Address, n)
	}
	return n, err
}
