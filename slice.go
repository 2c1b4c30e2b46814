package zarr

import (
	"fmt"
	"strconv"
	"strings"
)

// Slice reads a selection as Python writes it: "0:64, :, ::2, -1, ...". Axes may be
// named instead, as far as the array does: "time=0:10, x=5"; those that are not are
// selected whole. A mistake in the text is reported when the selection is used.
func Slice(text string) Selection {
	sel, err := ParseSlice(text)
	if err != nil {
		return badSelection{err}
	}
	return sel
}

// ParseSlice is Slice for those who want to know of mistakes at once.
func ParseSlice(text string) (Selection, error) {
	terms, err := ParseTerms(text)
	if err != nil {
		return nil, err
	}
	var all axes
	named := Named{}
	for _, t := range terms {
		a, err := t.axis()
		if err != nil {
			return nil, badText(text, err)
		}
		if t.Name == "" {
			all = append(all, a)
		} else {
			named[t.Name] = a
		}
	}
	switch {
	case len(terms) == 0:
		return All(), nil
	case len(named) == 0:
		return all, nil
	}
	return named, nil
}

func badText(text string, err error) error {
	return fail("parse", "selection", mark(ErrSelection, fmt.Errorf("selection %q: %w", text, err)))
}

// badSelection is a selection whose text has a mistake.
type badSelection struct{ err error }

func (b badSelection) plan(space) (*plan, error) {
	if known, ok := b.err.(*Error); ok {
		return nil, known.Err
	}
	return nil, b.err
}

// Term is one part of the text of a selection, between commas. It is for those who
// give values a meaning of their own, such as that of coordinates.
type Term struct {
	Name  string // of the axis, "" if it goes by its place
	Value string // a number, a slice, or "..."
	// Index says that an @ stood before the value: that it is an index, whatever
	// coordinates there are.
	Index bool
}

// ParseTerms cuts the text of a selection into its parts. Either all axes are named
// or none, and none twice.
func ParseTerms(text string) ([]Term, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var out []Term
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		var t Term
		name, value, isNamed := strings.Cut(part, "=")
		if t.Name = strings.TrimSpace(name); !isNamed {
			t.Name, value = "", part
		} else if t.Name == "" {
			return nil, badText(text, fmt.Errorf("%q names no axis", strings.TrimSpace(part)))
		}
		t.Value, t.Index = strings.CutPrefix(strings.TrimSpace(value), "@")
		t.Value = strings.TrimSpace(t.Value)
		switch {
		case isNamed && seen[t.Name]:
			return nil, badText(text, fmt.Errorf("axis %q is named twice", t.Name))
		case len(out) > 0 && (out[0].Name == "") != (t.Name == ""):
			return nil, badText(text, fmt.Errorf("some axes are named and some are not"))
		}
		seen[t.Name] = true
		out = append(out, t)
	}
	return out, nil
}

// Axis takes the value for an index, or a slice of indices.
func (t Term) Axis() (Axis, error) {
	a, err := t.axis()
	return a, fail("parse", "selection", mark(ErrSelection, err))
}

func (t Term) axis() (Axis, error) {
	if t.Value == "..." && t.Name == "" {
		return Ellipsis(), nil
	}
	bad := fmt.Errorf("%q is no index or slice", t.Value)
	parts := strings.Split(t.Value, ":")
	if len(parts) > 3 {
		return Axis{}, bad
	}
	var n [3]int
	var given [3]bool
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && len(parts) > 1 {
			continue
		}
		v, err := strconv.Atoi(p)
		if err != nil {
			return Axis{}, bad
		}
		n[i], given[i] = v, true
	}
	if len(parts) == 1 {
		return At(n[0]), nil
	}
	if !given[2] {
		n[2] = 1
	}
	return Axis{start: n[0], stop: n[1], step: n[2], open: !given[1], first: !given[0]}, nil
}
