package tag_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

func TestNames(t *testing.T) {
	for id, want := range map[tag.ID]string{256: "ImageWidth", 262: "PhotometricInterpretation", 65000: "65000"} {
		if id.String() != want {
			t.Errorf("%d is called %v", uint16(id), id)
		}
	}
}

// swapped gives a field as a file with the other byte order has it.
func swapped(f tag.Field, size int) tag.Field {
	f.Raw, f.Big = slices.Clone(f.Raw), !f.Big
	for i := 0; i+size <= len(f.Raw); i += size {
		slices.Reverse(f.Raw[i : i+size])
	}
	return f
}

func TestValuesInBothByteOrders(t *testing.T) {
	for _, c := range []struct {
		f    tag.Field
		size int
		want []float64
	}{
		{tag.Shorts(1, 0, 7, 65535), 2, []float64{0, 7, 65535}},
		{tag.Longs(1, 1<<31), 4, []float64{1 << 31}},
		{tag.Long8s(1, 1<<40), 8, []float64{1 << 40}},
		{tag.Rationals(1, 3, 4, 1, 0), 4, []float64{0.75, math.Inf(1)}},
		{tag.Doubles(1, -1.5), 8, []float64{-1.5}},
		{tag.Field{Type: tag.SRational, Raw: []byte{255, 255, 255, 255, 2, 0, 0, 0}}, 4, []float64{-0.5}},
		{tag.Field{Type: tag.SShort, Raw: []byte{254, 255}}, 2, []float64{-2}},
		{tag.Field{Type: tag.Float, Raw: binary.LittleEndian.AppendUint32(nil, math.Float32bits(2.5))}, 4, []float64{2.5}},
		{tag.Field{Type: tag.Byte, Raw: []byte{9}}, 1, []float64{9}},
		{tag.Field{Type: 99, Raw: []byte{9}}, 1, nil},
	} {
		for _, f := range []tag.Field{c.f, swapped(c.f, c.size)} {
			if got, err := f.Floats(); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, %v", f, got, err)
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	if v, err := tag.Longs(tag.TileOffsets, 5, 1<<31).Uints(); err != nil || !slices.Equal(v, []uint64{5, 1 << 31}) {
		t.Error(v, err)
	}
	if v, err := (tag.Field{Type: tag.SLong, Raw: []byte{7, 0, 0, 0}}).Uint(0); err != nil || v != 7 {
		t.Error(v, err)
	}
	for want, f := range map[string]tag.Field{
		"tag 256 (ImageWidth) is negative":                             {ID: 256, Type: tag.SShort, Raw: []byte{0, 128}},
		"tag 256 (ImageWidth) has type 2, an integer is needed":        tag.Text(256, "x"),
		"tag 256 (ImageWidth) has 0 values, value 0 is needed":         {ID: 256, Type: tag.Long, Raw: []byte{1}},
		"tag 256 (ImageWidth) has type 12, an integer is needed":       tag.Doubles(256, 1),
		"tag 65000 (65000) has 0 values, value 0 is needed":            {ID: 65000, Type: 77, Raw: []byte{1}},
		"tag 324 (TileOffsets) has type 11, an integer is needed":      {ID: 324, Type: tag.Float, Raw: make([]byte, 4)},
		"tag 325 (TileByteCounts) has type 5, an integer is needed":    tag.Rationals(325, 1, 2),
		"tag 273 (StripOffsets) has type 10, an integer is needed":     {ID: 273, Type: tag.SRational, Raw: make([]byte, 8)},
		"tag 279 (StripByteCounts) is negative":                        {ID: 279, Type: tag.SLong8, Raw: slices.Repeat([]byte{255}, 8)},
		"tag 258 (BitsPerSample) has type 12, an integer is needed":    tag.Doubles(258, 1, 2),
		"tag 277 (SamplesPerPixel) has 0 values, value 0 is needed":    tag.Shorts(277),
		"tag 262 (PhotometricInterpretation) is negative":              {ID: 262, Type: tag.SByte, Raw: []byte{200}},
		"tag 284 (PlanarConfiguration) has type 2, an integer is need": tag.Text(284, ""),
	} {
		if _, err := f.Uint(0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func Example() {
	f := tag.Text(tag.Software, "Omnizarr")
	w := tag.Longs(tag.ImageWidth, 640)
	n, _ := w.Uint(0)
	fmt.Println(f.ID, f.Text(), w.ID, n)
	// Output: Software Omnizarr ImageWidth 640
}
