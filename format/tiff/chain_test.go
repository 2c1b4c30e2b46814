package tiff

import (
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// Whatever pages are like, they are the same when they are taken out, at any place.
func TestChainKeepsPages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	number := func() uint64 { return rnd.Uint64() >> rnd.IntN(64) }
	table := func(id tag.ID) table {
		types := []tag.Type{tag.Short, tag.Long, tag.Long8, tag.IFD, tag.IFD8}
		return table{at: number(), count: number(), id: id, typ: types[rnd.IntN(len(types))], one: rnd.IntN(2) == 0}
	}
	kinds := []*kind{{width: 1}, {width: 2}, {width: 3}}
	for range 20 {
		var c chain
		var pages []page
		p := page{kind: kinds[0], sub: table(tag.SubIFDs)}
		for range rnd.IntN(5 * chainBlock) {
			if rnd.IntN(3) == 0 {
				p = page{kind: kinds[rnd.IntN(len(kinds))], reduced: rnd.IntN(2) == 0, offsets: table(tag.TileOffsets), counts: table(tag.StripByteCounts), sub: table(tag.SubIFDs)}
			}
			p.offset += number()
			pages = append(pages, p)
			c.add(&p)
		}
		for i, want := range pages {
			if got := c.at(i); got != want {
				t.Fatalf("page %d of %d is %+v, not %+v", i, len(pages), got, want)
			}
		}
		n := rnd.IntN(len(pages) + 1)
		c.cut(n)
		seen := 0
		for i, got := range c.from(n / 2) {
			if i != n/2+seen || got != pages[i] {
				t.Fatalf("page %d of %d is %+v, not %+v", i, n, got, pages[i])
			}
			seen++
		}
		if seen != n-n/2 {
			t.Fatalf("%d pages from %d of %d", seen, n/2, n)
		}
	}
}
