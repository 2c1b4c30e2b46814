package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Doc is a pickle that was read. It is for one goroutine.
type Doc struct {
	data  []byte
	made  []byte // text that was computed
	nodes []node
	cells []cell
	root  int32

	scratch [24]byte // a number as text
}

// machine is the state of reading.
type machine struct {
	*Doc
	pos   int
	stack []int32
	memo  []int32
}

// Of how many parts a pickle may be, and how many more for every element. A
// reference of HDMF has about ten.
var maxParts = 2 << 20 // tests take less

const partsEach = 64

// mark is the number that stands for a mark on the stack.
const mark = -1

var errShort = errors.New("the pickle ends too early")

// Load reads a pickle of an array with so many elements, or of one value. A byte
// can make a value of many bytes, so that what a pickle may make is bounded by what
// its elements need.
func Load(data []byte, elements int) (*Doc, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("a pickle of %d bytes, at most %d are supported", len(data), maxBytes)
	}
	m := &machine{Doc: &Doc{data: data}}
	// None, False and True are the first nodes, small integers those behind.
	m.nodes = make([]node, 3+256, 3+256+len(data)/16)
	for i := range m.nodes {
		m.nodes[i] = node{kind: kind(min(i, int(kindInt))), first: -1, last: -1, n: int64(i - 3)}
	}
	most := maxParts + min(elements, maxBytes)*partsEach
	for {
		at := m.pos
		done, err := m.step()
		if parts := len(m.nodes) + len(m.cells) + len(m.stack) + len(m.memo); err == nil && parts > most {
			err = fmt.Errorf("more than %d parts for %d elements", most, elements)
		}
		if err != nil {
			return nil, &Error{at, err}
		}
		if done {
			return m.Doc, nil
		}
	}
}

// take reads n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if n < 0 || n > len(m.data)-m.pos {
		return nil, errShort
	}
	m.pos += n
	return m.data[m.pos-n : m.pos], nil
}

// uint reads an unsigned number of up to eight bytes, little-endian.
func (m *machine) uint(width int) (uint64, error) {
	b, err := m.take(width)
	var mem [8]byte
	copy(mem[:], b)
	return binary.LittleEndian.Uint64(mem[:]), err
}

func (m *machine) push(n node) {
	m.stack = append(m.stack, int32(len(m.nodes)))
	m.nodes = append(m.nodes, n)
}

func (m *machine) step() (done bool, err error) {
	b, err := m.take(1)
	if err != nil {
		return false, err
	}
	switch op := b[0]; op {
	case opProto:
		v, err := m.uint(1)
		if err == nil && (m.pos != 2 || v < 2 || v > 5) {
			err = fmt.Errorf("protocol %d, those from 2 to 5 are supported", v)
		}
		return false, err
	case opFrame:
		n, err := m.uint(8)
		if err == nil && n > uint64(len(m.data)-m.pos) {
			err = fmt.Errorf("a frame of %d bytes, %d are left", n, len(m.data)-m.pos)
		}
		return false, err
	case opStop:
		return true, m.stop()
	case opMark:
		m.stack = append(m.stack, mark)
	case opNone:
		m.stack = append(m.stack, int32(kindNone))
	case opNewFalse:
		m.stack = append(m.stack, int32(kindFalse))
	case opNewTrue:
		m.stack = append(m.stack, int32(kindTrue))
	case opBinInt1, opBinInt2, opBinInt, opLong1, opBinFloat:
		return false, m.number(op)
	case opShortBinUnicode, opBinUnicode, opShortBinBytes, opBinBytes:
		return false, m.text(op)
	case opMemoize, opBinPut, opLongBinPut, opBinGet, opLongBinGet:
		return false, m.memory(op)
	case opEmptyTuple:
		m.push(node{kind: kindTuple, first: -1, last: -1})
	case opEmptyList:
		m.push(node{kind: kindList, first: -1, last: -1})
	case opEmptyDict:
		m.push(node{kind: kindDict, first: -1, last: -1})
	case opTuple1, opTuple2, opTuple3:
		return false, m.tuple(int(op-opTuple1) + 1)
	case opTuple:
		at, err := m.mark()
		if err != nil {
			return false, err
		}
		m.stack = append(m.stack[:at], m.stack[at+1:]...)
		return false, m.tuple(len(m.stack) - at)
	case opAppend:
		return false, m.extend(len(m.stack)-1, len(m.stack)-1, kindList)
	case opSetItem:
		return false, m.extend(len(m.stack)-2, len(m.stack)-2, kindDict)
	case opAppends, opSetItems:
		at, err := m.mark()
		if err != nil {
			return false, err
		}
		want := kindList
		if op == opSetItems {
			want = kindDict
		}
		return false, m.extend(at, at+1, want)
	case opGlobal, opStackGlobal:
		return false, m.name(op)
	case opReduce, opNewObj:
		return false, m.call(op)
	case opBuild:
		return false, m.build()
	default:
		return false, fmt.Errorf("opcode %s, which pickles of plain values do not have", opName(op))
	}
	return false, nil
}

func (m *machine) stop() error {
	if len(m.stack) != 1 || m.stack[0] == mark {
		return fmt.Errorf("the pickle ends with %d values", len(m.stack))
	}
	if m.pos < len(m.data) {
		return fmt.Errorf("%d bytes follow the end", len(m.data)-m.pos)
	}
	m.root = m.stack[0]
	return nil
}

func (m *machine) number(op byte) error {
	width := 1
	switch op {
	case opBinInt2:
		width = 2
	case opBinInt:
		width = 4
	case opBinFloat:
		width = 8
	}
	u, err := m.uint(width)
	if err != nil {
		return err
	}
	n := node{kind: kindInt, first: -1, last: -1, n: int64(u)}
	switch op {
	case opBinInt1:
		m.stack = append(m.stack, 3+int32(u))
		return nil
	case opBinInt:
		n.n = int64(int32(u))
	case opLong1:
		n.kind, n.off = kindLong, int32(m.pos)
		if _, err := m.take(int(u)); err != nil {
			return err
		}
	case opBinFloat:
		n.kind = kindFloat
		n.n = int64(binary.BigEndian.Uint64(m.data[m.pos-8:]))
	}
	m.push(n)
	return nil
}

func (m *machine) text(op byte) error {
	n := node{kind: kindText, first: -1, last: -1}
	width := 1
	if op == opBinUnicode || op == opBinBytes {
		width = 4
	}
	if op == opShortBinBytes || op == opBinBytes {
		n.kind = kindBytes
	}
	length, err := m.uint(width)
	if err != nil {
		return err
	}
	n.off, n.n = int32(m.pos), int64(length)
	if _, err := m.take(int(length)); err != nil {
		return fmt.Errorf("a length of %d, %d bytes are left", length, len(m.data)-m.pos)
	}
	m.push(n)
	return nil
}

// memory keeps what is on top of the stack, or brings something back.
func (m *machine) memory(op byte) error {
	width := 0
	switch op {
	case opBinPut, opBinGet:
		width = 1
	case opLongBinPut, opLongBinGet:
		width = 4
	}
	u, err := m.uint(width)
	if err != nil {
		return err
	}
	i := int(u)
	if op == opBinGet || op == opLongBinGet {
		if i >= len(m.memo) {
			return fmt.Errorf("value %d is asked for, %d are remembered", i, len(m.memo))
		}
		m.stack = append(m.stack, m.memo[i])
		return nil
	}
	top, err := m.top()
	if err != nil {
		return err
	}
	switch {
	case op == opMemoize || i == len(m.memo):
		m.memo = append(m.memo, top)
	case i < len(m.memo):
		m.memo[i] = top
	default:
		return fmt.Errorf("value %d is to be remembered behind %d others", i, len(m.memo))
	}
	return nil
}

// top is the value on top of the stack.
func (m *machine) top() (int32, error) {
	if n := len(m.stack); n > 0 && m.stack[n-1] != mark {
		return m.stack[n-1], nil
	}
	return 0, errors.New("a value is missing")
}

func (m *machine) pop() (int32, error) {
	top, err := m.top()
	if err == nil {
		m.stack = m.stack[:len(m.stack)-1]
	}
	return top, err
}

// mark finds the topmost mark.
func (m *machine) mark() (int, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if m.stack[i] == mark {
			return i, nil
		}
	}
	return 0, errors.New("a mark is missing")
}

// above checks that there are only values from a place of the stack on.
func (m *machine) above(at int) error {
	if at < 0 {
		return errors.New("a value is missing")
	}
	for _, n := range m.stack[at:] {
		if n == mark {
			return errors.New("a mark where a value should be")
		}
	}
	return nil
}

// tuple makes one of the topmost n values.
func (m *machine) tuple(n int) error {
	at := len(m.stack) - n
	if err := m.above(at); err != nil {
		return err
	}
	t := node{kind: kindTuple, first: -1, last: -1}
	for _, item := range m.stack[at:] {
		m.link(&t, item)
	}
	m.stack = m.stack[:at]
	m.push(t)
	return nil
}

// link puts a value behind the others of a container.
func (m *machine) link(to *node, item int32) {
	at := int32(len(m.cells))
	m.cells = append(m.cells, cell{item, -1})
	if to.last >= 0 {
		m.cells[to.last].next = at
	} else {
		to.first = at
	}
	to.last = at
	to.n++
}

// extend moves the values from a place of the stack on into the container below
// end, where the values and perhaps a mark begin.
func (m *machine) extend(end, from int, want kind) error {
	if end < 1 {
		return errors.New("a value is missing")
	}
	if err := m.above(from); err != nil {
		return err
	}
	into := m.stack[end-1]
	if into == mark || m.nodes[into].kind != want {
		return fmt.Errorf("items for what is not %s", kindNames[want])
	}
	items := m.stack[from:]
	if want == kindDict && len(items)%2 != 0 {
		return errors.New("a name without value in a dict")
	}
	to := m.nodes[into]
	for _, item := range items {
		m.link(&to, item)
	}
	m.nodes[into] = to
	m.stack = m.stack[:end]
	return nil
}

// name pushes one of the few names that are known.
func (m *machine) name(op byte) error {
	var module, name []byte
	if op == opGlobal {
		for _, line := range []*[]byte{&module, &name} {
			n := bytes.IndexByte(m.data[m.pos:], '\n')
			if n < 0 {
				return errShort
			}
			*line = m.data[m.pos : m.pos+n]
			m.pos += n + 1
		}
	} else {
		if err := m.above(len(m.stack) - 2); err != nil {
			return err
		}
		for i, part := range []*[]byte{&module, &name} {
			n := m.nodes[m.stack[len(m.stack)-2+i]]
			if n.kind != kindText {
				return fmt.Errorf("a name that is %s", kindNames[n.kind])
			}
			*part = m.bytes(n)
		}
		m.stack = m.stack[:len(m.stack)-2]
	}
	id, ok := names[string(module)+" "+string(name)]
	if !ok {
		return fmt.Errorf("the pickle refers to %s.%s, which is not data", clip(module), clip(name))
	}
	m.push(node{kind: kindName, first: -1, last: -1, n: int64(id)})
	return nil
}

// clip makes text of a pickle fit for an error.
func clip(b []byte) string {
	const most = 60
	cut := len(b) > most
	s := fmt.Sprintf("%q", b[:min(len(b), most)])
	s = s[1 : len(s)-1]
	if cut {
		s += "…"
	}
	return s
}

// bytes are those of text or bytes.
func (d *Doc) bytes(n node) []byte {
	src := d.data
	if n.kind == kindMade {
		src = d.made
	}
	return src[n.off : int64(n.off)+n.n]
}

// items calls f for the values of a container.
func (d *Doc) items(n node, f func(i int, item int32) error) error {
	i := 0
	for c := n.first; c >= 0; c = d.cells[c].next {
		if err := f(i, d.cells[c].node); err != nil {
			return err
		}
		i++
	}
	return nil
}

// few are the items of a tuple of a known length.
func (d *Doc) few(n node, dst []int32) error {
	if n.kind != kindTuple || n.n != int64(len(dst)) {
		return fmt.Errorf("%s of %d where a tuple of %d should be", kindNames[n.kind], n.n, len(dst))
	}
	return d.items(n, func(i int, item int32) error {
		dst[i] = item
		return nil
	})
}
