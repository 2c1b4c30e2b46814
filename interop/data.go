package main

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// words are the values of text and bytes of any length.
var words = []string{"", "a", "grün", "数据", "zero\x00inside", "a longer piece of text, longer than most"}

// random fills a new array with values of a type, any pattern of bits that the
// type has; the seed decides which.
func random(t dtype.Type, shape []int, seed uint64) nd.View {
	r := rand.New(rand.NewPCG(seed, 20261115))
	v := nd.Make(t.Size(), shape...)
	if dtype.IsReference(t) {
		v.Heap = &nd.Heap{}
		v.Each(func(elem []byte) {
			w := words[r.IntN(len(words))]
			if w != "" {
				nd.PutRef(elem, v.Heap.Add([]byte(w)), 0, len(w))
			}
		})
		return v
	}
	v.Each(func(elem []byte) { randomElement(r, t, elem) })
	return v
}

func randomElement(r *rand.Rand, t dtype.Type, elem []byte) {
	for i := range elem {
		elem[i] = byte(r.Uint32())
	}
	if t.Kind() == dtype.Struct {
		for _, f := range dtype.Fields(t) {
			randomElement(r, f.Type, elem[f.Offset:][:f.Type.Size()])
		}
		return
	}
	if t.Kind() == dtype.UTF32 {
		for i := 0; i < len(elem); i += 4 {
			c := uint32(0)
			if i == 0 || r.IntN(4) > 0 && binary.LittleEndian.Uint32(elem[i-4:]) != 0 {
				c = []uint32{'a', 'ü', '数', '🦉'}[r.IntN(4)]
			}
			binary.LittleEndian.PutUint32(elem[i:], c)
		}
		return
	}
	for _, u := range t.Units() {
		if u.Bits >= 8 {
			continue
		}
		for i := range u.Count {
			b := &elem[u.Offset+i]
			*b &= 1<<u.Bits - 1
			if u.Signed && *b>>(u.Bits-1) != 0 {
				*b |= 0xff << u.Bits
			}
		}
	}
}
