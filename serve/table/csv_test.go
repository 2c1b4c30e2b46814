package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/table"
)

// enough takes some lines, and then no more.
type enough struct {
	bytes.Buffer
	lines int
}

var errEnough = errors.New("enough")

func (e *enough) Write(p []byte) (int, error) {
	e.Buffer.Write(p)
	if bytes.Count(e.Bytes(), []byte("\n")) > e.lines {
		return 0, errEnough
	}
	return len(p), nil
}

// TestSortedRowsAsCSVHaveNoEnd: rows in another order are written block by block, however many
// there are.
func TestSortedRowsAsCSVHaveNoEnd(t *testing.T) {
	const n = 1<<20 + 5
	largest := 0
	x := func(row int) int { return row * 7919 % n }
	f := rows.Field{Name: "x", Bytes: 8}
	f.Numbers = func(_ context.Context, s rows.Span) ([]float64, error) {
		out := make([]float64, s.Count)
		for i := range out {
			out[i] = float64(x(s.At(i)))
		}
		return out, nil
	}
	f.Read = func(_ context.Context, s rows.Span) (rows.Cells, error) {
		largest = max(largest, s.Count)
		return func(dst []byte, i int) ([]byte, error) { return strconv.AppendInt(dst, int64(x(s.At(i))), 10), nil }, nil
	}
	tab := table.New(&rows.Set{Rows: rows.Span{Step: 1, Count: n}, Fields: []rows.Field{f}}, table.Options{})
	for _, c := range []struct {
		q    table.Query
		want string
	}{{table.Query{Sort: "-x"}, fmt.Sprintf("x\n%d\n%d\n", n-1, n-2)}, {table.Query{Sort: "x", Offset: n - 3}, fmt.Sprintf("x\n%d\n%d\n%d\n", n-3, n-2, n-1)}} {
		write, err := tab.CSV(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		out := &enough{lines: 1000}
		if err := write(out); err != nil && !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%+v: %.40q, want %q", c.q, out.String(), c.want)
		}
	}
	if largest >= n/2 {
		t.Errorf("%d rows were read at once", largest)
	}
}
