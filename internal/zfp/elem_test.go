package zfp_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/zfp"
)

// Integers of few bits are those of the stream without the bits below.
func TestSmallIntegersAreShiftedUp(t *testing.T) {
	for _, c := range []struct {
		elem zfp.Elem
		mem  []byte
		want []int32
	}{
		{zfp.Elem{Width: 1, Bits: 8}, []byte{0, 1, 0x7f, 0x80, 0xff}, []int32{0, 1 << 23, 127 << 23, -128 << 23, -1 << 23}},
		{zfp.Elem{Width: 1, Bits: 8, Unsigned: true}, []byte{0, 1, 0x7f, 0x80, 0xff}, []int32{-128 << 23, -127 << 23, -1 << 23, 0, 127 << 23}},
		{zfp.Elem{Width: 2, Bits: 16}, []byte{0, 0, 0xff, 0x7f, 0, 0x80}, []int32{0, 32767 << 15, -32768 << 15}},
		{zfp.Elem{Width: 2, Bits: 16, Unsigned: true}, []byte{0, 0, 0xff, 0x7f, 0xff, 0xff}, []int32{-32768 << 15, -1 << 15, 32767 << 15}},
		{zfp.Elem{Width: 1, Bits: 4}, []byte{0, 7, 0xf8}, []int32{0, 7 << 27, -8 << 27}},
		{zfp.Elem{Width: 1, Bits: 2, Unsigned: true}, []byte{0, 1, 2, 3}, []int32{-2 << 29, -1 << 29, 0, 1 << 29}},
		{zfp.Elem{Width: 4, Unsigned: true}, []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f}, []int32{0, 1<<31 - 1}},
	} {
		c.elem.Type = zfp.Int32
		n := len(c.want)
		a := zfp.Array{Elem: c.elem, Data: c.mem, Shape: []int{n}, Strides: []int{c.elem.Width}}
		var wide []byte
		for _, x := range c.want {
			wide = binary.LittleEndian.AppendUint32(wide, uint32(x))
		}
		got, err := zfp.Append(nil, a, zfp.Reversible(), false)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := zfp.Append(nil, array(zfp.Int32, wide, n), zfp.Reversible(), false)
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: %x is encoded differently from %d", c.elem, c.mem, c.want)
		}
		a.Data = make([]byte, len(c.mem))
		if err := (zfp.Stream{Data: got, Shape: a.Shape, Params: zfp.Reversible()}).Decode([]int{0}, a, true); err != nil || !bytes.Equal(a.Data, c.mem) {
			t.Errorf("%+v: %x came back as %x, %v", c.elem, c.mem, a.Data, err)
		}
	}
}

// What a loss makes too large or too small becomes the nearest number that is
// not.
func TestSmallIntegersStayInTheirRange(t *testing.T) {
	wide := []int32{-1<<31 + 1, -1 << 31, 1<<31 - 1, -1}
	var data []byte
	for _, x := range wide {
		data = binary.LittleEndian.AppendUint32(data, uint32(x))
	}
	stream, err := zfp.Append(nil, array(zfp.Int32, data, 4), zfp.Reversible(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		elem zfp.Elem
		want []byte
	}{
		{zfp.Elem{Width: 1, Bits: 8}, []byte{0x80, 0x80, 0x7f, 0xff}},
		{zfp.Elem{Width: 1, Bits: 8, Unsigned: true}, []byte{0, 0, 0xff, 0x7f}},
		{zfp.Elem{Width: 2, Bits: 16}, []byte{0, 0x80, 0, 0x80, 0xff, 0x7f, 0xff, 0xff}},
		{zfp.Elem{Width: 4, Unsigned: true}, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0}},
	} {
		c.elem.Type = zfp.Int32
		a := zfp.Array{Elem: c.elem, Data: make([]byte, len(c.want)), Shape: []int{4}, Strides: []int{c.elem.Width}}
		if err := (zfp.Stream{Data: stream, Shape: a.Shape, Params: zfp.Reversible()}).Decode([]int{0}, a, true); err != nil || !bytes.Equal(a.Data, c.want) {
			t.Errorf("%+v: got %x, %v, want %x", c.elem, a.Data, err, c.want)
		}
	}
}

func TestUnsignedNumbersThatDoNotFitAreRefused(t *testing.T) {
	for typ, want := range map[zfp.Type]string{
		zfp.Int32: "value 4294967295 is too large: zfp holds numbers up to 2147483647",
		zfp.Int64: "value 18446744073709551615 is too large: zfp holds numbers up to 9223372036854775807",
	} {
		a := array(typ, bytes.Repeat([]byte{0xff}, width(typ)), 1)
		a.Elem.Unsigned = true
		if out, err := zfp.Append([]byte("x"), a, zfp.Reversible(), true); err == nil || err.Error() != want || string(out) != "x" {
			t.Errorf("got %q, %v", out, err)
		}
	}
}

// Memory may be strided in any way.
func TestStrides(t *testing.T) {
	const rows, columns = 7, 9
	data := values(zfp.Int64, "walk", rows*columns)
	a := array(zfp.Int64, data, rows, columns)
	want, err := zfp.Append(nil, a, zfp.Reversible(), false)
	if err != nil {
		t.Fatal(err)
	}
	// Fortran order, backwards, with gaps.
	b := a
	b.Data = bytes.Repeat([]byte{0xee}, 3*len(data))
	b.Strides = []int{-20, -20 * rows}
	b.Offset = 20 * (rows*columns - 1)
	stream := zfp.Stream{Data: want, Shape: a.Shape, Params: zfp.Reversible()}
	if err := stream.Decode([]int{0, 0}, b, true); err != nil {
		t.Fatal(err)
	}
	got, err := zfp.Append(nil, b, zfp.Reversible(), false)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoded differently, %v", err)
	}
	if n := bytes.Count(b.Data, []byte{0xee}); n < len(b.Data)-len(data) || !strings.Contains(string(b.Data), strings.Repeat("\xee", 12)) {
		t.Errorf("only %d bytes between the elements are as they were", n)
	}
}
