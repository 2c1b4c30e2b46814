package rows_test

import (
	"bufio"
	"context"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/rows"
)

// column makes one of cells.
func column(name string, cells ...string) rows.Field {
	return rows.Field{Name: name, Read: func(_ context.Context, s rows.Span) (rows.Cells, error) {
		return func(dst []byte, i int) ([]byte, error) { return append(dst, cells[s.Start+i*s.Step]...), nil }, nil
	}}
}

func TestOneLinePerElement(t *testing.T) {
	spikes := column("spike_times", `[0.5, 1.25]`, `[]`, `[3.0]`)
	words := column("words", `"a"`, `["b, c", "d"]`, `null`)
	ids := column("id", "7", "8", "9")
	all := rows.Span{Step: 1, Count: 3}
	for _, c := range []struct {
		set          *rows.Set
		form, column string
		want         string
	}{
		{&rows.Set{Fields: []rows.Field{ids, words, spikes}, Rows: all}, "csv", "spike_times", "id,spike_times\n7,0.5\n7,1.25\n9,3.0\n"},
		{&rows.Set{Fields: []rows.Field{ids, words, spikes}, Rows: all}, "json", "spike_times", "[{\"id\": 7, \"spike_times\": 0.5},\n {\"id\": 7, \"spike_times\": 1.25},\n {\"id\": 9, \"spike_times\": 3.0}]\n"},
		{&rows.Set{Fields: []rows.Field{words}, Rows: rows.Span{Start: 2, Step: -1, Count: 3}}, "csv", "words", "row,words\n2,\n1,\"b, c\"\n1,d\n0,a\n"},
		{&rows.Set{Fields: []rows.Field{ids, words}, Rows: all}, "csv", "id", "row,id\n0,7\n1,8\n2,9\n"},
		{&rows.Set{Fields: []rows.Field{ids}, Rows: rows.Span{Step: 1}}, "json", "id", "[]\n"},
	} {
		var b strings.Builder
		out := bufio.NewWriter(&b)
		err := c.set.WriteLong(context.Background(), out, c.form, c.column)
		out.Flush()
		if err != nil || b.String() != c.want {
			t.Errorf("%s as %s: %v\n%s, want\n%s", c.column, c.form, err, b.String(), c.want)
		}
	}
	err := (&rows.Set{Fields: []rows.Field{ids, words}}).WriteLong(context.Background(), nil, "csv", "speed")
	if err == nil || err.Error() != `no column is called "speed", only id, words` {
		t.Error(err)
	}
}
