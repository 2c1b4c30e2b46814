package table_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/table"
)

// Texts that are long are cut, and many of them, which a small file can hold, are not given at once.
func TestPagesAreBounded(t *testing.T) {
	set := &rows.Set{Rows: rows.Span{Step: 1, Count: 1 << 20}}
	for k := range 16 {
		text := []byte(`"` + strings.Repeat("x", 5000) + `"`)
		if k < 15 { // to cut all takes long
			text = []byte(`"` + strings.Repeat("x", thorough.Of(4000, 5000)) + `"`)
		}
		set.Fields = append(set.Fields, rows.Field{Name: fmt.Sprint(k), Type: "text", Read: func(context.Context, rows.Span) (rows.Cells, error) {
			return func([]byte, int) ([]byte, error) { return text, nil }, nil
		}})
	}
	tab := table.New(set, table.Options{})
	if _, err := tab.Page(t.Context(), table.Query{Limit: 5000}); !errors.Is(err, table.ErrTooLarge) {
		t.Errorf("300 MiB of texts: %v", err)
	}
	p, err := tab.Page(t.Context(), table.Query{Limit: 500})
	if err != nil || len(p.Rows) != 500 || len(p.Rows[499][15]) > 5000 {
		t.Errorf("30 MiB of texts: %v", err)
	}
}
