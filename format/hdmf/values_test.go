package hdmf_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestWhichGroupsAreFiles(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb", "custom_v2_json", "custom_v3", "custom_cycle_v2", "custom_v2_json_compound"} {
		f := fixture(t, name)
		if is, err := hdmf.Is(ctx, f.Zarr()); !is || err != nil {
			t.Errorf("%s is none: %v", name, err)
		}
	}
	w := newWriter(t)
	w.group("", "namespace", "x", "title", "plain Zarr")
	w.group("a", "data_type", "int8")
	if is, err := hdmf.Is(ctx, w.g); is || err != nil {
		t.Errorf("a plain group is one: %v, %v", is, err)
	}
	if f := fixture(t, "session_v2.nwb"); f.ID() != "d3f3830b-2ed9-4d98-93b5-88611e84ddef" || f.Root().Name() != "" || f.Root().Node() != zarr.Node(f.Zarr()) {
		t.Errorf("%s", f.ID())
	}
}

func TestNumbersOfFields(t *testing.T) {
	for _, name := range []string{"session_v2_json_compound.nwb", "session_v2.nwb", "session_v3.nwb"} {
		f := fixture(t, name)
		v, err := dataset(t, f, "/intervals/trials/timeseries").Read(ctx, zarr.All())
		check(t, err)
		start, err := v.Field("idx_start")
		check(t, err)
		ints, err := start.Ints()
		check(t, err)
		floats, err := start.Floats()
		check(t, err)
		if !slices.Equal(ints, []int64{0, 19, -13, 39, 58, -11}) || !slices.Equal(floats, []float64{0, 19, -13, 39, 58, -11}) {
			t.Errorf("%s: %v, %v", name, ints, floats)
		}
		if one, err := start.Float(2); one != -13 || err != nil {
			t.Errorf("%s: %v, %v", name, one, err)
		}
		series, err := v.Field("timeseries")
		check(t, err)
		if _, err := series.Floats(); !errors.Is(err, hdmf.ErrNoNumber) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := series.Ints(); !errors.Is(err, hdmf.ErrNoNumber) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := start.Reference(0); !errors.Is(err, hdmf.ErrNoReference) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := v.Field("nothing"); err == nil {
			t.Errorf("%s: a field that is not there", name)
		}
	}
}

func TestNumbersThatDoNotFit(t *testing.T) {
	w := newWriter(t)
	array(w, "u", "uint64", []int{2}, []int{2}, []uint64{1, math.MaxUint64})
	array(w, "f", "float32", []int{2}, []int{2}, []float32{1, float32(math.NaN())})
	f := w.file()
	u, err := dataset(t, f, "/u").Read(ctx, zarr.All())
	check(t, err)
	if _, err := u.Ints(); !errors.Is(err, hdmf.ErrNoNumber) || !strings.Contains(err.Error(), "element 1") {
		t.Errorf("%v", err)
	}
	if all, err := hdmf.SliceOf[uint64](u); err != nil || all[1] != math.MaxUint64 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := hdmf.SliceOf[int64](u); err == nil {
		t.Error("uint64 became int64")
	}
	x, err := dataset(t, f, "/f").Read(ctx, zarr.All())
	check(t, err)
	if all, err := x.Floats(); err != nil || all[0] != 1 || !math.IsNaN(all[1]) {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := x.Ints(); !errors.Is(err, hdmf.ErrNoNumber) {
		t.Errorf("%v", err)
	}
}

func TestABrokenChunkOfAColumn(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	w := writer{t, g}
	w.group("t", "colnames", []string{"x"})
	array(w, "t/x", "float64", []int{100_000}, []int{10_000}, slices.Repeat([]float64{1.5}, 100_000))
	_, err = s.Put(ctx, "t/x/c/7", []byte("no chunk"), store.PutOptions{})
	check(t, err)
	x := column(t, table(t, w.file(), "/t"), "x")
	var rows []int
	for i := 0; i < 100_000; i += 17 {
		rows = append(rows, i)
	}
	if _, err := x.ReadRows(ctx, rows); err == nil || !strings.Contains(err.Error(), "c/7") {
		t.Errorf("%v", err)
	}
	rows = slices.DeleteFunc(rows, func(i int) bool { return i/10_000 == 7 })
	cells, err := x.ReadRows(ctx, rows)
	check(t, err)
	if cells.Rows() != len(rows) || x.Description() != "" {
		t.Errorf("%d rows", cells.Rows())
	}
}

// TestOnlyWhatIsNeededIsRead counts the requests for chunks.
func TestOnlyWhatIsNeededIsRead(t *testing.T) {
	s := &counting{Store: mem.New(), asked: map[string]int{}}
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	w := writer{t, g}
	const rows, each = 5000, 70 // so that rows lie across chunks
	ends := make([]uint32, rows)
	for i := range ends {
		ends[i] = uint32((i + 1) * each)
	}
	w.group("t", "colnames", []string{"x"})
	array(w, "t/x", "float64", []int{rows * each}, []int{10_000}, make([]float64, rows*each))
	a, err := g.Array(ctx, "t/x")
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.All(), slices.Repeat([]float64{2}, rows*each)))
	w.index("t", "x", ends)
	n, err := zarr.OpenStore(ctx, s, "", zarr.NoPartCache())
	check(t, err)
	x := column(t, table(t, hdmf.Of(ctx, n.(*zarr.Group)), "/t"), "x")
	clear(s.asked)
	var list []int
	for i := range 1000 {
		list = append(list, (i*7919)%rows)
	}
	for range 2 {
		if _, err := x.ReadRows(ctx, list); err != nil {
			t.Fatal(err)
		}
	}
	for key, n := range s.asked {
		if most := 2; n > most || strings.Contains(key, "index/c") && n > 1 {
			t.Errorf("%s was asked for %d times in two reads", key, n)
		}
	}
	if len(s.asked) < 35 {
		t.Errorf("%d chunks", len(s.asked))
	}
}
