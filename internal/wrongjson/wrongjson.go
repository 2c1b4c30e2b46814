// Package wrongjson makes documents wrong, one value at a time, for tests of what
// their readers say about them.
package wrongjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Variant is a document in which one value is another than it was.
type Variant struct {
	Doc     json.RawMessage
	Path    string   // of the value
	Members []string // the names in the path, the innermost last
	Value   string   // what stands there now
}

// values are of every type that JSON has, and numbers that no count can be.
var values = []string{
	`"some text"`, `""`, `1.5`, `-1`, `1e400`, `99999999999999999999`, `true`, `null`,
	`[]`, `[[]]`, `["x",1.5,null]`, `{}`, `{"x":1.5}`,
}

// Variants gives doc once for each of its values and each value that could stand
// there instead.
func Variants(doc string) iter.Seq[Variant] {
	return func(yield func(Variant) bool) { walk(Variant{Doc: json.RawMessage(doc)}, yield) }
}

// walk gives the variants of one value, and reports whether more are wanted.
func walk(at Variant, yield func(Variant) bool) bool {
	for _, value := range values {
		if !yield(Variant{json.RawMessage(value), at.Path, at.Members, value}) {
			return false
		}
	}
	raw := bytes.TrimSpace(at.Doc)
	var names []string // of an object's members, as JSON
	var parts [][]byte
	switch raw[0] {
	case '{':
		members, _ := strictjson.Split(raw)
		for _, m := range members {
			names = append(names, string(strictjson.AppendString(nil, m.Name))+":")
			parts = append(parts, m.Raw)
		}
	case '[':
		_ = strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
			parts = append(parts, elem)
			return nil
		})
	}
	for i, part := range parts {
		inner := Variant{part, at.Path + "[" + strconv.Itoa(i) + "]", at.Members, ""}
		if names != nil {
			name := strings.Trim(names[i], `":`)
			inner.Path, inner.Members = at.Path+"."+name, append(slices.Clip(at.Members), name)
		}
		more := walk(inner, func(v Variant) bool {
			others := slices.Clone(parts)
			others[i] = v.Doc
			v.Doc = compose(names, others)
			return yield(v)
		})
		if !more {
			return false
		}
	}
	return true
}

// compose joins the members of an object, or the elements of an array.
func compose(names []string, parts [][]byte) []byte {
	if names == nil {
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	}
	for i := range parts {
		parts[i] = append([]byte(names[i]), parts[i]...)
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}

// leaks are words of Go that nobody who reads documents must know, and hints what they
// hold: to look for these in thousands of texts takes a tenth of the time.
var (
	leaks = regexp.MustCompile(`Go struct|Go value|Go's|unmarshal|(?:^| )json: |strconv|reflect|interface ?\{|map\[|\[\][a-z]|RawMessage|struct field|<nil>|0x[0-9a-f]{8}|%!|\n`)
	hints = []string{"Go", "unmarshal", "json: ", "strconv", "reflect", "interface", "map[", "[]", "RawMessage", "struct field", "<nil>", "0x", "%!", "\n"}
	ints  = regexp.MustCompile(`\bint\b`)
)

// leak is a word of Go in a text, "" where there is none.
func leak(text string) string {
	if slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(text, hint) }) {
		if word := leaks.FindString(text); word != "" {
			return word
		}
	}
	if strings.Contains(text, "int") {
		return ints.FindString(text)
	}
	return ""
}

// Check reports an error that speaks of Go, or that names neither the value that
// is wrong nor a member that holds it. A document may as well be right.
func Check(t testing.TB, v Variant, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := err.Error()
	if word := leak(text); word != "" {
		t.Errorf("%s = %s: %q in %q", v.Path, v.Value, word, text)
	}
	// What is empty lacks something that is not in the path, or does not fit others.
	if len(v.Members) == 0 || slices.Contains([]string{`{}`, `[]`, `""`, `null`}, v.Value) {
		return
	}
	near := append(slices.Clone(v.Members), strings.Trim(v.Value, `"`))
	if !slices.ContainsFunc(near, func(name string) bool { return strings.Contains(text, name) }) {
		t.Errorf("%s = %s: no member is named in %q", v.Path, v.Value, text)
	}
}
