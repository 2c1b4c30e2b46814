package refs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// parser reads a manifest in one pass over its references, which may be
// millions: nothing is kept of them but what the Manifest has.
type parser struct {
	scanner
	m         *Manifest
	known     map[string]int32 // files by name
	templates map[string]string
}

// document reads the outermost object. References come last, whatever their
// place, since templates are for them.
func (p *parser) document() error {
	if !utf8.Valid(p.data) {
		return errors.New("not JSON: not UTF-8")
	}
	refs := -1
	seen := map[string]bool{}
	err := p.object(func(name []byte) error {
		start := p.pos
		if err := p.skip(); err != nil {
			return err
		}
		raw := json.RawMessage(p.data[start:p.pos])
		if seen[string(name)] {
			return errors.New("is there twice")
		}
		if len(seen) == 64 {
			return errors.New("too many members: no manifest")
		}
		seen[string(name)] = true
		if string(name) == "refs" {
			refs = start
			return nil
		}
		if err := strictjson.Validate(raw, strictjson.Options{MaxBytes: MaxBytes}); err != nil {
			return err
		}
		switch string(name) {
		case "version":
			if n, err := strictjson.Int(raw); err != nil || n != 1 {
				return fmt.Errorf("%s, must be 1", strictjson.Excerpt(raw))
			}
		case "templates":
			return p.readTemplates(raw)
		case "gen":
			if string(bytes.Join(bytes.Fields(raw), nil)) != "[]" {
				return errors.New("generated references are not supported")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	for _, name := range []string{"version", "refs"} {
		if !seen[name] {
			return fmt.Errorf("missing member %q", name)
		}
	}
	p.pos = refs
	return strictjson.At("refs", p.object(p.reference))
}

func (p *parser) readTemplates(raw json.RawMessage) error {
	members, err := strictjson.Split(raw)
	if err != nil {
		return err
	}
	p.templates = make(map[string]string, len(members))
	for _, m := range members {
		text, err := strictjson.String(m.Raw)
		if err == nil && strings.Contains(text, "{{") {
			err = errors.New("templates with parameters are not supported")
		}
		if err != nil {
			return strictjson.AtMember(m.Name, err)
		}
		p.templates[m.Name] = text
	}
	return nil
}

// fill replaces the templates in the name of a file.
func (p *parser) fill(text string) (string, error) {
	if p.templates == nil || !strings.Contains(text, "{{") {
		return text, nil
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, found := strings.Cut(rest, "}}")
		value, known := p.templates[strings.TrimSpace(name)]
		if !found || !known {
			return "", fmt.Errorf("template {{%.40s}} is not known", name)
		}
		if out.Len()+len(value) > maxURL {
			return "", errLongURL
		}
		out.WriteString(value)
		text = after
	}
}

// maxURL bounds the name of a file.
const maxURL = 1 << 16

var errLongURL = fmt.Errorf("the name of a file has more than %d bytes", maxURL)

// reference reads the value of one member of refs.
func (p *parser) reference(key []byte) error {
	if p.pos == len(p.data) {
		return p.unexpected("a reference")
	}
	switch p.data[p.pos] {
	case '"':
		text, err := p.text()
		if err != nil {
			return err
		}
		data, err := inline(text)
		if err != nil {
			return err
		}
		return p.add(key, Reference{Data: data})
	case '{': // a document, as it is
		start := p.pos
		if err := p.skip(); err != nil {
			return err
		}
		raw := p.data[start:p.pos]
		if err := strictjson.Validate(raw, strictjson.Options{MaxBytes: MaxBytes, NaN: true}); err != nil {
			return err
		}
		return p.add(key, Reference{Data: raw})
	case '[':
		r, err := p.place()
		if err != nil {
			return err
		}
		return p.add(key, r)
	}
	return p.unexpected("a string, an array or an object")
}

// place reads [url] or [url, offset, length].
func (p *parser) place() (Reference, error) {
	r := Reference{Length: -1}
	p.pos++
	p.space()
	var err error
	if r.URL, err = p.file(); err != nil {
		return r, err
	}
	p.space()
	if p.is(']') {
		return r, nil
	}
	for _, n := range []*int64{&r.Offset, &r.Length} {
		if !p.is(',') {
			return r, p.unexpected("','")
		}
		p.space()
		if *n, err = p.number(); err != nil {
			return r, err
		}
		p.space()
	}
	if !p.is(']') {
		return r, p.unexpected("']'")
	}
	if r.Offset > math.MaxInt64-r.Length {
		return r, fmt.Errorf("offset %d and length %d are too large", r.Offset, r.Length)
	}
	return r, nil
}

// file reads the name of a file. Most are there many times.
func (p *parser) file() (string, error) {
	start := p.pos
	escaped, err := p.skipText()
	if err != nil {
		return "", err
	}
	if body := p.data[start+1 : p.pos-1]; !escaped && p.templates == nil {
		if i, ok := p.known[string(body)]; ok {
			return p.m.files[i], nil
		}
	}
	url, err := strictjson.String(p.data[start:p.pos])
	if err == nil {
		url, err = p.fill(url)
	}
	switch {
	case err != nil:
		return "", err
	case url == "":
		return "", errors.New("the name of the file is empty")
	case len(url) > maxURL:
		return "", errLongURL
	}
	return url, nil
}

// scanner walks over JSON.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) is(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.data) {
		return fmt.Errorf("not JSON: ends where %s should be", want)
	}
	return fmt.Errorf("%q at byte %d where %s should be", s.data[s.pos], s.pos, want)
}

func (s *scanner) end() error {
	if s.space(); s.pos < len(s.data) {
		return s.unexpected("the end")
	}
	return nil
}

// object calls f at the value of every member, which f steps over.
func (s *scanner) object(f func(name []byte) error) error {
	s.space()
	if !s.is('{') {
		return s.unexpected("an object")
	}
	if s.space(); s.is('}') {
		return nil
	}
	for {
		s.space()
		start := s.pos
		escaped, err := s.skipText()
		if err != nil {
			return err
		}
		name := s.data[start+1 : s.pos-1]
		if escaped {
			text, err := strictjson.String(s.data[start:s.pos])
			if err != nil {
				return err
			}
			name = []byte(text)
		}
		s.space()
		if !s.is(':') {
			return s.unexpected("':'")
		}
		s.space()
		if err := f(name); err != nil {
			return strictjson.AtMember(string(name), err)
		}
		s.space()
		if s.is('}') {
			return nil
		}
		if !s.is(',') {
			return s.unexpected("',' or '}'")
		}
	}
}

// skipText steps over a string.
func (s *scanner) skipText() (escaped bool, err error) {
	if s.pos == len(s.data) || s.data[s.pos] != '"' {
		return false, s.unexpected("a string")
	}
	for i := s.pos + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return escaped, nil
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return false, fmt.Errorf("not JSON: control character in a string, at byte %d", i)
		}
	}
	return false, fmt.Errorf("not JSON: the string at byte %d does not end", s.pos)
}

// text reads a string.
func (s *scanner) text() (string, error) {
	start := s.pos
	escaped, err := s.skipText()
	if err != nil {
		return "", err
	}
	if escaped {
		return strictjson.String(s.data[start:s.pos])
	}
	return string(s.data[start+1 : s.pos-1]), nil
}

// number reads an integer that is not negative.
func (s *scanner) number() (int64, error) {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	digits := s.data[start:s.pos]
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, s.unexpected("a number of bytes")
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40s bytes are too many", digits)
	}
	return n, nil
}

// skip steps over a value, whose form is checked elsewhere.
func (s *scanner) skip() error {
	depth := 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '"':
			if _, err := s.skipText(); err != nil {
				return err
			}
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		default:
			s.pos++
			for depth == 0 && s.pos < len(s.data) && !strings.ContainsRune(",}] \t\n\r", rune(s.data[s.pos])) {
				s.pos++
			}
		}
		if depth <= 0 {
			return nil
		}
	}
	return s.unexpected("a value")
}
