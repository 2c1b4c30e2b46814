package tile

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/zstddec"
	"github.com/omnizarr/zarr/nd"
)

// Decode fills dst, of shape (samples, rows, width), with the rows of a tile from
// the one called first on.
//
// Tiles may end before their last row does, as the last strip of an image. Of
// such data, the rows that are there are kept and the others are zero. A row that
// ends in its middle is an error, and so is no data at all; a tile of more than 32
// MiB has to be there as a whole.
//
// want is how many rows must be there, -1 if it is not known; what stands behind
// them is not looked at. Without rows that must be there, no data is a tile of
// zeros. A JPEG image that is smaller than the tile is its top left in any case,
// and one whose data end early is filled up, as libtiff has it; in rows that must
// be there that is an error. Bytes behind the tile are ignored, except with LZMA,
// whose format is a file of its own. Data that is damaged is an error.
func (l *Layout) Decode(dst nd.View, src []byte, first, want int) error {
	if len(dst.Shape) != 3 {
		return fmt.Errorf("a tile has 3 axes, the memory for it %d", len(dst.Shape))
	}
	return l.DecodeBox(dst, src, nd.Box{Start: []int{0, first, 0}, Shape: []int{l.Samples, dst.Shape[1], l.Width}}, want)
}

// large is the size of tiles from which on it matters that they are not there.
const large = 32 << 20

// DecodeBox is Decode for a box of the samples, rows and columns. Rows behind it
// are not decoded, and not missed.
func (l *Layout) DecodeBox(dst nd.View, src []byte, box nd.Box, want int) error {
	g, err := l.measure()
	if err == nil {
		err = l.Supported()
	}
	if err != nil {
		return err
	}
	if err := box.Check([]int{l.Samples, l.Height, l.Width}); err != nil {
		return err
	}
	if !slices.Equal(dst.Shape, box.Shape) || dst.Size != g.size {
		return fmt.Errorf("memory of shape %v with elements of %d bytes for %v of %d", dst.Shape, dst.Size, box.Shape, g.size)
	}
	if slices.Contains(box.Shape, 0) {
		return nil
	}
	if len(src) == 0 {
		if err := l.nothing(&g, want); err != nil {
			return err
		}
		zero(dst)
		return nil
	}
	if l.Compression == JPEG {
		if err := l.possible(&g, src, -1); err != nil {
			return err
		}
		return l.decodeJPEG(dst, src, box, want)
	}
	if l.Backwards {
		hold := buf.Get(len(src))
		defer hold.Free()
		hold.B = append(hold.B, src...)
		reverseBits(hold.B)
		src = hold.B
	}
	d := decoders.Get().(*decoder)
	defer d.free()
	d.l, d.geometry, d.dst, d.box, d.want = l, g, dst, box, min(want, l.Height)
	return d.decode(src)
}

// reverseBits reverses the bits of every byte.
func reverseBits(b []byte) {
	for len(b) >= 8 {
		binary.BigEndian.PutUint64(b, bits.ReverseBytes64(bits.Reverse64(binary.BigEndian.Uint64(b))))
		b = b[8:]
	}
	for i := range b {
		b[i] = bits.Reverse8(b[i])
	}
}

// nothing reports data of no bytes, unless no row must be there.
func (l *Layout) nothing(g *geometry, want int) error {
	if want == 0 {
		return nil
	}
	return codec.Bad("%s: empty: tile of %d bytes, %d rows of %d, but 0 bytes of data", names[l.Compression], g.total, g.planes*l.Height, g.row)
}

// decode decompresses what the box needs and hands it on row by row.
func (d *decoder) decode(src []byte) error {
	end := d.box.Start[1] + d.box.Shape[1]
	lastPlane := 0
	if d.planes > 1 {
		lastPlane = d.box.Start[0] + d.box.Shape[0] - 1
	}
	need := (lastPlane*d.l.Height + end) * d.row
	// must is where the last row ends that has to be there.
	must := -1
	if d.want >= 0 {
		must = (lastPlane*d.l.Height + min(d.want, end)) * d.row
	}
	if err := d.l.possible(&d.geometry, src, must); err != nil {
		return err
	}
	data, err := d.unpack(src, need, must)
	if err != nil {
		return err
	}
	n := min(len(data), need)
	if n < must {
		return codec.Bad("%s: short: %d of %d bytes, %d rows, at least %d bytes are needed",
			names[d.l.Compression], n, d.total, n/d.row, must)
	}
	if n < need && d.want < 0 {
		if n == 0 {
			return d.l.nothing(&d.geometry, d.want)
		}
		if part := n % d.row; part != 0 {
			return codec.Bad("%s: short: row %d ends after %d of %d bytes", names[d.l.Compression], n/d.row, part, d.row)
		}
	}
	d.emit(data[:n], d.l.Compression != None)
	return nil
}

// Probe reports data that is too short for the rows that must be there, or for a
// tile that is very large, whatever it holds. Who asks before reserving memory for
// a tile does so only for one that may be real.
func (l *Layout) Probe(src []byte, want int) error {
	g, err := l.measure()
	if err == nil {
		err = l.Supported()
	}
	if err != nil {
		return err
	}
	switch {
	case want > 0 && l.Compression == JPEG:
		want = -1 // an image may be smaller
	case want > 0:
		want = ((g.planes-1)*l.Height + min(want, l.Height)) * g.row
	}
	return l.possible(&g, src, want)
}

// Scratch is how many bytes decoding a box of a tile takes at most, besides the
// memory of the caller.
func (l *Layout) Scratch(src []byte, box nd.Box) int {
	g, err := l.measure()
	if err != nil || l.Compression == None {
		return 0
	}
	rows := box.Start[1] + box.Shape[1]
	if g.planes > 1 {
		rows += (box.Start[0] + box.Shape[0] - 1) * l.Height
	}
	need := rows * g.row
	if l.Compression == JPEG || whole(l.Compression) {
		need = g.total
	}
	return min(need, most(l.Compression, len(src)))
}

// possible reports that src cannot hold the first must bytes of the tile, or
// where must is below 0, all of it, if it is large.
func (l *Layout) possible(g *geometry, src []byte, must int) error {
	if len(src) == 0 {
		return l.nothing(g, must)
	}
	n := most(l.Compression, len(src))
	if n >= must && (must >= 0 || n >= g.total || g.total <= large) {
		return nil
	}
	return codec.Bad("%s: short: tile of %d bytes, %d rows of %d, but %d bytes of data hold at most %d",
		names[l.Compression], g.total, g.planes*l.Height, g.row, len(src), n)
}

// unpack decompresses at least the first need bytes of the tile, if there are so
// many: into the caller's memory if they can stay there, else into scratch.
func (d *decoder) unpack(src []byte, need, must int) ([]byte, error) {
	if d.l.Compression == None {
		return src, nil
	}
	all := whole(d.l.Compression)
	if all {
		need = d.total
	}
	out, ok := d.inPlace(need)
	room := min(need, most(d.l.Compression, len(src)))
	if d.l.Compression == Zstd || d.l.Compression == OldZstd {
		// Much less than what is possible, and never full with less than is needed.
		n, _ := zstddec.Bound(src)
		room = min(room-1, n) + 1
	}
	switch {
	case ok:
		out = out[:room:room]
	case all && room > large: // it is not known how much will come
	default:
		d.unpacked = buf.Get(room + decodeSlack)
		out = d.unpacked.B[:room]
	}
	var err error
	if all {
		out, err = d.decompressAll(out, src)
	} else {
		var n int
		n, err = d.decompress(out, src)
		out = out[:n]
	}
	if err != nil && !(must >= 0 && len(out) >= must && isNoEnd(err)) {
		name := names[d.l.Compression]
		why := err.Error()
		if n := len(name) + 2; len(why) > n && strings.EqualFold(why[:n], name+": ") {
			why = why[n:]
		}
		return nil, codec.Bad("%s: byte %d of %d, in row %d: %s", name, len(out), d.total, len(out)/d.row, why)
	}
	return out, nil
}

// decodeSlack is room behind the result for decoders that copy whole words.
const decodeSlack = 128

// inPlace gives the memory of the caller if the decompressed bytes belong there
// as they stand, except for predictor and byte order.
func (d *decoder) inPlace(need int) ([]byte, bool) {
	if d.spp > 1 || d.packed() || d.predictor() == 3 {
		return nil, false
	}
	if d.box.Start[0] != 0 || d.box.Start[1] != 0 || d.box.Shape[2] != d.l.Width {
		return nil, false
	}
	mem, ok := d.dst.Contiguous()
	return mem, ok && len(mem) == need
}

// predictor is the predictor that counts.
func (d *decoder) predictor() int {
	if d.l.predicts() {
		return d.l.Predictor
	}
	return 1
}

func zero(v nd.View) {
	var elem [16]byte
	nd.Fill(v, elem[:v.Size])
}
