package coordinates_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// dataset makes a group with an array of one axis named x, and its coordinates.
func dataset(t *testing.T, dataType string, stored json.RawMessage, attributes string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "", opts...)
	must(err)
	attrs, err := meta.ParseAttributes([]byte(attributes))
	must(err)
	n := 0
	must(strictjson.Each(stored, func(int, json.RawMessage) error { n++; return nil }))
	x, err := g.CreateArray(ctx, "x", zarr.ArraySpec{Shape: []int{n}, DataType: dataType, DimensionNames: []string{"x"}, Attributes: attrs})
	must(err)
	v, err := x.Make(n)
	must(err)
	must(strictjson.Each(stored, func(i int, raw json.RawMessage) error {
		elem, err := x.DataType().ParseFill(raw, v.Heap)
		copy(v.At(i), elem)
		return err
	}))
	must(x.WriteFrom(ctx, zarr.All(), v))
	a, err := g.CreateArray(ctx, "v", zarr.ArraySpec{Shape: []int{n}, DataType: "int64", DimensionNames: []string{"x"}})
	must(err)
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	must(zarr.Write(ctx, a, zarr.All(), numbers))
	return a
}

// read gives what a text selects of an array whose elements are their positions.
func read(t *testing.T, a *zarr.Array, text string, opts ...coordinates.Option) string {
	t.Helper()
	sel, err := coordinates.Select(ctx, a, text, opts...)
	if err != nil {
		return err.Error()
	}
	got, err := zarr.Read[int64](ctx, a, sel)
	if err != nil {
		return err.Error()
	}
	if len(got.Shape) == 0 {
		return fmt.Sprint(got.Data[0])
	}
	return fmt.Sprint(got.Data)
}

func TestSelectionsAreThoseOfXarray(t *testing.T) {
	var cases []struct {
		Name       string
		DataType   string `json:"data_type"`
		Stored     json.RawMessage
		Attributes json.RawMessage
		Queries    []struct {
			Text string
			Want any
		}
	}
	raw, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(raw, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, format := range []string{"zarr3", "zarr2"} {
			a := dataset(t, c.DataType, c.Stored, string(c.Attributes), zarr.As(format))
			for _, q := range c.Queries {
				if got := read(t, a, "x="+q.Text); got != fmt.Sprint(q.Want) {
					t.Errorf("%s, %s: x=%s selects %s, want %v", c.Name, format, q.Text, got, q.Want)
				}
			}
		}
	}
}
