package rows_test

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/omnizarr/zarr/rows"
)

func ExampleSet_WriteCSV() {
	squares := rows.Field{Name: "square", Bytes: 8, Read: func(_ context.Context, s rows.Span) (rows.Cells, error) {
		list := s.Positions()
		return func(dst []byte, i int) ([]byte, error) {
			return strconv.AppendInt(dst, int64(list[i]*list[i]), 10), nil
		}, nil
	}}
	set := rows.Set{Fields: []rows.Field{squares}, Rows: rows.Span{Start: 1, Step: 2, Count: 3}}
	fmt.Println(set.WriteCSV(context.Background(), os.Stdout))
	// Output:
	// square
	// 1
	// 9
	// 25
	// <nil>
}
