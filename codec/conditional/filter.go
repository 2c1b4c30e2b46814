package conditional

import "github.com/omnizarr/zarr/codec"

// BindBytes fits the codec to chunks.
func (c Codec) BindBytes(in codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	f := &filter{codec: c, filters: make([]codec.BytesFilter, len(c.Codecs)), sizes: []codec.Size{size}, header: c.HeaderBits / 8}
	for i, k := range c.Codecs {
		bound, err := k.BindBytes(in, size)
		if err != nil {
			return nil, &codec.Error{Codec: k.Name(), Err: err}
		}
		f.filters[i] = bound
		// The next one gets what comes out, or what came in.
		size = either(size, bound.Size())
		f.sizes = append(f.sizes, size)
	}
	return f, nil
}

// either is what is known of a number of bytes that is one or the other.
func either(a, b codec.Size) codec.Size {
	if !a.Known || !b.Known {
		return codec.Size{}
	}
	return codec.Size{N: max(a.N, b.N), Exact: a.Exact && b.Exact && a.N == b.N, Known: true}
}

// filter is the bound codec.
type filter struct {
	codec   Codec
	filters []codec.BytesFilter
	sizes   []codec.Size // of what reaches each of filters, and of what leaves the last
	header  int          // bytes
}

// Size is that of the bytes, with any of the codecs, and of the header.
func (f *filter) Size() codec.Size {
	size := f.sizes[len(f.filters)]
	size.N += f.header
	return size
}

// Encode appends the header and what the codecs that are chosen make of src.
func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	e := encoder{f: f, ck: ck, mask: make([]byte, f.header), data: src}
	defer e.free()
	choose := e.shrink
	if f.codec.Rule != nil {
		choose = e.ask
	}
	if err := choose(); err != nil {
		return nil, err
	}
	return append(append(dst, e.mask...), e.data...), nil
}

// encoder is one Encode under way.
type encoder struct {
	f    *filter
	ck   *codec.Chunk
	mask []byte
	data []byte        // what there is so far
	hold *codec.Buffer // in which data lies; nil if it is the caller's
}

func (e *encoder) free() { e.hold.Free() }

// apply gives what codec i makes of data.
func (e *encoder) apply(i int, data []byte) (*codec.Buffer, error) {
	out, err := e.ck.Lend(len(data))
	if err != nil {
		return nil, err
	}
	out.B, err = e.f.filters[i].Encode(e.ck, out.B, data)
	if err != nil {
		out.Free()
		return nil, e.f.name(i, err)
	}
	return out, nil
}

// take goes on with what was made of data.
func (e *encoder) take(out *codec.Buffer) {
	e.hold.Free()
	e.hold, e.data = out, out.B
}

func (e *encoder) set(i int) { e.mask[i/8] |= 1 << (i % 8) }

// ask applies the codecs that the rule wants.
func (e *encoder) ask() error {
	for i, k := range e.f.codec.Codecs {
		var tried *codec.Buffer
		q := Question{Index: i, Codec: k, Data: e.data, Trial: func() ([]byte, error) {
			if tried == nil {
				var err error
				if tried, err = e.apply(i, e.data); err != nil {
					return nil, err
				}
			}
			return tried.B, nil
		}}
		if e.ck != nil {
			q.Chunk = e.ck.Index
		}
		wanted, err := e.f.codec.Rule(q)
		if wanted && err == nil {
			_, err = q.Trial()
		}
		if err != nil {
			tried.Free()
			return err
		}
		if !wanted {
			tried.Free()
			continue
		}
		e.set(i)
		e.take(tried)
	}
	return nil
}

// shrink applies the codecs that make data smaller, and those before them that
// leave it as large.
func (e *encoder) shrink() error {
	last := encoder{f: e.f, ck: e.ck, data: e.data} // with codecs that may turn out to be useless
	defer func() { last.free() }()
	var pending []int
	for i := range e.f.filters {
		out, err := last.apply(i, last.data)
		if err != nil {
			return err
		}
		switch was := len(last.data); {
		case len(out.B) > was:
			out.Free()
			continue
		case len(out.B) == was:
			pending = append(pending, i)
			last.take(out)
			continue
		}
		for _, k := range append(pending, i) {
			e.set(k)
		}
		pending = pending[:0]
		last.hold.Free()
		last.hold, last.data = nil, out.B
		e.take(out)
	}
	return nil
}

// Decode undoes the codecs that the header names.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) < f.header {
		return nil, codec.Bad("%d bytes are too few for a header of %d", len(src), f.header)
	}
	mask, data := src[:f.header], src[f.header:]
	applied, err := f.applied(mask)
	if err != nil {
		return nil, err
	}
	var hold *codec.Buffer
	defer func() { hold.Free() }()
	for n := len(applied) - 1; n >= 0; n-- {
		i := applied[n]
		if n == 0 {
			out, err := f.filters[i].Decode(ck, dst, data, limit)
			return out, f.name(i, err)
		}
		// What is not known is bounded by what a chunk may be, and that is never less
		// than what is wanted in the end.
		most := ck.Room(f.sizes[i])
		if !f.sizes[i].Known {
			most = max(most, limit)
		}
		next, err := ck.Lend(min(most, 4*len(data)))
		if err != nil {
			return nil, err
		}
		next.B, err = f.filters[i].Decode(ck, next.B, data, most)
		if err != nil {
			next.Free()
			return nil, f.name(i, err)
		}
		hold.Free()
		hold, data = next, next.B
	}
	if len(data) > limit {
		return nil, ck.Over(len(data), limit)
	}
	return append(dst, data...), nil
}

// applied lists the codecs whose bits are set.
func (f *filter) applied(mask []byte) ([]int, error) {
	var out []int
	for i := range 8 * len(mask) {
		if mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if i >= len(f.filters) {
			return nil, codec.Bad("bit %d of the header is set, but there are %d codecs", i, len(f.filters))
		}
		out = append(out, i)
	}
	return out, nil
}

// name says in which codec of the list an error arose.
func (f *filter) name(i int, err error) error {
	if err == nil {
		return nil
	}
	return &codec.Error{Codec: f.codec.Codecs[i].Name(), Err: err}
}
