package hdf5

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestLargeIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bits := 65 + r.IntN(200)
		typ := &Type{Class: Integer, Precision: bits, Offset: r.IntN(30), Signed: r.IntN(2) == 0, Order: []Order{LittleEndian, BigEndian}[r.IntN(2)]}
		typ.Size = (typ.Offset+bits+7)/8 + r.IntN(3)
		raw := make([]byte, typ.Size)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		want := new(big.Int)
		b := typ.ordered(raw)
		for i := typ.Offset + bits - 1; i >= typ.Offset; i-- {
			want.Lsh(want, 1).Or(want, big.NewInt(int64(b[i/8]>>(i%8)&1)))
		}
		if typ.Signed && want.Bit(bits-1) == 1 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
		}
		if got := typ.integer(raw); got.(*big.Int).Cmp(want) != 0 {
			t.Fatalf("%+v of %x is %v, want %v", typ, raw, got, want)
		}
	}
}

// An element of 8 KiB took 50 ms, and one of a megabyte hours.
func TestLargeIntegersAreReadAtOnce(t *testing.T) {
	typ := &Type{Class: Integer, Precision: 1<<16 - 1, Size: 1 << 13}
	raw := make([]byte, typ.Size)
	if n := testing.AllocsPerRun(1, func() { typ.integer(raw) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
	c := &cursor{what: "datatype", b: []byte("\x12\x00\x00\x00\x00\x00\x10\x00\x40\x00"), o: 8, l: 8}
	if parseType(c, 0); c.err == nil || !strings.Contains(c.err.Error(), "times of 1048576 bytes") {
		t.Error(c.err)
	}
}

// A selection that cannot be read is none, rather than one with strides of nothing.
func TestBrokenSelectionsAreNone(t *testing.T) {
	c := &cursor{what: "selection", b: []byte("\x02\x00\x00\x00\x03\x00\x00\x00\x01\x02\x02\x00\x00\x00\x01\x00\x01bc\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x02\x00\x02\x00\x01\x00\x01\x00\x02\x00"), o: 8, l: 8}
	s := parseSelection(c)
	if axes, ok := s.axes([]uint64{5, 7}); c.err == nil || ok {
		t.Errorf("%+v, %v, %v", s, axes, c.err)
	}
}
