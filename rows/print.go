package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
)

// WriteJSON writes a list of objects, one in a line.
func (r *Set) WriteJSON(ctx context.Context, out *bufio.Writer) error {
	n := 0
	err := r.Each(ctx, r.Rows, func(cells [][]byte) error {
		before := ",\n "
		if n++; n == 1 {
			before = "["
		}
		out.WriteString(before + "{")
		for k, c := range cells {
			if k > 0 {
				out.WriteString(", ")
			}
			out.Write(strictjson.AppendString(nil, r.Fields[k].Name))
			out.WriteString(": ")
			out.Write(c)
		}
		_, err := out.WriteString("}")
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		out.WriteString("[")
	}
	_, err = out.WriteString("]\n")
	return err
}

// bare is a cell as it stands among comma-separated values: nothing where one is
// missing.
func bare(cell []byte) string {
	if string(cell) == "null" {
		return ""
	}
	return words.Bare(cell)
}

// WriteCSV writes a line of names, and one for every row.
func (r *Set) WriteCSV(ctx context.Context, out io.Writer) error {
	w := csv.NewWriter(out)
	line := make([]string, len(r.Fields))
	for k, f := range r.Fields {
		line[k] = f.Name
	}
	if err := w.Write(line); err != nil {
		return err
	}
	err := r.Each(ctx, r.Rows, func(cells [][]byte) error {
		for k, c := range cells {
			line[k] = bare(c)
		}
		return w.Write(line)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
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

// WriteText writes a table for people, as wide as they can see.
func (r *Set) WriteText(ctx context.Context, out io.Writer, width int) error {
	head := make([]string, len(r.Fields))
	for k, f := range r.Fields {
		head[k] = words.Visible(f.Name)
	}
	lines := [][]string{head}
	add := func(cells [][]byte) error {
		line := make([]string, len(cells))
		for k, c := range cells {
			line[k] = shownCell(c, cmp.Or(r.Fields[k].Digits, digitsShown))
		}
		lines = append(lines, line)
		return nil
	}
	n := r.Rows.Count
	first, last := r.Rows, r.Rows.Part(n, 0)
	if n > rowsShown {
		first, last = r.Rows.Part(0, rowsShown/2), r.Rows.Part(n-rowsShown/2, rowsShown/2)
	}
	if err := r.Each(ctx, first, add); err != nil {
		return err
	}
	cut := len(lines)
	if err := r.Each(ctx, last, add); err != nil {
		return err
	}
	shown, widths := fitting(lines, width)
	for i, line := range lines {
		if i == cut && last.Count > 0 {
			fmt.Fprintf(out, "…\n")
		}
		var b strings.Builder
		for k, w := range widths {
			b.WriteString(words.Padded(line[k], w) + "  ")
		}
		fmt.Fprintf(out, "%s\n", strings.TrimRight(b.String(), " "))
	}
	foot := words.Counted(n, "row") + ", " + words.Counted(len(r.Fields), "column")
	if r.Note != "" {
		foot += ", " + r.Note
	}
	fmt.Fprintf(out, "\n%s\n", words.Visible(foot))
	if shown < len(head) {
		fmt.Fprintf(out, "not shown: %s\n", strings.Join(head[shown:], ", "))
	}
	return nil
}

// shownCell is a cell for people: on one line, and not too long.
func shownCell(c []byte, digits int) string {
	text := words.Visible(words.Compact([]byte(words.Bare(c))))
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
	return words.Cut(text, cellShown)
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
