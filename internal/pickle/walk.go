package pickle

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/omnizarr/zarr/internal/pyjson"
)

// Array is a NumPy array whose elements are Python objects.
type Array struct {
	Type    Type
	Shape   []int
	Fortran bool // elements lie in memory in Fortran order; the items are in C order all the same
	Count   int

	doc   *Doc
	items node
}

// maxRank is how many dimensions NumPy has.
const maxRank = 64

// Array returns the array that the pickle holds; it is an error if it holds
// something else.
func (d *Doc) Array() (Array, error) {
	a := Array{doc: d}
	n := d.nodes[d.root]
	if n.kind != kindArray || n.first < 0 {
		return a, fmt.Errorf("the pickle holds %s, not an array", kindNames[n.kind])
	}
	// (version, shape, type, in Fortran order, items)
	var state [5]int32
	if err := d.few(d.nodes[n.first], state[:]); err != nil {
		return a, err
	}
	shape := d.nodes[state[1]]
	if shape.kind != kindTuple || shape.n > maxRank {
		return a, errors.New("an array without shape")
	}
	a.Count = 1
	err := d.items(shape, func(_ int, item int32) error {
		n := d.nodes[item]
		if n.kind != kindInt || n.n < 0 || n.n > math.MaxInt32 || a.Count > math.MaxInt32 {
			return errors.New("an array with a length that is none")
		}
		a.Shape = append(a.Shape, int(n.n))
		a.Count *= int(n.n)
		return nil
	})
	if err != nil {
		return a, err
	}
	if a.Type, err = d.typeOf(state[2]); err != nil {
		return a, err
	}
	a.Fortran = d.nodes[state[3]].kind == kindTrue
	if a.items = d.nodes[state[4]]; a.items.kind != kindList {
		return a, fmt.Errorf("an array of %s in %s, not of objects", clip([]byte(a.Type.Code)), kindNames[a.items.kind])
	}
	if a.items.n != int64(a.Count) {
		return a, fmt.Errorf("an array of shape %v with %d items", a.Shape, a.items.n)
	}
	return a, nil
}

// Each calls f for the items in C order; value sends an item to a sink.
func (a Array) Each(f func(i int, value func(pyjson.Sink) error) error) error {
	var at int32
	value := func(s pyjson.Sink) error { return a.doc.walk(at, s, 0) }
	return a.doc.items(a.items, func(i int, item int32) error {
		at = item
		return f(i, value)
	})
}

// Value sends the value that the pickle holds to s.
func (d *Doc) Value(s pyjson.Sink) error { return d.walk(d.root, s, 0) }

// walk sends a value to s. A value may be remembered and come many times, or
// inside itself; the depth is bounded here, and the amount by the sink.
func (d *Doc) walk(at int32, s pyjson.Sink, depth int) error {
	n := &d.nodes[at]
	switch n.kind {
	case kindNone:
		return s.Null()
	case kindFalse, kindTrue:
		return s.Bool(n.kind == kindTrue)
	case kindInt:
		return s.Number(strconv.AppendInt(d.scratch[:0], n.n, 10))
	case kindLong:
		return s.Number(d.long(*n))
	case kindFloat:
		return s.Float(math.Float64frombits(uint64(n.n)))
	case kindText, kindMade:
		return s.Text(d.bytes(*n))
	case kindBytes:
		return s.Bytes(d.bytes(*n))
	case kindList, kindTuple, kindDict:
		return d.container(*n, s, depth+1)
	}
	return fmt.Errorf("%s inside a value", kindNames[n.kind])
}

func (d *Doc) container(n node, s pyjson.Sink, depth int) error {
	if depth > pyjson.MaxDepth {
		return pyjson.ErrDepth
	}
	var err error
	if n.kind == kindDict {
		err = s.Map()
	} else {
		err = s.List()
	}
	if err != nil {
		return err
	}
	for c := n.first; c >= 0; c = d.cells[c].next {
		if err := d.walk(d.cells[c].node, s, depth); err != nil {
			return err
		}
	}
	return s.End()
}

// long spells an integer out that has any number of bytes.
func (d *Doc) long(n node) []byte {
	if n.last == 0 { // spelled out already
		return d.made[n.off : int64(n.off)+n.n]
	}
	b := d.data[n.off : int64(n.off)+n.n]
	be := make([]byte, len(b))
	for i, c := range b {
		be[len(b)-1-i] = c
	}
	v := new(big.Int).SetBytes(be)
	if len(be) > 0 && be[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(be))))
	}
	return v.Append(nil, 10)
}
