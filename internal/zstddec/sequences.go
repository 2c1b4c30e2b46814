package zstddec

const (
	maxLengthLog = 9
	maxOffsetLog = 8
)

// field is what all frames have in common of one of the three fields of sequences.
type field struct {
	symbols, maxLog int
	place           uint64 // ones where entries say how many bits add to the next state
	entries         [maxSymbols]entry
	lengths         [maxSymbols]length // none for offsets
	standard        counts             // of the table that a frame may use without giving it
}

// length is what a symbol means: its low eight bits how many bits add to it, the others the least
// that it is.
type length = uint64

var llField = field{
	symbols: 36, maxLog: maxLengthLog, place: 1 << 40, standard: counts{len: 36, log: 6},
}

var mlField = field{
	symbols: 53, maxLog: maxLengthLog, place: 1<<24 | 1<<32, standard: counts{len: 53, log: 6},
}

var ofField = field{
	symbols: 32, maxLog: maxOffsetLog, place: 1<<16 | 1<<32, standard: counts{len: 29, log: 5},
}

func init() {
	llField.setLengths(0, []int{1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	mlField.setLengths(3, []int{1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	for i := range ofField.symbols {
		ofField.entries[i] = uint64(uint8(-i)) | uint64(63-i)<<8
	}
	copy(llField.standard.n[:], []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1})
	copy(mlField.standard.n[:], []int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1})
	copy(ofField.standard.n[:], []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1})
}

// setLengths sets the symbols of lengths from least on, the last of which have extra bits.
func (f *field) setLengths(least int, extra []int) {
	for i := range f.symbols {
		n := 0
		if plain := f.symbols - len(extra); i >= plain {
			n = extra[i-plain]
		}
		f.entries[i] = uint64(uint8(-n)) | uint64(i)<<8
		f.lengths[i] = uint64(n) | uint64(least)<<8
		least += 1 << n
	}
}

// table is what is known of the table of one of the three fields of sequences.
type table struct {
	log   int
	valid bool
	mean  int // value, without what is added to it
	few   int // of 256 sequences, how many have one of the first two symbols
}

// measure looks what a table holds.
func (t *table) measure(c *counts, f *field) {
	mean, few := 0, 0
	for s, n := range c.n[:c.len] {
		mean += int(max(n, 0)) * int(f.lengths[s%maxSymbols]>>8)
		if s < 2 {
			few += int(max(n, 0))
		}
	}
	*t = table{c.log, true, mean >> c.log, few << 8 >> c.log}
}

// sequenceDecoder decodes and executes the sequences of a block.
type sequenceDecoder struct {
	ll, ml [1 << maxLengthLog]entry
	of     [1 << maxOffsetLog]entry

	llLengths, mlLengths [maxSymbols]length // as fields have them, where kernels find them

	llTable, mlTable, ofTable table
	counts                    counts

	stream   []byte
	left     int // bits of it
	count    int // sequences that are left
	state    [3]int
	repeated [3]int // offsets, the last one first

	literals []byte
	lit      int // how many of them are used

	dst  []byte
	at   int // where to write
	low  int // where matches may begin
	end  int // where the block must end
	room int // where the frame must end

	pending struct{ length, match, offset int } // a sequence that was decoded, but not executed
}

// pause is why a kernel stopped.
type pause int

const (
	tail    pause = iota // near the end of the stream or of the memory
	strange              // before a sequence that is for Go to decode
	decoded              // behind one that is decoded, for Go to execute
)

func (s *sequenceDecoder) release() { s.stream, s.literals, s.dst = nil, nil, nil }

// reset sets what the format prescribes for a new frame.
func (s *sequenceDecoder) reset() {
	s.repeated = [3]int{1, 4, 8}
	s.llTable.valid, s.mlTable.valid, s.ofTable.valid = false, false, false
}

// parse reads the head of a section of sequences: how many there are, the tables, and
// the first states.
func (s *sequenceDecoder) parse(src []byte) error {
	if len(src) == 0 {
		return errTruncated
	}
	n, head := int(src[0]), 1
	switch {
	case n == 255:
		if head = 3; len(src) < head {
			return errTruncated
		}
		n = int(src[1]) + int(src[2])<<8 + 0x7f00
	case n >= 128:
		if head = 2; len(src) < head {
			return errTruncated
		}
		n = (n-128)<<8 + int(src[1])
	}
	src = src[head:]
	s.count = n
	if n == 0 {
		if len(src) > 0 {
			return corrupt("a block without sequences has bytes for them")
		}
		return nil
	}
	if len(src) == 0 {
		return errTruncated
	}
	modes := src[0]
	src = src[1:]
	if modes&3 != 0 {
		return corrupt("sequences have modes that are not known")
	}
	var err error
	if src, err = s.readTable(&s.llTable, s.ll[:], modes>>6, src, &llField); err != nil {
		return err
	}
	if src, err = s.readTable(&s.ofTable, s.of[:], modes>>4&3, src, &ofField); err != nil {
		return err
	}
	if src, err = s.readTable(&s.mlTable, s.ml[:], modes>>2&3, src, &mlField); err != nil {
		return err
	}
	left, ok := streamBits(src)
	if !ok {
		return corrupt("the sequences have no end")
	}
	s.stream = src
	left -= s.llTable.log + s.ofTable.log + s.mlTable.log
	if left < 0 {
		return corrupt("the sequences have too few bits")
	}
	w := window(src, left)
	s.state[2] = int(mask(w, uint(s.mlTable.log)))
	w >>= s.mlTable.log
	s.state[1] = int(mask(w, uint(s.ofTable.log)))
	w >>= s.ofTable.log
	s.state[0] = int(mask(w, uint(s.llTable.log)))
	s.left = left
	return nil
}

// readTable makes a table as mode says, and returns what follows it.
func (s *sequenceDecoder) readTable(t *table, into []entry, mode byte, src []byte, f *field) ([]byte, error) {
	switch mode {
	case 0:
		f.standard.build(into, f)
		t.measure(&f.standard, f)
	case 1:
		if len(src) == 0 {
			return nil, errTruncated
		}
		if int(src[0]) >= f.symbols {
			return nil, corrupt("a table repeats a symbol that is not known")
		}
		into[0] = f.entries[src[0]]
		*t = table{valid: true, mean: int(f.lengths[src[0]%maxSymbols] >> 8)}
		if src[0] < 2 {
			t.few = 1 << 8
		}
		src = src[1:]
	case 2:
		n, err := s.counts.read(src, f.symbols, f.maxLog)
		if err != nil {
			return nil, err
		}
		s.counts.build(into, f)
		t.measure(&s.counts, f)
		src = src[n:]
	case 3:
		if !t.valid {
			return nil, corrupt("a table is to be used again, and there was none")
		}
	}
	return src, nil
}

// execute runs all sequences of the block.
func (s *sequenceDecoder) execute() error {
	if s.count == 0 {
		return nil
	}
	for why := strange; s.count > 0; {
		if s.count > 1 && why != tail {
			why = s.kernel()
		}
		var err error
		if p := &s.pending; why == decoded {
			why = strange
			err = s.copy(p.length, p.match, p.offset)
		} else {
			err = s.step()
		}
		if err != nil {
			return err
		}
	}
	if s.left != 0 {
		return corrupt("the sequences have bits left")
	}
	return nil
}

// step decodes and executes one sequence.
func (s *sequenceDecoder) step() error {
	ll, of, ml := s.ll[s.state[0]], s.of[s.state[1]], s.ml[s.state[2]]
	llLength, mlLength := llField.lengths[ll>>8%maxSymbols], mlField.lengths[ml>>8%maxSymbols]
	llBits, ofBits, mlBits := uint(uint8(llLength)), 63-uint(uint8(of>>8)), uint(uint8(mlLength))
	left := s.left - int(llBits+ofBits+mlBits)
	if left < 0 {
		return corrupt("the sequences have too few bits")
	}
	w := window(s.stream, left) // 57 bits, of which lengths take at most 32
	length := int(llLength>>8) + int(mask(w, llBits))
	w >>= llBits
	match := int(mlLength>>8) + int(mask(w, mlBits))
	if llBits+mlBits+ofBits <= 57 {
		w >>= mlBits
	} else {
		w = window(s.stream, left+int(llBits+mlBits))
	}
	offset := s.offset(1<<ofBits+int(mask(w, ofBits)), length)

	if s.count--; s.count > 0 { // the last one has no next states
		llNext, ofNext, mlNext := uint(uint8(ll>>40)), uint(uint8(of>>16)), uint(uint8(ml>>24))
		if left -= int(llNext + ofNext + mlNext); left < 0 {
			return corrupt("the sequences have too few bits")
		}
		w = window(s.stream, left)
		s.state[1] = int(of>>48) + int(mask(w, ofNext))
		w >>= ofNext
		s.state[2] = int(ml>>48) + int(mask(w, mlNext))
		w >>= mlNext
		s.state[0] = int(ll>>48) + int(mask(w, llNext))
	}
	s.left = left
	return s.copy(length, match, offset)
}

// offset is what the value of an offset means behind length literals.
func (s *sequenceDecoder) offset(value, length int) int {
	r := &s.repeated
	if value > 3 {
		r[0], r[1], r[2] = value-3, r[0], r[1]
		return value - 3
	}
	if length == 0 {
		value++
	}
	switch value {
	case 1:
	case 2:
		r[0], r[1] = r[1], r[0]
	case 3:
		r[0], r[1], r[2] = r[2], r[0], r[1]
	case 4:
		r[0], r[1], r[2] = r[0]-1, r[0], r[1]
	}
	return r[0]
}

// copy executes a sequence: literals, then bytes that are offset behind.
func (s *sequenceDecoder) copy(length, match, offset int) error {
	if length > len(s.literals)-s.lit {
		return corrupt("a sequence has more literals than there are")
	}
	if length+match > s.end-s.at {
		return corrupt("a block holds more than it may")
	}
	if err := s.copyLiterals(length); err != nil {
		return err
	}
	if offset <= 0 || offset > s.at-s.low {
		return corrupt("a match begins before the data")
	}
	var err error
	if room := s.room - s.at; match > room {
		match, err = room, ErrRoom
	}
	to := s.dst[s.at : s.at+match]
	s.at += match
	for from := s.at - match - offset; len(to) > 0; {
		// What is copied makes more to copy.
		to = to[copy(to, s.dst[from:s.at-len(to)]):]
	}
	return err
}

// copyLiterals copies the next n literals.
func (s *sequenceDecoder) copyLiterals(n int) error {
	if n > s.end-s.at {
		return corrupt("a block holds more than it may")
	}
	k := copy(s.dst[s.at:s.room], s.literals[s.lit:s.lit+n])
	s.at += k
	s.lit += k
	if k < n {
		return ErrRoom
	}
	return nil
}
