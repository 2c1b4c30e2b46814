package npy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// magic is what files begin with; the version follows.
const magic = "\x93NUMPY"

// Starts reports whether a file that begins so may be one of NumPy.
func Starts(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// mostHeader is how long a header may be. NumPy's own have some hundred bytes, and
// more for structs with many fields.
const mostHeader = 1 << 20

// Header is what a file says of its elements.
type Header struct {
	Descr   json.RawMessage // the data type, with lists for Python's tuples
	Fortran bool            // the first axis varies fastest
	Shape   []int
	// Offset is where the elements begin.
	Offset int64
}

var errShort = errors.New("the file ends within the header")

// length says how long the beginning of a file is up to the elements.
func length(head []byte) (int64, error) {
	if !Starts(head) {
		return 0, errors.New("it does not begin as a .npy file does")
	}
	if len(head) < 10 {
		return 0, errShort
	}
	var n int64
	switch version := head[6]; {
	case version == 1:
		n = 10 + int64(binary.LittleEndian.Uint16(head[8:]))
	case version > 3:
		return 0, fmt.Errorf("version %d.%d of the format is not known", version, head[7])
	case len(head) < 12:
		return 0, errShort
	default:
		n = 12 + int64(binary.LittleEndian.Uint32(head[8:]))
	}
	if n > mostHeader {
		return 0, fmt.Errorf("the header has %d bytes, more than the %d that are read", n, mostHeader)
	}
	return n, nil
}

// ParseHeader reads the beginning of a file.
func ParseHeader(head []byte) (*Header, error) {
	n, err := length(head)
	if err != nil {
		return nil, err
	}
	if int64(len(head)) < n {
		return nil, errShort
	}
	text := head[10:n]
	if head[6] > 1 {
		text = head[12:n]
	}
	if head[6] < 3 { // Latin-1
		wide := make([]rune, len(text))
		for i, b := range text {
			wide[i] = rune(b)
		}
		text = []byte(string(wide))
	} else if !utf8.Valid(text) {
		return nil, errors.New("the header is no UTF-8")
	}
	p := literal{text: string(text)}
	raw, err := p.value(0)
	if err == nil {
		if p.space(); p.text != "" {
			err = fmt.Errorf("%q stands behind it", cut(p.text))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the header is no Python dictionary: %w", err)
	}
	h := &Header{Offset: n}
	seen := map[string]bool{}
	members, err := strictjson.Split(raw)
	for _, m := range members {
		seen[m.Name] = true
		switch m.Name {
		case "descr":
			h.Descr = m.Raw
		case "fortran_order":
			if h.Fortran, err = strictjson.Bool(m.Raw); err != nil {
				return nil, fmt.Errorf("header: fortran_order: %w", err)
			}
		case "shape":
			if json.Unmarshal(m.Raw, &h.Shape) != nil {
				return nil, fmt.Errorf("header: shape: %s is no tuple of integers", cut(string(m.Raw)))
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for _, name := range []string{"descr", "fortran_order", "shape"} {
		if !seen[name] {
			return nil, fmt.Errorf("header: there is no %s", name)
		}
	}
	for _, n := range h.Shape {
		if n < 0 {
			return nil, fmt.Errorf("header: shape %v has a negative length", h.Shape)
		}
	}
	return h, nil
}

func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// literal reads what Python's repr writes, and gives it as JSON: tuples are lists.
type literal struct{ text string }

const mostNesting = 32

func (p *literal) space() { p.text = strings.TrimLeft(p.text, " \t\r\n") }

func (p *literal) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.text, token)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *literal) value(depth int) (json.RawMessage, error) {
	if depth > mostNesting {
		return nil, errors.New("it is nested too deeply")
	}
	p.space()
	switch {
	case p.text == "":
		return nil, errors.New("it ends early")
	case p.take("True"):
		return json.RawMessage("true"), nil
	case p.take("False"):
		return json.RawMessage("false"), nil
	case p.take("None"):
		return json.RawMessage("null"), nil
	case p.take("("):
		return p.list(")", depth)
	case p.take("["):
		return p.list("]", depth)
	case p.take("{"):
		return p.dictionary(depth)
	case p.text[0] == '\'' || p.text[0] == '"':
		s, err := p.quoted()
		return strictjson.AppendString(nil, s), err
	}
	n := 0
	for n < len(p.text) && (p.text[n] >= '0' && p.text[n] <= '9' || n == 0 && p.text[n] == '-') {
		n++
	}
	number, err := strconv.ParseInt(p.text[:n], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no value", cut(p.text))
	}
	p.text = p.text[n:]
	p.take("L") // as Python 2 wrote some
	return strconv.AppendInt(nil, number, 10), nil
}

// list reads what stands between brackets.
func (p *literal) list(end string, depth int) (json.RawMessage, error) {
	out := []byte{'['}
	for !p.take(end) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if out = append(out, v...); !p.take(",") {
			if !p.take(end) {
				return nil, fmt.Errorf("%q stands where a comma or %s is wanted", cut(p.text), end)
			}
			break
		}
	}
	return append(out, ']'), nil
}

func (p *literal) dictionary(depth int) (json.RawMessage, error) {
	out := []byte{'{'}
	for !p.take("}") {
		if p.space(); p.text == "" || p.text[0] != '\'' && p.text[0] != '"' {
			return nil, fmt.Errorf("%q is no name", cut(p.text))
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if !p.take(":") {
			return nil, fmt.Errorf("%q stands where a colon is wanted", cut(p.text))
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(append(strictjson.AppendString(out, name), ':'), v...)
		if !p.take(",") {
			if !p.take("}") {
				return nil, fmt.Errorf("%q stands where a comma or } is wanted", cut(p.text))
			}
			break
		}
	}
	return append(out, '}'), nil
}

// quoted reads a string.
func (p *literal) quoted() (string, error) {
	quote := p.text[0]
	p.text = p.text[1:]
	var out []byte
	for p.text != "" {
		if p.text[0] == quote {
			p.text = p.text[1:]
			return string(out), nil
		}
		if strings.HasPrefix(p.text, `\'`) || strings.HasPrefix(p.text, `\"`) {
			out, p.text = append(out, p.text[1]), p.text[2:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(p.text, 0) // Python's escapes are Go's
		if err != nil {
			return "", fmt.Errorf("%q is no text", cut(p.text))
		}
		out, p.text = utf8.AppendRune(out, r), rest // \xe4 is a character, not a byte
	}
	return "", errors.New("a text does not end")
}
