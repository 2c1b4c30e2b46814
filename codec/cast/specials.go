package cast

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/dtype"
)

// specials is one direction of a scalar_map: from widened elements to the bits
// of the target's. An entry for "NaN" stands apart from those of single bits.
type specials struct {
	floats   bool
	keys     []uint64
	outs     []uint64
	nan      bool // there is an entry for every NaN
	nanOut   uint64
	position map[uint64]int // in keys, if there are many
}

// fewKeys is up to how many keys are compared one by one.
const fewKeys = 8

// newSpecials reads the entries; nil stands for none.
func newSpecials(from, to dtype.Type, pairs []Pair) (*specials, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	s := &specials{floats: from.Kind() == dtype.Float, position: map[uint64]int{}}
	load := loader(from)
	for i, p := range pairs {
		in, err := scalar(from, p.In)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		elem, err := scalar(to, p.Out)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		var key [1]uint64
		load(key[:], in)
		out := number(elem)
		if string(p.In) == `"NaN"` {
			if !s.nan {
				s.nan, s.nanOut = true, out
			}
			continue
		}
		k := s.key(key[0])
		if _, again := s.position[k]; !again { // the first one counts
			s.position[k] = len(s.keys)
			s.keys, s.outs = append(s.keys, k), append(s.outs, out)
		}
	}
	return s, nil
}

// scalar reads a value as its type spells fill values.
func scalar(t dtype.Type, raw json.RawMessage) ([]byte, error) {
	if string(raw) == `"+Infinity"` {
		raw = json.RawMessage(`"Infinity"`)
	}
	return t.ParseFill(raw, nil)
}

// key is what equal numbers have in common.
func (s *specials) key(x uint64) uint64 {
	if s.floats && x == 1<<63 { // -0
		return 0
	}
	return x
}

// next finds the first element that has an entry, and what it becomes. Without
// one it returns the length of block.
func (s *specials) next(block []uint64) (at int, out uint64) {
	for i, x := range block {
		k := s.find(s.key(x))
		if k >= 0 {
			return i, s.outs[k]
		}
		if s.nan && math.IsNaN(math.Float64frombits(x)) {
			return i, s.nanOut
		}
	}
	return len(block), 0
}

// find returns the number of a key, or -1.
func (s *specials) find(x uint64) int {
	if len(s.keys) > fewKeys {
		if k, ok := s.position[x]; ok {
			return k
		}
		return -1
	}
	for k, key := range s.keys {
		if key == x {
			return k
		}
	}
	return -1
}
