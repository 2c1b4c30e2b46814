package lzma

// Numbers of the format.
const (
	states      = 12
	positions   = 16 // 1 << the largest pb
	minMatch    = 2
	maxMatch    = 273
	firstWithin = 4  // the first slot of distances with bits of its own
	firstDirect = 14 // the first slot with bits that are not predicted
	alignBits   = 4
	spread      = 128 // distances below 1<<7 have all bits predicted
	half        = 1 << 10
)

// model is what is known of the probabilities that bits are 0, out of 2048, and
// what they depend on. Decoder and encoder have the same one at every place.
type model struct {
	props properties
	state int       // of what kind the last few operations were
	reps  [4]uint32 // the last distances, less one

	match, rep0Long            [states][positions]uint16
	rep, rep0, rep1, rep2      [states]uint16
	slot                       [4][64]uint16
	near                       [spread]uint16
	align                      [1 << alignBits]uint16
	matchLengths, repeatLength lengths
	literals                   [0x300 << 4]uint16
}

// lengths is the model of lengths of matches.
type lengths struct {
	choice, choice2 uint16
	low, mid        [positions][8]uint16
	high            [256]uint16
}

func (l *lengths) reset() {
	l.choice, l.choice2 = half, half
	for i := range l.low {
		even(l.low[i][:])
		even(l.mid[i][:])
	}
	even(l.high[:])
}

// even makes bits as likely to be 0 as 1.
func even(probs []uint16) {
	for i := range probs {
		probs[i] = half
	}
}

// reset forgets all that was learned, for data with other properties perhaps.
func (m *model) reset(p properties) {
	m.props, m.state, m.reps = p, 0, [4]uint32{}
	for i := range states {
		even(m.match[i][:])
		even(m.rep0Long[i][:])
	}
	even(m.rep[:])
	even(m.rep0[:])
	even(m.rep1[:])
	even(m.rep2[:])
	for i := range m.slot {
		even(m.slot[i][:])
	}
	even(m.near[:])
	even(m.align[:])
	m.matchLengths.reset()
	m.repeatLength.reset()
	even(m.literals[:0x300<<(p.lc+p.lp)])
}

// literal is the model of a literal at pos, behind the byte before.
func (m *model) literal(pos int, before byte) *[0x300]uint16 {
	context := pos&(1<<m.props.lp-1)<<m.props.lc + int(before>>(8-m.props.lc))
	return (*[0x300]uint16)(m.literals[0x300*context:])
}

// afterMatch says whether the last operation was no literal.
func (m *model) afterMatch() bool { return m.state >= 7 }

// The states after an operation.

func (m *model) wasLiteral() {
	switch {
	case m.state < 4:
		m.state = 0
	case m.state < 10:
		m.state -= 3
	default:
		m.state -= 6
	}
}

// was takes the state for the operation when a literal was before it, and that
// for when none was.
func (m *model) was(literalBefore, matchBefore int) {
	if m.afterMatch() {
		m.state = matchBefore
	} else {
		m.state = literalBefore
	}
}

func (m *model) wasMatch()    { m.was(7, 10) }
func (m *model) wasRepeat()   { m.was(8, 11) }
func (m *model) wasShortRep() { m.was(9, 11) }

// use makes one of the last distances the last.
func (m *model) use(i int) {
	dist := m.reps[i]
	copy(m.reps[1:i+1], m.reps[:i])
	m.reps[0] = dist
}

// push adds a distance to the last ones.
func (m *model) push(dist uint32) {
	copy(m.reps[1:], m.reps[:3])
	m.reps[0] = dist
}
