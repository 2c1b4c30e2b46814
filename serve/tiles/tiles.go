// Package tiles gives rectangles of images as pages draw them: numbers of few types, in
// one order, and pictures; and the statistics that contrast is found by.
package tiles

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/serve/levels"
)

// Tile is a rectangle of an image.
type Tile struct {
	Shape    [3]int // channels, rows, columns
	DataType string
	Data     []byte // little-endian, in C order
	// Exact says that numbers are those of the level, and none is interpolated.
	Exact bool
}

// DataType is what the tiles of an image have: numbers of 8, 16 and 32 bits as they are
// stored, and float32 for all others and for those that are packed or may be missing, which
// is NaN then.
func DataType(img *levels.Image) string {
	t := img.Levels[0].DataType()
	if img.Packed() {
		return "float32"
	}
	switch k, size := t.Kind(), t.Size(); {
	case k == dtype.Bool:
		return "uint8"
	case k == dtype.Int && size <= 4:
		return [...]string{1: "int8", 2: "int16", 4: "int32"}[size]
	case k == dtype.Uint && size <= 4:
		return [...]string{1: "uint8", 2: "uint16", 4: "uint32"}[size]
	}
	return "float32"
}

// same reports whether tiles have elements as they are stored.
func same(img *levels.Image, tile string) bool {
	t := img.Levels[0].DataType()
	return tile != "float32" || t.Name() == "float32" && !img.Packed()
}

// Read reads a tile. With labels, integers become numbers of 32 bits that differ where the
// labels differ: those that have no more bits stay what they are.
func Read(ctx context.Context, img *levels.Image, r levels.Region, labels bool) (*Tile, error) {
	size, err := img.Size(r)
	if err != nil {
		return nil, err
	}
	t := &Tile{DataType: DataType(img), Shape: [3]int{max(len(r.Channels), 1), r.Y[1] - r.Y[0], r.X[1] - r.X[0]}}
	data := make([]byte, size)
	if t.Exact, err = img.Read(ctx, r, data); err != nil {
		return nil, err
	}
	typ := img.Levels[0].DataType()
	switch {
	case labels && (typ.Kind() == dtype.Int || typ.Kind() == dtype.Uint || typ.Kind() == dtype.Bool):
		t.DataType, t.Data = "uint32", labelled(data, typ)
	case same(img, t.DataType):
		t.Data = data
	default:
		t.Data = floats(img, data)
	}
	return t, nil
}

// floats makes float32 of what elements mean, a piece at a time.
func floats(img *levels.Image, elems []byte) []byte {
	size := img.Levels[0].DataType().Size()
	n := len(elems) / size
	out := make([]byte, 4*n)
	var piece [1024]float64
	for from := 0; from < n; from += len(piece) {
		part := piece[:min(len(piece), n-from)]
		img.Floats(part, elems[from*size:])
		for i, v := range part {
			binary.LittleEndian.PutUint32(out[4*(from+i):], math.Float32bits(float32(v)))
		}
	}
	return out
}

// labelled makes labels of 32 bits.
func labelled(elems []byte, t dtype.Type) []byte {
	size := t.Size()
	if size == 4 {
		return elems
	}
	out := make([]byte, len(elems)/size*4)
	for i := 0; i*size < len(elems); i++ {
		var v uint64
		for k, b := range elems[i*size : i*size+size] {
			v |= uint64(b) << (8 * k)
		}
		binary.LittleEndian.PutUint32(out[4*i:], short(v))
	}
	return out
}

// short is a label of 32 bits for one of 64: the same where it is small, else all bits
// mixed, never 0.
func short(v uint64) uint32 {
	if v>>32 == 0 {
		return uint32(v)
	}
	v ^= v >> 33
	v *= 0xff51afd7ed558ccd
	v ^= v >> 33
	v *= 0xc4ceb9fe1a85ec53
	v ^= v >> 33
	return max(uint32(v>>32), 1)
}
