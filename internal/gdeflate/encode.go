package gdeflate

import "sync"

// AppendEncode appends the encoded form of a page, at most PageSize bytes, to dst.
// Level 0 stores, MaxLevel compresses best.
func AppendEncode(dst, page []byte, level int) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.w.start(dst)
	if level == 0 {
		e.stored(page, true)
		return e.w.finish()
	}
	p := &params[min(level, MaxLevel)]
	if p.passes > 0 {
		e.best(page, p)
	} else {
		e.search(page, p)
	}
	e.blocks(page, p)
	return e.w.finish()
}

var encoders = sync.Pool{New: func() any {
	return &encoder{now: new(block), next: new(block), both: new(block)}
}}

type encoder struct {
	w       writer
	finder  finder
	tokens  []token
	optimum *optimum // where it is used

	huffman         huffman
	now, next, both *block
	litLen          [maxLitLen]code
	offset          [numOffsets]code
}

// part is the number of bytes of which it is asked whether they deserve codes of
// their own.
const part = 8 << 10

// blocks cuts the tokens of a page into blocks and writes them. Neighbouring parts
// whose codes are alike enough share a block.
func (e *encoder) blocks(page []byte, p *param) {
	tokens := e.tokens
	size := PageSize
	if p.split {
		size = part
	}
	for first := true; first || len(tokens) > 0; first = false {
		n, bytes := 0, 0
		for n < len(tokens) && bytes < size {
			bytes += tokens[n].size()
			n++
		}
		if first {
			e.now.set(&e.huffman, tokens[:n], page[:bytes])
		} else {
			e.next.set(&e.huffman, tokens[:n], page[:bytes])
			whole := len(e.now.tokens) + n
			e.both.set(&e.huffman, e.now.tokens[:whole], e.now.data[:len(e.now.data)+bytes])
			if e.both.cost <= e.now.cost+e.next.cost {
				e.now, e.both = e.both, e.now
			} else {
				e.write(e.now, false)
				e.now, e.next = e.next, e.now
			}
		}
		tokens, page = tokens[n:], page[bytes:]
	}
	e.write(e.now, true)
}

func (e *encoder) write(b *block, final bool) {
	if b.kind == stored {
		e.stored(b.data, final)
		return
	}
	e.begin(b.kind, final)
	if b.kind == fixed {
		assign(e.litLen[:], fixedLitLen[:])
		assign(e.offset[:], fixedOffsets[:])
	} else {
		clear(e.litLen[:])
		assign(e.litLen[:], b.lens[:b.litLens])
		assign(e.offset[:], b.lens[b.litLens:b.litLens+b.offsets])
		e.codes(b)
	}
	e.w.lane = 0
	for _, t := range b.tokens {
		if t.length() == 0 {
			e.w.symbol(e.litLen[t])
			continue
		}
		l, o := lengthSymbol(t.length()), offsetSymbol(t.distance())
		e.w.match(
			e.litLen[firstLength+l].with(uint32(t.length())-lengths[l].base, lengths[l].extra),
			e.offset[o].with(uint32(t.distance())-offsets[o].base, offsets[o].extra))
	}
	e.w.end(e.litLen[endOfBlock])
}

// begin writes what every block begins with.
func (e *encoder) begin(kind int, final bool) {
	e.w.lane = 0
	head := code{uint32(kind) << 1, 3}
	if final {
		head.bits |= 1
	}
	e.w.put(head)
}

// codes writes the codes of a dynamic block.
func (e *encoder) codes(b *block) {
	e.w.put(code{uint32(b.litLens - 257), 5}.with(uint32(b.offsets-1), 5).with(uint32(b.preCount-4), 4))
	for _, s := range preOrder[:b.preCount] {
		e.w.put(code{uint32(b.preLens[s]), 3})
		e.w.advance()
	}
	var codes [numPre]code
	assign(codes[:], b.preLens[:])
	e.w.lane = 0
	for _, i := range b.items {
		e.w.put(codes[i.symbol].with(uint32(i.extra), preNumbers[i.symbol].extra))
		e.w.advance()
	}
}

// stored writes data as it is.
func (e *encoder) stored(data []byte, final bool) {
	for {
		n := min(len(data), maxStore)
		e.begin(stored, final && n == len(data))
		e.w.put(code{uint32(n), 16})
		for _, b := range data[:n] {
			e.w.put(code{uint32(b), 8})
			e.w.advance()
		}
		if data = data[n:]; len(data) == 0 {
			return
		}
	}
}
