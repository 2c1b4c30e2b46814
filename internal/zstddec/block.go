package zstddec

import "unsafe"

// blocks decodes the blocks of a frame, and returns what follows them. With checked,
// their content is summed up for the checksum that comes then.
func (d *Decoder) blocks(src []byte, checked bool) ([]byte, error) {
	most := min(d.window, maxBlock)
	for {
		h, block, rest, err := cutBlock(src)
		if err != nil {
			return nil, err
		}
		if h.size > most {
			return nil, corrupt("a block is larger than its window allows")
		}
		room := d.dst[d.n:d.limit]
		switch h.kind {
		case stored:
			d.n += copy(room, block)
		case repeated:
			room = room[:min(len(room), h.size)]
			fill(room, block[0])
			d.n += len(room)
		case compressed:
			next := following(h, rest, most)
			if h.last && (len(rest) == 0 || checked && len(rest) == 4) {
				next = first(d.next)
			}
			if err := d.compressed(block, next, most); err != nil {
				return nil, err
			}
		default:
			return nil, corrupt("a block is of a kind that is not known")
		}
		if h.kind != compressed && h.size > len(room) {
			return nil, ErrRoom
		}
		if h.last {
			return rest, nil
		}
		if checked {
			d.sum.Grow(d.dst[:d.n]) // while it is in the cache
		}
		src = rest
	}
}

// cutBlock cuts the first block from src.
func cutBlock(src []byte) (h blockHeader, block, rest []byte, err error) {
	if len(src) < blockHeaderLen {
		return h, nil, nil, errTruncated
	}
	h = parseBlockHeader(src)
	src = src[blockHeaderLen:]
	n := h.stored()
	if len(src) < n {
		return h, nil, nil, errTruncated
	}
	return h, src[:n], src[n:], nil
}

// coming is the block that comes next, if it is compressed.
type coming struct {
	block []byte
	most  int  // bytes that it holds at most
	other bool // it begins another piece of data
}

// following is the block that follows one with header h in a frame.
func following(h blockHeader, rest []byte, most int) coming {
	if h.last {
		return coming{}
	}
	h, block, _, err := cutBlock(rest)
	if err != nil || h.kind != compressed {
		return coming{}
	}
	return coming{block, most, false}
}

// first is the block that begins the frame that begins src.
func first(src []byte) coming {
	if len(src) == 0 {
		return coming{}
	}
	h, n, err := parseHeader(src)
	if err != nil || h.skipped {
		return coming{}
	}
	b, block, _, err := cutBlock(src[n:])
	if err != nil || b.kind != compressed || len(block) == 0 || block[0]&3 != literalsCoded {
		return coming{}
	}
	return coming{block, min(h.window, maxBlock), true}
}

// compressed decodes a block that holds at most most bytes.
func (d *Decoder) compressed(block []byte, next coming, most int) error {
	room := d.dst[d.n:d.limit]
	literals, rest, err := d.literals.decode(block, next, most, room)
	if err != nil {
		return err
	}
	s := &d.seq
	if err := s.parse(rest); err != nil {
		return err
	}
	if unsafe.SliceData(literals) == unsafe.SliceData(room) {
		d.n += len(literals) // which are where they belong
		return nil
	}
	s.dst, s.at, s.low = d.dst, d.n, max(0, d.n-d.window)
	s.end, s.room = d.n+most, d.limit
	s.literals, s.lit = literals, 0
	err = s.execute()
	if err == nil {
		err = s.copyLiterals(len(literals) - s.lit)
	}
	d.n = s.at
	return err
}

// fill sets all bytes of b.
func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
