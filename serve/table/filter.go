package table

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// Condition is one that rows must meet.
type Condition struct {
	Column, Op, Value string
}

// ops are what conditions can ask, the longer ones first.
var ops = []string{">=", "<=", "!=", ">", "<", "=", "~"}

// ParseFilter reads conditions that are apart by commas: a column, what is asked of it,
// and a value, as in
//
//	rate>=3, quality=good, name~"a, b"
//
// The operators are =, !=, <, <=, >, >= and ~, which asks whether a text has another in
// it, large and small letters alike. Names and values may stand in double quotes, inside
// of which \" is one; an empty value is what is missing.
func ParseFilter(text string) ([]Condition, error) {
	var out []Condition
	rest := text
	wrong := func(what string) ([]Condition, error) {
		return nil, fmt.Errorf("%w: filter %q: %s at %q; conditions look like rate>=3, quality=good, name~\"a b\"", ErrRequest, text, what, words.Cut(rest, 40))
	}
	for strings.TrimSpace(rest) != "" {
		if len(out) == mostConditions {
			return wrong(fmt.Sprintf("more than %d conditions", mostConditions))
		}
		name, after, ok := token(rest, "<>=!~,")
		if !ok || name == "" {
			return wrong("no column")
		}
		c := Condition{Column: name}
		for _, op := range ops {
			if strings.HasPrefix(after, op) {
				c.Op, after = op, after[len(op):]
				break
			}
		}
		if c.Op == "" {
			return wrong("no operator")
		}
		if c.Value, after, ok = token(after, ","); !ok {
			return wrong("a quote that does not end")
		}
		out = append(out, c)
		rest = strings.TrimPrefix(after, ",")
		if after != "" && strings.TrimSpace(rest) == "" {
			return wrong("nothing behind the comma")
		}
	}
	return out, nil
}

const (
	mostConditions = 32
	// mostColumns is how many columns are given at once.
	mostColumns = 1 << 10
)

// token cuts a name or a value off, up to one of some characters.
func token(text, ends string) (value, rest string, ok bool) {
	text = strings.TrimLeft(text, " ")
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ends)
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == '"':
			rest = strings.TrimLeft(text[i+1:], " ")
			return b.String(), rest, rest == "" || strings.ContainsAny(rest[:1], ends)
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}

// condition is one that is looked at.
type condition struct {
	field *rows.Field
	op    string
	text  string
	value float64 // of a column of numbers
}

// conditions finds what a filter asks of which column.
func (t *Table) conditions(filter string) ([]condition, error) {
	list, err := ParseFilter(filter)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if t.Rows() > MaxRows {
		return nil, fmt.Errorf("a filter of %d rows %w: it can be done up to %d", t.Rows(), ErrTooMuch, MaxRows)
	}
	var out []condition
	for _, c := range list {
		f, err := t.field(c.Column)
		if err != nil {
			return nil, err
		}
		one := condition{field: f, op: c.Op, text: c.Value}
		switch {
		case f.Texts != nil:
			if c.Op == "~" {
				one.text = strings.ToLower(c.Value)
			}
		case f.Numbers != nil || f.Lengths != nil && c.Op != "~":
			if c.Op == "~" {
				return nil, fmt.Errorf("%w: column %s has numbers: ~ is for texts", ErrRequest, f.Name)
			}
			if c.Value == "" {
				one.value = math.NaN()
				if c.Op != "=" && c.Op != "!=" {
					return nil, fmt.Errorf("%w: column %s: nothing behind %s", ErrRequest, f.Name, c.Op)
				}
				break
			}
			if one.value, err = number(c.Value, f.Type == "date"); err != nil {
				return nil, fmt.Errorf("%w: column %s: %w", ErrRequest, f.Name, err)
			}
		default:
			if c.Op != "~" {
				return nil, fmt.Errorf("%w: column %s has neither numbers nor texts: it can be searched by ~ alone", ErrRequest, f.Name)
			}
			if f.Bytes*t.Rows() > mostText {
				return nil, fmt.Errorf("a filter of column %s %w", f.Name, ErrTooMuch)
			}
			one.text = strings.ToLower(c.Value)
		}
		out = append(out, one)
	}
	return out, nil
}

// number reads a value that numbers are compared with.
func number(text string, date bool) (float64, error) {
	switch strings.ToLower(text) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == v && !date {
		return v, nil
	}
	if date {
		p, err := cf.ParseTime(text, cf.Gregorian)
		if err != nil {
			return 0, err
		}
		return p.From.Sub(cf.Gregorian.Date(1970, 1, 1)), nil
	}
	return 0, fmt.Errorf("%q is no number", text)
}

// filtered finds the rows that meet all conditions.
func (t *Table) filtered(ctx context.Context, conditions []condition) ([]byte, error) {
	var found []uint32
	err := t.each(ctx, order{n: t.Rows()}, textBlock, func(span rows.Span, _ []uint32) error {
		meets := make([]bool, span.Count)
		for i := range meets {
			meets[i] = true
		}
		for _, c := range conditions {
			if err := c.look(ctx, span, meets); err != nil {
				return err
			}
		}
		for i, yes := range meets {
			if yes {
				found = append(found, uint32(span.Start+i))
			}
		}
		return nil
	})
	return list(found), err
}

// look says of which rows the condition does not hold.
func (c *condition) look(ctx context.Context, span rows.Span, meets []bool) error {
	switch {
	case c.field.Texts != nil:
		texts, err := c.field.Texts(ctx, span)
		for i, text := range texts {
			meets[i] = meets[i] && c.holdsText(text)
		}
		return err
	case c.field.Numbers != nil || c.op != "~":
		values, err := numbers(ctx, c.field, span)
		for i, x := range values {
			meets[i] = meets[i] && c.holds(x)
		}
		return err
	}
	cells, err := c.field.Read(ctx, span)
	if err != nil {
		return err
	}
	var cell []byte
	for i := range meets {
		if !meets[i] {
			continue
		}
		if cell, err = cells(cell[:0], i); err != nil {
			return fmt.Errorf("column %s: row %d: %w", c.field.Name, span.At(i), err)
		}
		meets[i] = strings.Contains(strings.ToLower(words.Bare(cell)), c.text)
	}
	return nil
}

// holds reports whether a number meets the condition. What is missing meets none but the
// one that asks for it.
func (c *condition) holds(x float64) bool {
	if c.value != c.value {
		return (x != x) == (c.op == "=")
	}
	switch c.op {
	case "=":
		return x == c.value
	case "!=":
		return x != c.value && x == x
	case "<":
		return x < c.value
	case "<=":
		return x <= c.value
	case ">":
		return x > c.value
	}
	return x >= c.value
}

func (c *condition) holdsText(text string) bool {
	switch c.op {
	case "=":
		return text == c.text
	case "!=":
		return text != c.text
	case "<":
		return text < c.text
	case "<=":
		return text <= c.text
	case ">":
		return text > c.text
	case ">=":
		return text >= c.text
	}
	return strings.Contains(strings.ToLower(text), c.text)
}
