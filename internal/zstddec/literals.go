package zstddec

// pad is how much may be read behind literals.
const pad = 64

// literalDecoder decodes the literals of blocks.
type literalDecoder struct {
	tables  [2]huffmanTable
	current int // which one was read last
	valid   bool
	reader  huffmanReader

	buffers [2][maxBlock + pad]byte // of a block and of the one that is decoded together with it

	ahead ahead
	quads [2]quad
	lanes lanes
}

// ahead is a block that was decoded together with the one before it.
type ahead struct {
	ready    bool
	other    bool // it begins another piece of data
	literals []byte
	rest     []byte
}

func (d *literalDecoder) release() {
	d.ahead, d.quads = ahead{}, [2]quad{}
	d.lanes.release()
}

// reset sets what the format prescribes for a new frame, of which a block may have been begun, and its
// table read.
func (d *literalDecoder) reset(begun ahead) { d.valid, d.ahead = begun.ready, begun }

// section is the head of a section of Huffman codes.
type section struct {
	n       int // literals
	table   *huffmanTable
	streams [4][]byte // all of them, or just the first
	one     bool
}

const (
	literalsStored = iota
	literalsRepeated
	literalsCoded
	literalsTreeless
)

// decode decodes the literals of a block of at most most bytes and returns them, and what
// follows them. They are in the beginning of room if the block has nothing else, and else
// where more may be read behind.
func (d *literalDecoder) decode(block []byte, next coming, most int, room []byte) (literals, rest []byte, err error) {
	if d.ahead.ready {
		a := d.ahead
		d.ahead = ahead{}
		return a.literals, a.rest, nil
	}
	if len(block) == 0 {
		return nil, nil, errTruncated
	}
	if kind := block[0] & 3; kind == literalsStored || kind == literalsRepeated {
		return d.plain(block, most)
	}
	a, b := &d.quads[0], &d.quads[1]
	if rest, err = d.section(&a.section, block, most); err != nil {
		return nil, nil, err
	}
	literals, room = a.place(d.buffers[0][:], rest, room)
	if a.one {
		return literals, rest, a.single(literals)
	}
	if err := a.start(literals); err != nil {
		return nil, nil, err
	}
	if !hasKernels || len(next.block) == 0 || next.block[0]&3 < literalsCoded {
		return literals, rest, a.finish(&d.lanes)
	}
	// What is wrong with the next block is found when it is its turn.
	current := d.current
	more, err := d.section(&b.section, next.block, next.most)
	if err == nil && !b.one && min(a.n, b.n) >= minTogether && max(a.n, b.n) <= 4*min(a.n, b.n) {
		if next.other {
			room = nil
		}
		second, _ := b.place(d.buffers[1][:], more, room)
		if b.start(second) == nil {
			d.lanes.both(a, b)
			if b.finish(&d.lanes) == nil {
				d.ahead = ahead{true, next.other, second, more}
				return literals, rest, a.finish(&d.lanes)
			}
		}
	}
	d.current = current
	return literals, rest, a.finish(&d.lanes)
}

// minTogether is how many literals blocks must have to be decoded two at a time.
const minTogether = 256

// place gives memory for the literals of a block and what is behind it: in room, if the
// block has nothing else, or in a buffer.
func (s *section) place(buffer, rest, room []byte) (literals, behind []byte) {
	if len(rest) == 1 && rest[0] == 0 && s.n <= len(room) {
		return room[:s.n], room[s.n:]
	}
	return buffer[:s.n], nil
}

// plain gives literals that are not coded.
func (d *literalDecoder) plain(block []byte, most int) (literals, rest []byte, err error) {
	n, head := int(block[0])>>3, 1
	if form := block[0] >> 2 & 3; form&1 != 0 {
		if head = 2 + int(form>>1); len(block) < head {
			return nil, nil, errTruncated
		}
		n = int(number(block[:head]) >> 4)
	}
	if n > most {
		return nil, nil, corrupt("a block has more literals than it may hold")
	}
	rest = block[head:]
	if block[0]&3 == literalsRepeated {
		if len(rest) == 0 {
			return nil, nil, errTruncated
		}
		literals = d.buffers[0][:n]
		fill(literals, rest[0])
		return literals, rest[1:], nil
	}
	if len(rest) < n {
		return nil, nil, errTruncated
	}
	literals, rest = rest[:n], rest[n:]
	if cap(rest) < pad {
		literals = append(d.buffers[0][:0], literals...)
	}
	return literals, rest, nil
}

// section reads the head of coded literals, and the table if it has one, and returns
// what follows the literals.
func (d *literalDecoder) section(s *section, block []byte, most int) (rest []byte, err error) {
	form := int(block[0] >> 2 & 3)
	head := [4]int{3, 3, 4, 5}[form]
	if len(block) < head {
		return nil, errTruncated
	}
	width := [4]int{10, 10, 14, 18}[form]
	v := number(block[:head]) >> 4
	n, size := int(mask(v, uint(width))), int(v>>width)
	if n > most {
		return nil, corrupt("a block has more literals than it may hold")
	}
	kind := block[0] & 3
	block = block[head:]
	if len(block) < size {
		return nil, errTruncated
	}
	data, rest := block[:size], block[size:]
	s.n, s.one = n, form == 0
	if kind == literalsCoded {
		used, err := d.reader.read(&d.tables[d.current^1], data)
		if err != nil {
			return nil, err
		}
		data = data[used:]
		d.current ^= 1
		d.valid = true
	} else if !d.valid {
		return nil, corrupt("a Huffman code is to be used again, and there was none")
	}
	s.table = &d.tables[d.current]
	if s.one {
		s.streams[0] = data
		return rest, nil
	}
	if len(data) < 6 || n < 6 {
		return nil, corrupt("literals are too short for four streams")
	}
	sizes := data[:6]
	data = data[6:]
	for i := range 3 {
		k := int(le.Uint16(sizes[2*i:]))
		if k > len(data) {
			return nil, errTruncated
		}
		s.streams[i], data = data[:k], data[k:]
	}
	s.streams[3] = data
	return rest, nil
}

var errStream = corrupt("a stream of literals does not end where it should")

// single decodes one stream.
func (s *section) single(dst []byte) error {
	left, ok := streamBits(s.streams[0])
	if !ok || s.table.decode(dst, s.streams[0], left) != 0 {
		return errStream
	}
	return nil
}
