package gdeflate

import (
	"math"
	"slices"
)

// optimum is what the search for the best tokens needs.
type optimum struct {
	found []token           // matches at every place, longer ones behind
	start [PageSize + 1]int // where those of a place begin
	cost  [PageSize + 1]uint32
	take  [PageSize]token // what to take at a place

	literal [256]uint32
	length  [shortest + 1]uint32 // the last stands for all longer ones
	offset  [numOffsets]uint32
}

// shortest is the least length for which there is only the last symbol.
const shortest = 259

// Costs are in parts of a bit. What has not occurred may yet.
const (
	bit     = 16
	unknown = 13 * bit
)

// best sets the tokens of a page to those that take the least room, as far as can
// be told from the codes of the tokens before.
func (e *encoder) best(src []byte, p *param) {
	if e.optimum == nil {
		e.optimum = new(optimum)
	}
	o := e.optimum
	o.find(&e.finder, src, p)
	// The first guess takes the longest match everywhere.
	e.tokens = e.tokens[:0]
	for at := 0; at < len(src); {
		t := literal(src[at])
		if all := o.found[o.start[at]:o.start[at+1]]; len(all) > 0 {
			t = all[len(all)-1]
		}
		e.tokens = append(e.tokens, t)
		at += t.size()
	}
	for range p.passes {
		e.now.set(&e.huffman, e.tokens, src)
		o.weigh(e.now)
		e.tokens = o.path(e.tokens[:0], src, p)
	}
}

// find lists the matches at every place. Those inside one that is long enough are
// not looked for.
func (o *optimum) find(f *finder, src []byte, p *param) {
	f.reset()
	o.found = o.found[:0]
	skip := 0
	for at := range src {
		o.start[at] = len(o.found)
		place, three := f.insert(src, at)
		if at < skip {
			continue
		}
		most := min(len(src)-at, maxMatch)
		best := minMatch - 1
		if three != 0 && at-int(three-1) <= maxThree {
			if n := same(src, int(three-1), at, most); n > best {
				best = n
				o.found = append(o.found, matched(n, at-int(three-1)))
			}
		}
		for tries := p.depth; place != 0 && tries > 0 && best < most && best < p.nice; tries-- {
			c := int(place - 1)
			if src[c+best] == src[at+best] {
				if n := same(src, c, at, most); n > best && n > minMatch {
					best = n
					o.found = append(o.found, matched(n, at-c))
				}
			}
			place = f.prev[c]
		}
		if best >= p.nice {
			skip = at + best
		}
	}
	o.start[len(src)] = len(o.found)
}

// weigh sets the costs to what symbols cost that are as frequent as in a block.
func (o *optimum) weigh(b *block) {
	price := priceOf(b.litLenFreq[:])
	for i := range o.literal {
		o.literal[i] = price(i)
	}
	for i := minMatch; i < len(o.length); i++ {
		s := lengthSymbol(i)
		o.length[i] = price(firstLength+s) + bit*uint32(lengths[s].extra)
	}
	price = priceOf(b.offsetFreq[:])
	for i := range o.offset {
		o.offset[i] = price(i) + bit*uint32(offsets[i].extra)
	}
}

// priceOf makes a function that tells what a symbol costs among others.
func priceOf(freq []uint32) func(symbol int) uint32 {
	var all uint32
	for _, f := range freq {
		all += f
	}
	return func(symbol int) uint32 {
		if freq[symbol] == 0 {
			return unknown
		}
		return uint32(max(bit*math.Log2(float64(all)/float64(freq[symbol])), 1))
	}
}

// path appends the tokens that cost least, found from the end of the page.
func (o *optimum) path(tokens []token, src []byte, p *param) []token {
	o.cost[len(src)] = 0
	for at, b := range slices.Backward(src) {
		least, take := o.literal[b]+o.cost[at+1], literal(b)
		n := minMatch
		for _, m := range o.found[o.start[at]:o.start[at+1]] {
			price := o.offset[offsetSymbol(m.distance())]
			if m.length() >= p.nice {
				n = m.length() // the whole of it or nothing
			}
			for ; n <= m.length(); n++ {
				if c := price + o.length[min(n, shortest)] + o.cost[at+n]; c < least {
					least, take = c, matched(n, m.distance())
				}
			}
		}
		o.cost[at], o.take[at] = least, take
	}
	for at := 0; at < len(src); at += o.take[at].size() {
		tokens = append(tokens, o.take[at])
	}
	return tokens
}
