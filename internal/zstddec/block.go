package zstddec

// blocks decodes the blocks of a frame, and returns what follows them.
func (d *decoder) blocks(src []byte) ([]byte, error) {
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
			if err := d.compressed(block, following(h, rest), most); err != nil {
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

// following is the block that follows one with header h, if it is compressed.
func following(h blockHeader, rest []byte) []byte {
	if h.last {
		return nil
	}
	h, block, _, err := cutBlock(rest)
	if err != nil || h.kind != compressed {
		return nil
	}
	return block
}

// compressed decodes a block that holds at most most bytes. next is the block that
// follows, if it is compressed too.
func (d *decoder) compressed(block, next []byte, most int) error {
	literals, rest, err := d.literals.decode(block, next, most)
	if err != nil {
		return err
	}
	s := &d.seq
	if err := s.parse(rest); err != nil {
		return err
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
