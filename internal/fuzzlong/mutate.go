package fuzzlong

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
)

// mutator makes inputs of others. It makes the same ones in every run.
type mutator struct {
	r      *rand.Rand
	inputs [][]reflect.Value
	longer int // no text or bytes become longer
}

func newMutator(inputs [][]reflect.Value) *mutator {
	m := &mutator{r: rand.New(rand.NewPCG(1, 2)), inputs: inputs, longer: 64}
	for _, args := range inputs {
		for _, a := range args {
			if b, ok := getBytes(a); ok {
				m.longer = max(m.longer, 2*len(b))
			}
		}
	}
	return m
}

// pick is one of the inputs, rather a small one.
func (m *mutator) pick() []reflect.Value {
	a, b := m.inputs[m.r.IntN(len(m.inputs))], m.inputs[m.r.IntN(len(m.inputs))]
	if size(a) < size(b) {
		return a
	}
	return b
}

func size(args []reflect.Value) int {
	n := 0
	for _, a := range args {
		if k := a.Kind(); k == reflect.String || k == reflect.Slice {
			n += a.Len()
		}
	}
	return n
}

// clone makes arguments that can be set, in memory of their own.
func clone(from []reflect.Value) []reflect.Value {
	args := make([]reflect.Value, len(from))
	for i := range from {
		args[i] = reflect.New(from[i].Type()).Elem()
		args[i].Set(from[i])
		if b, ok := getBytes(from[i]); ok {
			setBytes(args[i], slices.Clone(b))
		}
	}
	return args
}

// next is an input with one to eight changes.
func (m *mutator) next() []reflect.Value {
	from, other := m.pick(), m.pick()
	args := clone(from)
	// Most changes are of what is long; the others change too, where there are any.
	which := m.r.IntN(len(args))
	if m.r.IntN(4) != 0 {
		for i := range args {
			if size(args[i:i+1]) > size(args[which:which+1]) {
				which = i
			}
		}
	}
	for i, a := range args {
		b, isText := getBytes(a)
		switch {
		case isText && i == which:
			o, _ := getBytes(other[i])
			for range 1 << m.r.IntN(4) {
				b = m.change(b, o)
			}
			setBytes(a, b[:min(len(b), m.longer)])
		case !isText && (i == which || m.r.IntN(16) == 0):
			m.changeNumber(a)
		}
	}
	return args
}

// numbers are where sizes and offsets go wrong.
var numbers = []uint64{0, 1, 2, 7, 8, 16, 32, 64, 127, 128, 255, 256, 1024, 4096, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1 << 62, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}

// number is one of them, or near to one.
func (m *mutator) number() uint64 {
	n := numbers[m.r.IntN(len(numbers))]
	if m.r.IntN(4) == 0 {
		n += uint64(m.r.IntN(65)) - 32
	}
	return n
}

func (m *mutator) changeNumber(a reflect.Value) {
	n := m.number()
	if m.r.IntN(2) == 0 {
		n = uint64(m.r.IntN(256))
	}
	switch {
	case a.Kind() == reflect.Bool:
		a.SetBool(n&1 != 0)
	case a.CanInt():
		a.SetInt(int64(n))
	case a.CanUint():
		a.SetUint(n)
	case a.CanFloat():
		a.SetFloat(float64(int64(n)))
	}
}

// change makes one change to bytes, with parts of others.
func (m *mutator) change(b, other []byte) []byte {
	at := m.r.IntN(len(b) + 1)
	part := b[at : at+m.length(len(b)-at)] // of these
	from := m.r.IntN(len(other) + 1)
	other = other[from : from+m.length(len(other)-from)]
	left := b[at:]
	switch kind := m.r.IntN(12); {
	case kind == 0:
		return append(b[:at], b[at+len(part):]...)
	case kind == 1:
		to := m.r.IntN(len(b) + 1)
		return slices.Insert(b, to, slices.Clone(part)...)
	case kind == 2:
		copy(left, other)
	case kind == 3:
		return slices.Insert(b, at, other...)
	case kind == 4:
		return append(b[:at], other...)
	case kind == 5:
		return slices.Insert(b, at, slices.Repeat([]byte{byte(m.r.Uint32())}, 1+m.length(32))...)
	case kind == 6: // a number in text
		end := at
		for end < len(b) && b[end] >= '0' && b[end] <= '9' {
			end++
		}
		return slices.Replace(b, at, end, strconv.AppendInt(nil, int64(m.number()), 10)...)
	case len(left) == 0:
	case kind == 7:
		left[0] ^= 1 << m.r.IntN(8)
	case kind == 8:
		left[0] = byte(m.r.Uint32())
	case kind == 9:
		left[0] += byte(m.r.IntN(33) - 16)
	case len(left) >= 8:
		var n [8]byte
		width := 1 << m.r.IntN(4)
		if v := m.number(); m.r.IntN(2) == 0 {
			binary.LittleEndian.PutUint64(n[:], v)
			copy(left, n[:width])
		} else {
			binary.BigEndian.PutUint64(n[:], v)
			copy(left, n[8-width:])
		}
	}
	return b
}

// length is at most n, and rather short.
func (m *mutator) length(n int) int {
	if n > 16 && m.r.IntN(4) != 0 {
		n = 16
	}
	return m.r.IntN(n + 1)
}
