package rows

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// idName is the column that names rows, where there is one.
const idName = "id"

// WriteLong writes the values of one column, a line for every element of a row that
// is a list, with the row that it is of: its id, or its number if rows have none. The
// form is csv or json.
func (r *Set) WriteLong(ctx context.Context, out *bufio.Writer, form, column string) error {
	only := &Set{Rows: r.Rows}
	var known []string
	for _, f := range r.Fields {
		known = append(known, f.Name)
		if f.Name == column {
			only.Fields = append(only.Fields, f)
		}
	}
	if only.Fields == nil {
		return fmt.Errorf("no column is called %q, only %s", column, strings.Join(known, ", "))
	}
	only.Fields = only.Fields[:1]
	name := "row"
	for _, f := range r.Fields {
		if f.Name == idName && column != idName {
			name, only.Fields = idName, append(only.Fields, f)
			break
		}
	}
	asCSV := form != "json"
	w := csv.NewWriter(out)
	line := []string{name, column}
	if asCSV {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	before := "["
	write := func(row, value []byte) error {
		if asCSV {
			line[0], line[1] = bare(row), bare(value)
			return w.Write(line)
		}
		text := append([]byte(before+"{"), strictjson.AppendString(nil, name)...)
		text = append(append(append(text, ": "...), row...), ", "...)
		text = append(append(strictjson.AppendString(text, column), ": "...), value...)
		before = ",\n "
		_, err := out.Write(append(text, '}'))
		return err
	}
	at := 0
	err := only.Each(ctx, only.Rows, func(cells [][]byte) error {
		row := strconv.AppendInt(nil, int64(r.Rows.At(at)), 10)
		if at++; name == idName {
			row = cells[1]
		}
		if len(cells[0]) == 0 || cells[0][0] != '[' {
			return write(row, cells[0])
		}
		return strictjson.Each(cells[0], func(_ int, elem json.RawMessage) error { return write(row, elem) })
	})
	if err != nil {
		return err
	}
	if asCSV {
		w.Flush()
		return w.Error()
	}
	if before == "[" {
		out.WriteString("[")
	}
	_, err = out.WriteString("]\n")
	return err
}
