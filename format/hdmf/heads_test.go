package hdmf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store/mem"
)

// TestAPageOfALongTableReadsLittle counts the requests for chunks, of the index too.
func TestAPageOfALongTableReadsLittle(t *testing.T) {
	s := &counting{Store: mem.New(), asked: map[string]int{}}
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	w := writer{t, g}
	const rows, each = 200_000, 3
	ends, values := make([]uint32, rows), make([]float64, rows*each)
	for i := range ends {
		ends[i] = uint32((i + 1) * each)
	}
	for i := range values {
		values[i] = float64(i)
	}
	w.group("t", "colnames", []string{"x"})
	array(w, "t/x", "float64", []int{rows * each}, []int{10_000}, values)
	array(w, "t/x_index", "uint32", []int{rows}, []int{2_000}, ends, "target", map[string]any{"value": map[string]any{"source": ".", "path": "/t/x"}, "zarr_dtype": "object"})
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	x := column(t, table(t, hdmf.Of(ctx, n.(*zarr.Group)), "/t"), "x")
	if x.Depth() != 1 {
		t.Fatal("the column has no index")
	}
	clear(s.asked)
	page := make([]int, 100)
	for i := range page {
		page[i] = rows - 100 + i
	}
	heads, err := x.ReadHeads(ctx, page, 2)
	check(t, err)
	lengths, err := x.Lengths(ctx, page)
	check(t, err)
	for i, row := range page {
		got, err := heads.Row(i).Floats()
		check(t, err)
		if want := []float64{float64(row * each), float64(row*each + 1)}; !slices.Equal(got, want) || heads.Counts[0][i] != each || lengths[i] != each {
			t.Fatalf("row %d begins with %v of %d, want %v", row, got, heads.Counts[0][i], want)
		}
	}
	asked := 0
	for key := range s.asked {
		if strings.HasPrefix(key, "t/") {
			asked++
		}
	}
	if asked > 3 {
		t.Errorf("a page takes the chunks %v", s.asked)
	}
	// Who goes through all of it has the index in memory soon.
	for from := 0; from < rows; from += 5_000 {
		cells, err := x.Read(ctx, from, from+5_000)
		check(t, err)
		if list, err := cells.Floats(); err != nil || list[0] != float64(from*each) {
			t.Fatalf("row %d begins with %v, %v", from, list[0], err)
		}
	}
	if n := s.asked["t/x_index/c/99"]; n > 4 {
		t.Errorf("the end of the index was read %d times", n)
	}
}
