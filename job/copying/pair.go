package copying

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Pair is an array and its copy, which is made already.
type Pair struct {
	Path     string // of both in their hierarchies, for people and for records
	From, To *zarr.Array
	// Cut is what of the array is copied, by its axes; nil is all of it.
	Cut []zarr.Positions
	// Begun says that the copy may hold chunks that an earlier run has stored.
	Begun bool
}

// AsBytes reports whether the chunks of the copy are the bytes of the source's, so
// that nothing need be decoded: the grid, the type, the fill value and the codecs are
// the same, in whatever formats they are written down.
func (p Pair) AsBytes() bool {
	from, to := p.From.Metadata(), p.To.Metadata()
	if p.Cut != nil || !slices.Equal(from.Shape, to.Shape) || !dtype.Equal(from.DataType, to.DataType) || !p.sameFill() {
		return false
	}
	if _, err := p.From.Codec(); err != nil {
		return false
	}
	x, err := from.Grid.MarshalJSON()
	y, toErr := to.Grid.MarshalJSON()
	if err != nil || toErr != nil || !bytes.Equal(x, y) {
		return false
	}
	if _, err := p.To.Codec(); err == nil && sameCodecs(from.Codecs, to.Codecs) {
		return true // nothing need be parsed to see it
	}
	was, ok := chainOf(p.From, from)
	is, same := chainOf(p.To, to)
	// A frame of zstd says itself whether it has a checksum: that the document of the copy
	// asks for none, as those of Zarr v2 do, is no reason to take it away.
	unasked := bytes.ReplaceAll(was, []byte(`"checksum":true`), []byte(`"checksum":false`))
	return ok && same && (bytes.Equal(was, is) || bytes.Equal(unasked, is))
}

// sameCodecs reports whether two lists of codecs say the same, apart from spaces.
func sameCodecs(from, to []meta.Extension) bool {
	x, err := json.Marshal(from)
	y, toErr := json.Marshal(to)
	return err == nil && toErr == nil && bytes.Equal(x, y)
}

// chainOf is the codecs list of an array with everything written down.
func chainOf(a *zarr.Array, m *meta.Array) ([]byte, bool) {
	chain, err := job.Completed(a, m.Codecs)
	if err != nil {
		return nil, false
	}
	text, err := chain.MarshalJSON()
	return text, err == nil
}

// sameFill reports whether what is not stored has the same value in the copy. Where
// it has not, in a format that has nothing but zero, all blocks must be written.
func (p Pair) sameFill() bool {
	from, to := p.From.DataType(), p.To.DataType()
	if len(from.Refs()) > 0 || dtype.Equal(from, to) {
		return job.SameFill(p.From, p.To)
	}
	fill := nd.Make(to.Size(), 1)
	err := Convert(to, fill, from, nd.Of(p.From.FillValue(), from.Size(), 1))
	return err == nil && bytes.Equal(fill.Data, p.To.FillValue())
}

// allStored reports whether all chunks of the copy must be stored, also those that the
// source leaves out: those of a copy that has no fill value have no elements otherwise.
func (p Pair) allStored() bool { return p.To.Metadata().NoFill && !p.From.Metadata().NoFill }

// Losses says what precision the copy loses by its codecs, nil if nothing: those of a
// copy that is made of the source's bytes lose no more than they did.
func (p Pair) Losses() []string {
	b, err := p.To.Codec()
	if err != nil || p.AsBytes() {
		return nil
	}
	return b.Lossy()
}

// selection is the box of the copy in the source.
func (p Pair) selection(box nd.Box) zarr.Selection {
	if p.Cut == nil {
		return zarr.Box(box.Start, box.Shape)
	}
	axes := make([]zarr.Axis, len(p.Cut))
	for i, at := range p.Cut {
		if at.Along < 0 {
			axes[i] = zarr.At(at.At(0))
			continue
		}
		list := make([]int, box.Shape[at.Along])
		for k := range list {
			list[k] = at.At(box.Start[at.Along] + k)
		}
		axes[i] = zarr.List(list...) // which knows even ones
	}
	return zarr.Select(axes...)
}

// axes is what blocks are chosen by: the lengths of the chunks of the copy, and those
// of the parts of the source that are decoded by themselves.
func (p Pair) axes() []axis {
	to := p.To.Metadata()
	out := make([]axis, len(to.Shape))
	unit := grid.Longest(to.Grid)
	for i, n := range to.Shape {
		out[i] = axis{n: n, dst: max(unit[i], 1), src: 1}
	}
	from := p.From.Metadata()
	parts := grid.Longest(from.Grid)
	skewed := from.Grid.Uniform() == nil
	if b, err := p.From.Codec(); err == nil && !skewed {
		parts = b.InnerShape()
	}
	for i, part := range parts {
		along, start, step := i, 0, 1
		if p.Cut != nil {
			along = p.Cut[i].Along
			var even bool
			if start, step, even = p.Cut[i].Even(); !even {
				start, step = 1, 1
			}
		}
		if along < 0 {
			continue
		}
		step = max(step, -step, 1)
		out[along].src = max(part/step, 1)
		out[along].skew = skewed || step > 1 && part%step != 0 || start%max(part, 1) != 0
	}
	return out
}
