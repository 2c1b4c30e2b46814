package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// asJSON is the format of json2, with the options of Python's encoder.
type asJSON struct {
	spelled jsonConfig
	style   pyjson.Style
	ascii   bool // the encoding has no other characters
	control bool // control characters may stand in strings
}

// jsonConfig is the configuration in the order of numcodecs.
type jsonConfig struct {
	Encoding      string          `json:"encoding"`
	SkipKeys      bool            `json:"skipkeys"`
	EnsureASCII   bool            `json:"ensure_ascii"`
	CheckCircular bool            `json:"check_circular"`
	AllowNaN      bool            `json:"allow_nan"`
	Indent        json.RawMessage `json:"indent"`
	Separators    json.RawMessage `json:"separators"`
	SortKeys      bool            `json:"sort_keys"`
	Strict        bool            `json:"strict"`
}

// maxIndent bounds what a number in metadata can make of every line.
const maxIndent = 64

// ParseJSON reads the configuration of "numcodecs.json2".
func ParseJSON(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	f := asJSON{spelled: jsonConfig{
		Encoding: "utf-8", EnsureASCII: true, CheckCircular: true, AllowNaN: true, SortKeys: true, Strict: true,
	}}
	c := &f.spelled
	if err := codec.ParseConfig(raw, c); err != nil {
		return nil, err
	}
	switch strings.ReplaceAll(strings.ToLower(c.Encoding), "_", "-") {
	case "utf-8", "utf8":
	case "ascii", "us-ascii":
		f.ascii = true
	default:
		return nil, fmt.Errorf("encoding is %q: must be \"utf-8\" or \"ascii\"", c.Encoding)
	}
	f.style = pyjson.Style{ASCII: c.EnsureASCII, Sort: c.SortKeys, Finite: !c.AllowNaN}
	f.control = !c.Strict
	if err := f.indent(); err != nil {
		return nil, err
	}
	if err := f.separators(); err != nil {
		return nil, err
	}
	return Codec{name, f}, nil
}

// indent reads null, a number of spaces, or what stands for one level.
func (f *asJSON) indent() error {
	raw := f.spelled.Indent
	if raw == nil {
		f.spelled.Indent = json.RawMessage("null")
	}
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var s string
	if n, err := strconv.Atoi(string(raw)); err == nil && n <= maxIndent {
		s = strings.Repeat(" ", max(n, 0))
	} else if err := strictjson.Unmarshal(raw, &s); err != nil || strings.Trim(s, " \t") != "" || len(s) > maxIndent {
		return fmt.Errorf("indent is %s: must be null, a number of spaces up to %d, or white space", clip(string(raw)), maxIndent)
	}
	f.style.Indent = &s
	return nil
}

// separators reads null or the pair of what stands between items and behind
// names.
func (f *asJSON) separators() error {
	raw := f.spelled.Separators
	pair := []string{",", ":"}
	if f.style.Indent != nil {
		pair = []string{", ", ": "}
	}
	if raw != nil && string(raw) != "null" {
		pair = nil
		err := strictjson.Unmarshal(raw, &pair)
		if err != nil || len(pair) != 2 || strings.Trim(pair[0], " \t\r\n") != "," || strings.Trim(pair[1], " \t\r\n") != ":" {
			return fmt.Errorf("separators are %s: must be a comma and a colon, with white space around them", clip(string(raw)))
		}
	}
	f.style.Item, f.style.Name = pair[0], pair[1]
	var err error
	f.spelled.Separators, err = json.Marshal(pair)
	return err
}

func (f asJSON) config() any { return f.spelled }

func (f asJSON) encode(dst []byte, s *serializer, src nd.View) ([]byte, error) {
	w := &pyjson.Writer{B: dst, Style: f.style}
	if err := document(w, s, src); err != nil {
		return nil, err
	}
	return w.B, f.encodable(w.B[len(dst):])
}

// encodable checks that the encoding has all characters.
func (f asJSON) encodable(text []byte) error {
	if f.ascii {
		for _, c := range text {
			if c >= 0x80 {
				return errors.New("a character that the encoding ascii does not have")
			}
		}
	}
	return nil
}

func (f asJSON) decode(data []byte, into *filler) error {
	tail, err := jsonTail(data)
	if err != nil {
		return err
	}
	if err := into.check(tail.descr, tail.shape); err != nil {
		return err
	}
	r := &jsonReader{Reader: pyjson.Reader{Src: data, Control: f.control}, into: into, shape: tail.shape}
	r.value = func(s pyjson.Sink) error {
		var err error
		r.pos, err = r.Value(r.pos, s)
		return err
	}
	return r.document(tail.at)
}

// jsonReader reads a document.
type jsonReader struct {
	pyjson.Reader
	into  *filler
	shape []int
	pos   int
	value func(pyjson.Sink) error // reads the value at pos
}

// document reads the outermost list up to the type, which stands at end.
func (r *jsonReader) document(end int) error {
	if err := r.expect('['); err != nil {
		return err
	}
	shape := r.shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	for range shape[0] {
		if err := r.nested(shape[1:]); err != nil {
			return err
		}
		if err := r.expect(','); err != nil {
			return err
		}
	}
	if r.pos = r.Space(r.pos); r.pos != end {
		return codec.Bad("the type does not stand behind %d values", r.into.n)
	}
	return nil
}

// nested reads an element, or a list of them for every axis that is left.
func (r *jsonReader) nested(left []int) error {
	if len(left) == 0 {
		return r.into.next(r.value)
	}
	if err := r.expect('['); err != nil {
		return err
	}
	for i := range left[0] {
		if i > 0 {
			if err := r.expect(','); err != nil {
				return err
			}
		}
		if err := r.nested(left[1:]); err != nil {
			return err
		}
	}
	return r.expect(']')
}

func (r *jsonReader) expect(c byte) error {
	var err error
	r.pos, err = r.Expect(r.pos, c)
	return err
}

// tail is what stands at the end of a document.
type tail struct {
	descr string
	shape []int
	at    int // where the type begins
}

var errTail = codec.Bad("does not end with the type and the shape of an array")

// jsonTail reads the end of a document backwards, so that the shape is known
// before the elements are read. Neither a type nor a shape has brackets or
// quotes inside.
func jsonTail(data []byte) (tail, error) {
	var t tail
	end := len(data)
	back := func(c byte) bool {
		for end > 0 && strings.IndexByte(" \t\r\n", data[end-1]) >= 0 {
			end--
		}
		if end == 0 || data[end-1] != c {
			return false
		}
		end--
		return true
	}
	until := func(c byte) (string, bool) {
		to := end
		for end > 0 && to-end < 1<<10 {
			if end--; data[end] == c {
				return string(data[end+1 : to]), true
			}
		}
		return "", false
	}
	for range 2 { // of the document and of the shape
		if !back(']') {
			return t, errTail
		}
	}
	shape, ok := until('[')
	if !ok || json.Unmarshal([]byte("["+shape+"]"), &t.shape) != nil || len(t.shape) > nd.MaxRank {
		return t, errTail
	}
	if !back(',') || !back('"') {
		return t, errTail
	}
	if t.descr, ok = until('"'); !ok {
		return t, errTail
	}
	t.at = end
	return t, nil
}

func (f asJSON) decodeOne(data []byte, w *pyjson.Writer) error {
	t, err := jsonTail(data)
	if err != nil {
		return err
	}
	if len(t.shape) > 0 {
		return fmt.Errorf("holds an array of shape %v, not one value", t.shape)
	}
	r := pyjson.Reader{Src: data, Control: f.control}
	pos, err := r.Expect(0, '[')
	if err == nil {
		pos, err = r.Value(pos, w)
	}
	if err == nil {
		pos, err = r.Expect(pos, ',')
	}
	if err == nil && r.Space(pos) != t.at {
		err = errTail
	}
	return err
}

func (f asJSON) encodeOne(dst, value []byte) ([]byte, error) {
	w := &pyjson.Writer{B: dst, Style: f.style}
	if err := one(w, value); err != nil {
		return nil, err
	}
	return w.B, f.encodable(w.B[len(dst):])
}

// one sends the document of a single value to a sink, as numcodecs writes an
// array without axes.
func one(sink pyjson.Sink, value []byte) error {
	descr, err := valueType(value)
	if err != nil {
		return err
	}
	var r pyjson.Reader
	for _, step := range []func() error{
		sink.List,
		func() error { return r.All(value, sink) },
		func() error { return sink.Text([]byte(descr)) },
		sink.List, sink.End, sink.End,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
