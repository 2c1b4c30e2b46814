package codec

import (
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

// Chain is a parsed codecs list.
type Chain struct {
	arrays     []ArrayToArray
	serializer ArrayToBytes
	bytes      []BytesToBytes
}

// Codecs lists the codecs in order.
func (c *Chain) Codecs() []Codec {
	var out []Codec
	for _, k := range c.arrays {
		out = append(out, k)
	}
	out = append(out, c.serializer)
	for _, k := range c.bytes {
		out = append(out, k)
	}
	return out
}

// MarshalJSON gives the codecs list for metadata.
func (c *Chain) MarshalJSON() ([]byte, error) {
	// Not by json.Marshal, which would look at all of it once for each level that chains
	// are nested in.
	out := []byte{'['}
	for i, k := range c.Codecs() {
		if i > 0 {
			out = append(out, ',')
		}
		if k == nil { // of a chain without a serializer
			out = append(out, "null"...)
			continue
		}
		text, err := k.MarshalJSON()
		if err != nil {
			return nil, wrap(k.Name(), err)
		}
		out = append(out, text...)
	}
	return append(out, ']'), nil
}

// ToBytes is the chain without the codecs behind the one that turns arrays into
// bytes.
func (c *Chain) ToBytes() *Chain { return &Chain{arrays: c.arrays, serializer: c.serializer} }

// Completer is a codec whose configuration may leave something to what flows in,
// such as the size of elements.
type Completer interface {
	// Complete gives the codec with all of it written down, as other readers
	// want it.
	Complete(in Spec) (Codec, error)
}

// Complete gives the chain with all configurations written down that depend on
// the chunks that will flow through it.
func (c *Chain) Complete(in Spec) (*Chain, error) {
	out := &Chain{}
	for _, k := range c.Codecs() {
		array, isArray := k.(ArrayToArray)
		if s, ok := k.(Completer); ok {
			settled, err := s.Complete(in)
			if err != nil {
				return nil, wrap(k.Name(), err)
			}
			k = settled
		}
		if isArray && out.serializer == nil && len(out.arrays) < len(c.arrays) {
			f, err := array.BindArray(in)
			if err != nil {
				return nil, wrap(k.Name(), err)
			}
			in = f.Out()
		}
		if err := out.add(k); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Bind fits the chain to the chunks that will flow through it.
func (c *Chain) Bind(in Spec) (*Bound, error) {
	b := &Bound{in: in, name: c.serializer.Name()}
	for _, k := range c.arrays {
		f, err := k.BindArray(in)
		if err != nil {
			return nil, wrap(k.Name(), err)
		}
		_, moves := f.(Mover)
		_, computes := f.(Transform)
		if moves == computes {
			return nil, fmt.Errorf("codec %s must either move or compute elements", k.Name())
		}
		b.arrays = append(b.arrays, f)
		b.arrayNames = append(b.arrayNames, k.Name())
		b.addLossy(k.Name(), f)
		in = f.Out()
	}
	b.mid = in
	s, err := c.serializer.BindSerializer(in)
	if err != nil {
		return nil, wrap(b.name, err)
	}
	b.serializer = s
	b.placer, _ = s.(Placer)
	b.parts, _ = s.(PartReader)
	b.traits = traitsOf(s)
	b.addLossy(b.name, s)
	b.ranges, b.cuts = true, true
	size := s.Size()
	b.sizes = append(b.sizes, size)
	for _, k := range c.bytes {
		f, err := k.BindBytes(in, size)
		if err != nil {
			return nil, wrap(k.Name(), err)
		}
		b.bytes = append(b.bytes, f)
		b.addLossy(k.Name(), f)
		_, ranges := f.(Ranger)
		_, slices := f.(Slicer)
		b.ranges = b.ranges && ranges
		b.cuts = b.cuts && ranges && slices
		b.byteNames = append(b.byteNames, k.Name())
		size = f.Size()
		if size.Known && size.N < 0 {
			return nil, wrap(k.Name(), fmt.Errorf("a chunk of shape %v has more bytes than can be counted", b.in.Shape))
		}
		b.sizes = append(b.sizes, size)
	}
	if len(b.bytes) > 0 {
		b.first, b.last = traitsOf(b.bytes[0]), traitsOf(b.bytes[len(b.bytes)-1])
	}
	b.blocks = len(b.bytes) == 1 && b.first.Blocks
	return b, nil
}

// Bound is a chain that is ready for chunks of one shape and type. It is itself
// a Serializer.
type Bound struct {
	in, mid    Spec
	arrays     []ArrayFilter
	arrayNames []string
	serializer Serializer
	placer     Placer     // serializer, if it is one
	parts      PartReader // serializer, if it is one
	traits     Traits     // of serializer
	first      Traits     // of the first of bytes
	last       Traits     // of the last of bytes
	name       string
	bytes      []BytesFilter
	byteNames  []string
	sizes      []Size // after the serializer, and after each of bytes
	ranges     bool   // all of bytes are Rangers
	cuts       bool   // all of bytes are Rangers and Slicers: decoding moves nothing
	blocks     bool   // the only one of bytes decodes in blocks
	lossy      []string
}

// Spec is what the chain was bound to.
func (b *Bound) Spec() Spec { return b.in }

// Serializer is the bound array-to-bytes codec.
func (b *Bound) Serializer() Serializer { return b.serializer }

// Size tells how many bytes an encoded chunk has.
func (b *Bound) Size() Size { return b.sizes[len(b.sizes)-1] }

// Ranges reports whether decoding box asks the source for ranges rather than
// for the whole chunk.
func (b *Bound) Ranges(box nd.Box) bool {
	return b.ranges && b.parts != nil && b.parts.Ranges(b.serialized(box))
}

// serialized is the box of what is serialized that a box of the chunk needs.
func (b *Bound) serialized(box nd.Box) nd.Box {
	for _, f := range b.arrays {
		switch f := f.(type) {
		case Mover:
			box = f.Box(box)
		case Transform:
			box = f.Needs(box)
		}
	}
	return box
}

// moved is the chunk as codecs behind a mover see it.
func (ck *Chunk) moved(m Mover) *Chunk {
	if ck.Index == nil && ck.Extent == nil {
		return ck
	}
	out := *ck
	index, shape := ck.Index, ck.Extent
	if shape == nil {
		shape = index
	}
	if index == nil {
		index = shape
	}
	box := m.Box(nd.Box{Start: index, Shape: shape})
	if ck.Index != nil {
		out.Index = box.Start
	}
	if ck.Extent != nil {
		out.Extent = box.Shape
	}
	return &out
}

// computed is the chunk as codecs behind a transform see it: where it lies says
// nothing about what they get.
func (ck *Chunk) computed() *Chunk {
	out := *ck
	out.Index, out.Extent = nil, nil
	return &out
}
