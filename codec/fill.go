package codec

import (
	"bytes"

	"github.com/omnizarr/zarr/nd"
)

// FillView sets every element of v to the fill value.
func (s Spec) FillView(v nd.View) {
	fill := s.Fill
	if refs := s.Type.Refs(); len(refs) > 0 && v.Heap != s.Heap {
		own := nd.Of(bytes.Clone(fill), len(fill), 1)
		nd.Rebase(own, refs, v.Heap.Import(s.Heap))
		fill = own.Data
	}
	nd.Fill(v, fill)
}

// IsFill reports whether every element of v is the fill value, bit by bit.
func (s Spec) IsFill(v nd.View) bool {
	refs := s.Type.Refs()
	if len(refs) == 0 {
		return nd.IsFill(v, s.Fill)
	}
	values, fills := v.Heap.Blobs(), s.Heap.Blobs()
	same := true
	v.Each(func(elem []byte) {
		same = same && s.equalsFill(elem, refs, values, fills)
	})
	return same
}

// equalsFill compares what references stand for, and the bytes between them.
func (s Spec) equalsFill(elem []byte, refs []int, values, fills nd.Blobs) bool {
	from := 0
	for _, o := range refs {
		if !bytes.Equal(elem[from:o], s.Fill[from:o]) || !bytes.Equal(values.Value(elem[o:]), fills.Value(s.Fill[o:])) {
			return false
		}
		from = o + nd.RefSize
	}
	return bytes.Equal(elem[from:], s.Fill[from:])
}
