package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Validate checks a whole document, whatever its value is.
func Validate(data []byte, opts Options) error {
	s, err := newScanner(data, opts)
	if err != nil {
		return err
	}
	s.space()
	if err := s.value(0, s.opts.NaN); err != nil {
		return err
	}
	return s.end()
}

// Object checks a whole document, whose value must be an object, and returns
// the members in the order of the document. Their Raw bytes are part of data.
func Object(data []byte, opts Options) ([]Member, error) {
	s, err := newScanner(data, opts)
	if err != nil {
		return nil, err
	}
	s.space()
	if s.pos < len(data) && data[s.pos] != '{' {
		if err := s.value(0, s.opts.NaN); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("must be an object, not %s", Describe(data))
	}
	members := make([]Member, 0, usual)
	if err := s.object(0, s.opts.NaN, &members); err != nil {
		return nil, err
	}
	return members, s.end()
}

// scanner walks over a document. It recurses, which the limit of the depth
// keeps harmless, and notes where it is for the sake of errors.
type scanner struct {
	data  []byte
	pos   int
	opts  Options
	steps []step   // the path to the current value
	names [][]byte // decoded names of all objects that are open
	// values counts those that were begun.
	values int

	// Memory of steps and names that most documents can do with.
	firstSteps [usual]step
	firstNames [usual][]byte
}

// usual is how many members the document of an array has, and a few more.
const usual = 12

// step is a member's decoded name, or the index of an element if that is nil.
type step struct {
	name  []byte
	index int
}

func newScanner(data []byte, opts Options) (*scanner, error) {
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultBytes
	}
	if opts.MaxDepth == 0 {
		opts.MaxDepth = DefaultDepth
	}
	if len(data) > opts.MaxBytes {
		return nil, fmt.Errorf("%d bytes long, at most %d are allowed", len(data), opts.MaxBytes)
	}
	if !utf8.Valid(data) {
		at := 0
		for at < len(data) {
			r, n := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return nil, fmt.Errorf("not JSON: byte %d is not UTF-8", at)
	}
	s := &scanner{data: data, opts: opts}
	s.steps, s.names = s.firstSteps[:0], s.firstNames[:0]
	return s, nil
}

// errorf makes an error about the value at the current path.
func (s *scanner) errorf(format string, args ...any) error {
	const shown = 12 // steps; a path of hundreds helps nobody
	var b strings.Builder
	for i, st := range s.steps {
		if i == shown {
			b.WriteString("...")
			break
		}
		if st.name == nil {
			b.WriteString("[" + strconv.Itoa(st.index) + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(Step(string(st.name)))
	}
	return &Error{Path: b.String(), Err: fmt.Errorf(format, args...)}
}

// unexpected is the error for a byte that cannot stand where it stands.
func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.data) {
		return s.errorf("not JSON: it ends at byte %d where %s should follow", s.pos, want)
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	return s.errorf("not JSON: %q at byte %d where %s should be", r, s.pos, want)
}

func (s *scanner) space() { s.pos = skipSpace(s.data, s.pos) }

// is reports whether the next byte is c, and steps over it.
func (s *scanner) is(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) end() error {
	s.space()
	if s.pos < len(s.data) {
		return fmt.Errorf("not JSON: more text behind the value, at byte %d", s.pos)
	}
	return nil
}

// often is after how many values the context is asked.
const often = 1 << 12

// value steps over one value; nan says whether bare tokens are allowed in it.
func (s *scanner) value(depth int, nan bool) error {
	if s.values++; s.values%often == 0 && s.opts.Context != nil {
		if err := s.opts.Context.Err(); err != nil {
			return err
		}
	}
	if s.pos >= len(s.data) {
		return s.unexpected("a value")
	}
	switch c := s.data[s.pos]; {
	case c == '{':
		return s.object(depth, nan, nil)
	case c == '[':
		return s.array(depth, nan)
	case c == '"':
		_, err := s.text()
		return err
	case c == '-' || c >= '0' && c <= '9':
		if tok := bareToken(s.data[s.pos:]); tok != "" {
			return s.bare(tok, nan)
		}
		return s.number()
	default:
		for _, lit := range [...]string{"null", "true", "false"} {
			if hasToken(s.data[s.pos:], lit) {
				s.pos += len(lit)
				return nil
			}
		}
		if tok := bareToken(s.data[s.pos:]); tok != "" {
			return s.bare(tok, nan)
		}
		return s.unexpected("a value")
	}
}

func (s *scanner) bare(tok string, nan bool) error {
	if !nan {
		return s.errorf("bare %s is not JSON", tok)
	}
	s.pos += len(tok)
	return nil
}

func (s *scanner) array(depth int, nan bool) error {
	if depth >= s.opts.MaxDepth {
		return s.errorf("nested deeper than %d levels", s.opts.MaxDepth)
	}
	s.pos++
	s.space()
	if s.is(']') {
		return nil
	}
	for i := 0; ; i++ {
		s.steps = append(s.steps, step{index: i})
		s.space()
		if err := s.value(depth+1, nan); err != nil {
			return err
		}
		s.steps = s.steps[:len(s.steps)-1]
		s.space()
		if s.is(']') {
			return nil
		}
		if !s.is(',') {
			return s.unexpected("',' or ']'")
		}
	}
}

// object steps over an object and, unless members is nil, collects its members.
func (s *scanner) object(depth int, nan bool, members *[]Member) error {
	if depth >= s.opts.MaxDepth {
		return s.errorf("nested deeper than %d levels", s.opts.MaxDepth)
	}
	if !s.is('{') {
		return s.unexpected("'{'")
	}
	s.space()
	if s.is('}') {
		return nil
	}
	first := len(s.names)
	var many map[string]struct{} // takes over from a linear search
	for {
		s.space()
		if s.pos >= len(s.data) || s.data[s.pos] != '"' {
			return s.unexpected("a member's name")
		}
		name, err := s.name()
		if err != nil {
			return err
		}
		s.steps = append(s.steps, step{name: name})
		if many, err = s.unique(name, first, many); err != nil {
			return err
		}
		s.space()
		if !s.is(':') {
			return s.unexpected("':'")
		}
		s.space()
		start, allow := s.pos, nan
		if depth == 0 && !allow {
			allow = slices.Contains(s.opts.NaNIn, string(name))
		}
		if err := s.value(depth+1, allow); err != nil {
			return err
		}
		if members != nil {
			*members = append(*members, Member{string(name), json.RawMessage(s.data[start:s.pos:s.pos])})
		}
		s.steps = s.steps[:len(s.steps)-1]
		s.space()
		if s.is('}') {
			s.names = s.names[:first]
			return nil
		}
		if !s.is(',') {
			return s.unexpected("',' or '}'")
		}
	}
}

// unique notes a name of the object whose names start at first, and refuses
// one that was there before.
func (s *scanner) unique(name []byte, first int, many map[string]struct{}) (map[string]struct{}, error) {
	const few = 16
	duplicate := false
	if many != nil {
		_, duplicate = many[string(name)]
	} else {
		for _, other := range s.names[first:] {
			if bytes.Equal(other, name) {
				duplicate = true
				break
			}
		}
	}
	if duplicate {
		return nil, s.errorf("the object has two members of this name")
	}
	if many == nil && len(s.names)-first < few {
		s.names = append(s.names, name)
		return nil, nil
	}
	if many == nil {
		many = make(map[string]struct{}, 2*few)
		for _, other := range s.names[first:] {
			many[string(other)] = struct{}{}
		}
		s.names = s.names[:first]
	}
	many[string(name)] = struct{}{}
	return many, nil
}

// name steps over a member's name and returns it decoded.
func (s *scanner) name() ([]byte, error) {
	start := s.pos
	escaped, err := s.text()
	if err != nil {
		return nil, err
	}
	body := s.data[start+1 : s.pos-1 : s.pos-1]
	if !escaped {
		return body, nil
	}
	name, whole := unescape(body)
	if !whole {
		s.pos = start
		return nil, s.errorf("member name %s has half of a surrogate pair", Quote(string(body)))
	}
	return name, nil
}

// text steps over a string and reports whether it has escapes.
func (s *scanner) text() (escaped bool, err error) {
	start := s.pos
	for i := start + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return escaped, nil
		case c == '\\':
			escaped = true
			n := escapeLen(s.data[i:])
			if n == 0 {
				s.pos = i
				return false, s.errorf("not JSON: bad escape in a string, at byte %d", i)
			}
			i += n - 1
		case c < ' ':
			s.pos = i
			return false, s.errorf("not JSON: control character in a string, at byte %d", i)
		}
	}
	return false, s.errorf("not JSON: the string at byte %d does not end", start)
}

// number steps over a number.
func (s *scanner) number() error {
	n, err := numberLen(s.data[s.pos:])
	if err != nil {
		return s.errorf("not JSON: %w at byte %d", err, s.pos)
	}
	s.pos += n
	return nil
}

var errNumber = errors.New("malformed number")

// numberLen is the length of the number that data starts with.
func numberLen(data []byte) (int, error) {
	i := 0
	digits := func() bool {
		start := i
		for i < len(data) && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(data) && data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !digits() {
		return 0, errNumber
	}
	if i < len(data) && data[i] == '.' {
		i++
		if !digits() {
			return 0, errNumber
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !digits() {
			return 0, errNumber
		}
	}
	if i < len(data) && isWord(data[i]) {
		return 0, errNumber
	}
	return i, nil
}
