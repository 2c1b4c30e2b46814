package describe_test

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// counting counts the chunks of samples that are asked for.
type counting struct {
	store.Store
	asked atomic.Int64
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.HasPrefix(key, "s/data/c/") {
		c.asked.Add(1)
	}
	return c.Store.Get(ctx, key, r, dst)
}

// A few rows of a long series are read where they are, and not all between them.
func TestRowsOfALongSeriesReadWhatTheyShow(t *testing.T) {
	ctx := context.Background()
	s := &counting{Store: mem.New()}
	g, err := zarr.CreateGroupIn(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	attrs := func(name string, value any) *meta.Attributes {
		a := &meta.Attributes{}
		if err := a.Set(name, value); err != nil {
			t.Fatal(err)
		}
		return a
	}
	if err := g.SetAttributes(ctx, attrs(".specloc", "specifications")); err != nil {
		t.Fatal(err)
	}
	_, err = g.CreateArray(ctx, "s/data", zarr.ArraySpec{Shape: []int{100_000_001}, Chunks: []int{100_000}, DataType: "int16", Attributes: attrs("conversion", 0.5)})
	if err == nil {
		_, err = g.CreateArray(ctx, "s/starting_time", zarr.ArraySpec{Shape: []int{}, DataType: "float64", Attributes: attrs("rate", 1000.0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := (&describe.Convention{}).Open(ctx, g, "/s")
	if err != nil {
		t.Fatal(err)
	}
	set, err := o.(convention.Tabular).Rows(ctx, "::10000000", true)
	var out bytes.Buffer
	if err == nil {
		err = set.WriteCSV(ctx, &out)
	}
	if err != nil || strings.Count(out.String(), "\n") != 12 || !strings.Contains(out.String(), "\n100000,0\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	if n := s.asked.Load(); n != 11 {
		t.Errorf("%d chunks for 11 rows", n)
	}
}
