package lzma

import "sync"

// encoder writes LZMA. It decides from one operation to the next, looking one
// byte ahead, which is what liblzma does in its fast mode.
type encoder struct {
	rc     rangeEncoder
	model  model
	finder finder
	pos    int  // what is written
	found  pair // the match at pos, if the finder is beyond it
}

var encoders = sync.Pool{New: func() any { return &encoder{} }}

// init prepares for data.
func (e *encoder) init(data []byte, c *chain) {
	e.finder.init(data, c.dict, c.depth)
	e.model.reset(c.props)
	e.pos, e.found = 0, pair{}
}

// free forgets the data, and gives the encoder back.
func (e *encoder) free() {
	e.finder.data, e.rc.out = nil, nil
	encoders.Put(e)
}

// encode writes operations until they reach end, or until there are limit bytes.
func (e *encoder) encode(end, limit int) {
	pbMask := 1<<e.model.props.pb - 1
	for e.pos < end && e.rc.size() < limit {
		where := e.pos & pbMask
		rep, m := e.choose(end)
		switch {
		case m.n == 0:
			e.literal(where)
			m.n = 1
		case rep >= 0:
			e.repeat(where, rep, m.n)
		default:
			e.match(where, m)
		}
		e.pos += m.n
		e.finder.skip(e.pos)
	}
}

// choose decides what to write next: a match, with the index of its distance
// among the last ones or -1, or no match for a literal.
func (e *encoder) choose(end int) (int, pair) {
	f, pos := &e.finder, e.pos
	main := e.found
	if f.next == pos {
		main = f.find()
	}
	e.found = pair{}
	most := min(end-pos, maxMatch)
	if most < minMatch {
		return -1, pair{}
	}
	main.n = min(main.n, most)
	rep, n := e.longest(pos, most)
	switch {
	case n >= nice:
		return rep, pair{n: n}
	case main.n >= nice:
		return -1, main
	// A distance that is known already is worth some bytes, the more the
	// farther the other is.
	case n >= minMatch && (n+1 >= main.n || n+2 >= main.n && main.dist > 1<<9 || n+3 >= main.n && main.dist > 1<<15):
		return rep, pair{n: n}
	case main.n < minMatch || main.n == 2 && main.dist > 1<<7 || main.n == 3 && main.dist > 1<<14:
		return -1, pair{}
	}
	// Is there something better behind a literal?
	if f.next == pos+1 && f.next < len(f.data) {
		e.found = f.find()
		next := e.found
		if next.n > main.n+1 || next.n == main.n+1 && next.dist>>7 <= main.dist || next.n == main.n && next.dist < main.dist>>2 {
			return -1, pair{}
		}
	}
	if _, n := e.longest(pos+1, min(most-1, main.n)); n >= minMatch && n >= main.n-1 {
		return -1, pair{}
	}
	return -1, main
}

// longest finds the longest match at pos, of at most n bytes, among those with
// one of the last distances.
func (e *encoder) longest(pos, n int) (rep, length int) {
	for i, r := range e.model.reps {
		if dist := int(r) + 1; dist <= pos {
			if k := alike(e.finder.data, pos-dist, pos, n); k > length {
				rep, length = i, k
			}
		}
	}
	return rep, length
}

// literal writes the byte at pos. What a match would have continued with is cheaper
// as a match of one byte.
func (e *encoder) literal(where int) {
	m, rc, data := &e.model, &e.rc, e.finder.data
	b := data[e.pos]
	var before, like byte
	if e.pos > 0 {
		before = data[e.pos-1]
	}
	if dist := int(m.reps[0]) + 1; dist <= e.pos {
		like = data[e.pos-dist]
		if m.afterMatch() && like == b {
			rc.bit(&m.match[m.state][where], 1)
			rc.bit(&m.rep[m.state], 1)
			rc.bit(&m.rep0[m.state], 0)
			rc.bit(&m.rep0Long[m.state][where], 0)
			m.wasShortRep()
			return
		}
	}
	rc.bit(&m.match[m.state][where], 0)
	probs := m.literal(e.pos, before)
	if m.afterMatch() {
		rc.matched(probs, like, b)
	} else {
		rc.tree(probs[:0x100], int(b))
	}
	m.wasLiteral()
}

func (e *encoder) match(where int, p pair) {
	m, rc := &e.model, &e.rc
	rc.bit(&m.match[m.state][where], 1)
	rc.bit(&m.rep[m.state], 0)
	rc.length(&m.matchLengths, where, p.n-minMatch)
	rc.distance(m, p.n-minMatch, uint32(p.dist-1))
	m.push(uint32(p.dist - 1))
	m.wasMatch()
}

func (e *encoder) repeat(where, rep, n int) {
	m, rc := &e.model, &e.rc
	rc.bit(&m.match[m.state][where], 1)
	rc.bit(&m.rep[m.state], 1)
	if rep == 0 {
		rc.bit(&m.rep0[m.state], 0)
		rc.bit(&m.rep0Long[m.state][where], 1)
	} else {
		rc.bit(&m.rep0[m.state], 1)
		rc.bit(&m.rep1[m.state], min(rep-1, 1))
		if rep > 1 {
			rc.bit(&m.rep2[m.state], rep-2)
		}
	}
	m.use(rep)
	rc.length(&m.repeatLength, where, n-minMatch)
	m.wasRepeat()
}

// end writes the marker that ends a stream.
func (e *encoder) end() {
	m, rc, where := &e.model, &e.rc, e.pos&(1<<e.model.props.pb-1)
	rc.bit(&m.match[m.state][where], 1)
	rc.bit(&m.rep[m.state], 0)
	rc.length(&m.matchLengths, where, 0)
	rc.distance(m, 0, marker)
}
