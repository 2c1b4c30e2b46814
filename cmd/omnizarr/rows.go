package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// span is evenly spaced positions along an axis.
type span struct{ start, step, count int }

// part is some of them.
func (s span) part(from, count int) span { return span{s.start + from*s.step, s.step, count} }

// positions lists them.
func (s span) positions() []int {
	out := make([]int, s.count)
	for i := range out {
		out[i] = s.start + i*s.step
	}
	return out
}

// parseSpan reads an index or a slice of an axis of n positions as NumPy writes it.
func parseSpan(text string, n int) (span, error) {
	parts := strings.Split(text, ":")
	var num [3]int
	var given [3]bool
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && (len(parts) > 1 || text == "") {
			continue
		}
		v, err := strconv.Atoi(p)
		if err != nil || i > 2 {
			return span{}, fmt.Errorf("%q is no index or slice", text)
		}
		num[i], given[i] = v, true
	}
	if len(parts) == 1 && given[0] {
		if num[0] < -n || num[0] >= n {
			return span{}, fmt.Errorf("index %d is out of range of %d", num[0], n)
		}
		return span{(num[0] + n) % n, 1, 1}, nil
	}
	step := 1
	if given[2] {
		step = num[2]
	}
	if step == 0 {
		return span{}, fmt.Errorf("%q has a step of 0", text)
	}
	low, high := 0, n // where it may start and stop
	first, last := 0, n
	if step < 0 {
		low, high = -1, n-1
		first, last = n-1, -1
	}
	at := func(i, other int) int {
		if !given[i] {
			return other
		}
		if num[i] < 0 {
			return max(num[i]+n, low)
		}
		return min(num[i], high)
	}
	start, stop := at(0, first), at(1, last)
	if step > 0 {
		return span{start, step, max((stop-start+step-1)/step, 0)}, nil
	}
	return span{start, step, max((start-stop-step-1)/-step, 0)}, nil
}

// rowField is a column. read gives a function that appends the JSON of a row, by its
// number in the span.
type rowField struct {
	name   string
	bytes  int // about, in a row
	digits int // of numbers for people; 0 is 6
	read   func(ctx context.Context, s span) (func(dst []byte, i int) ([]byte, error), error)
}

// rowSet is a table that is printed row by row.
type rowSet struct {
	fields []rowField
	rows   span
	note   string // for people
	// problems are what is wrong with the table and does not keep rows from being
	// printed.
	problems []error
}

// Rows are read in blocks of about blockBytes.
const (
	blockBytes = 16 << 20
	blockRows  = 1 << 12
)

// each reads rows and gives their cells in JSON, which are good until the next.
func (r *rowSet) each(ctx context.Context, s span, f func(cells [][]byte) error) error {
	size := 1
	for _, field := range r.fields {
		size += field.bytes
	}
	cells := make([][]byte, len(r.fields))
	for from := 0; from < s.count; {
		block := s.part(from, min(s.count-from, max(1, min(blockRows, blockBytes/size))))
		from += block.count
		appends := make([]func([]byte, int) ([]byte, error), len(r.fields))
		for k, field := range r.fields {
			var err error
			if appends[k], err = field.read(ctx, block); err != nil {
				return err
			}
		}
		for i := range block.count {
			for k := range r.fields {
				var err error
				if cells[k], err = appends[k](cells[k][:0], i); err != nil {
					return fmt.Errorf("column %s: row %d: %w", r.fields[k].name, block.start+i*block.step, err)
				}
			}
			if err := f(cells); err != nil {
				return err
			}
		}
	}
	return nil
}

// printRowsJSON prints a list of objects, one in a line.
func (a *app) printRowsJSON(ctx context.Context, r *rowSet) error {
	n := 0
	err := r.each(ctx, r.rows, func(cells [][]byte) error {
		before := ",\n "
		if n++; n == 1 {
			before = "["
		}
		a.out.WriteString(before + "{")
		for k, c := range cells {
			if k > 0 {
				a.out.WriteString(", ")
			}
			a.out.Write(strictjson.AppendString(nil, r.fields[k].name))
			a.out.WriteString(": ")
			a.out.Write(c)
		}
		_, err := a.out.WriteString("}")
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		a.out.WriteString("[")
	}
	_, err = a.out.WriteString("]\n")
	return err
}

// printRowsCSV prints a line of names, and one for every row.
func (a *app) printRowsCSV(ctx context.Context, r *rowSet) error {
	w := csv.NewWriter(a.out)
	line := make([]string, len(r.fields))
	for k, f := range r.fields {
		line[k] = f.name
	}
	if err := w.Write(line); err != nil {
		return err
	}
	err := r.each(ctx, r.rows, func(cells [][]byte) error {
		for k, c := range cells {
			line[k] = bareText(c)
		}
		return w.Write(line)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

// bareText is text as it is, and other JSON as it is spelled.
func bareText(cell []byte) string {
	if s, err := strictjson.String(cell); err == nil {
		return s
	}
	return string(cell)
}

// A table for people has the first and the last rows, and cells that are not too
// wide.
const (
	rowsShown   = 40
	cellShown   = 30
	digitsShown = 6
)

// fractions are numbers with more digits than people want to see.
var fractions = regexp.MustCompile(`-?[0-9]+\.[0-9]{5,}(?:e[-+]?[0-9]+)?`)

// printRowsText prints a table for people.
func (a *app) printRowsText(ctx context.Context, r *rowSet) error {
	head := make([]string, len(r.fields))
	for k, f := range r.fields {
		head[k] = visible(f.name)
	}
	lines := [][]string{head}
	add := func(cells [][]byte) error {
		line := make([]string, len(cells))
		for k, c := range cells {
			line[k] = shownCell(c, cmp.Or(r.fields[k].digits, digitsShown))
		}
		lines = append(lines, line)
		return nil
	}
	n := r.rows.count
	first, last := r.rows, r.rows.part(n, 0)
	if n > rowsShown {
		first, last = r.rows.part(0, rowsShown/2), r.rows.part(n-rowsShown/2, rowsShown/2)
	}
	if err := r.each(ctx, first, add); err != nil {
		return err
	}
	cut := len(lines)
	if err := r.each(ctx, last, add); err != nil {
		return err
	}
	shown, widths := fitting(lines, columns())
	for i, line := range lines {
		if i == cut && last.count > 0 {
			a.printf("…\n")
		}
		var b strings.Builder
		for k, w := range widths {
			b.WriteString(padded(line[k], w) + "  ")
		}
		a.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
	foot := counted(n, "row") + ", " + counted(len(r.fields), "column")
	if r.note != "" {
		foot += ", " + r.note
	}
	a.printf("\n%s\n", foot)
	if shown < len(head) {
		a.printf("not shown: %s\n", strings.Join(head[shown:], ", "))
	}
	return nil
}

// shownCell is a cell for people: on one line, and not too long.
func shownCell(c []byte, digits int) string {
	text := visible(compact([]byte(bareText(c))))
	if !bytes.ContainsRune(c, '"') { // numbers, or lists of them
		text = fractions.ReplaceAllStringFunc(text, func(s string) string {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return s
			}
			return strconv.FormatFloat(f, 'g', digits, 64)
		})
	}
	if utf8.RuneCountInString(text) <= cellShown {
		return text
	}
	if len(c) > 0 && c[0] == '[' {
		n := 0
		if strictjson.Each(c, func(int, json.RawMessage) error { n++; return nil }) == nil {
			tail := fmt.Sprintf("… %d values]", n)
			return cutList(text, cellShown-utf8.RuneCountInString(tail)) + tail
		}
	}
	if r := []rune(text); r[0] == '/' { // of a path the end tells more
		return "…" + string(r[len(r)-cellShown+1:])
	}
	return cutText(text, cellShown)
}

// cutList is the beginning of a list, up to a comma.
func cutList(text string, n int) string {
	r := []rune(text)
	r = r[:min(max(n, 1), len(r))]
	if comma := slices.Index(r, ' '); comma < 0 {
		return string(r)
	}
	for len(r) > 1 && r[len(r)-1] != ' ' {
		r = r[:len(r)-1]
	}
	return string(r)
}

// fitting says how many columns fit a width, at least one, and how wide each is.
func fitting(lines [][]string, width int) (shown int, widths []int) {
	used := 0
	for k := range lines[0] {
		w := 0
		for _, line := range lines {
			w = max(w, utf8.RuneCountInString(line[k]))
		}
		if used += w + 2; used-2 > width && k > 0 {
			return k, widths
		}
		widths = append(widths, w)
	}
	return len(widths), widths
}
