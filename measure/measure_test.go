package measure_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/measure"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

// array makes one of four chunks, of which three are stored.
func array(t testing.TB) (store.Store, measure.Options) {
	t.Helper()
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{100, 200}, DataType: "uint16", Chunks: []int{50, 100},
		Codecs: []byte(`[{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}]`)})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint16, 100*200)
	for i := range data {
		if i < 50*200 || i%200 < 100 {
			data[i] = uint16(i*7919) | 1
		}
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	// A clock of our own, so that nothing depends on how fast this machine is.
	now := time.Unix(0, 0)
	return s, measure.Options{Reads: 3, Now: func() time.Time { now = now.Add(time.Millisecond); return now },
		Open: func(ctx context.Context, workers int) (*zarr.Array, error) {
			opts := []zarr.Option{zarr.NoPartCache()}
			if workers > 0 {
				opts = append(opts, zarr.Workers(workers))
			}
			n, err := zarr.OpenStore(ctx, s, "", opts...)
			if err != nil {
				return nil, err
			}
			return n.(*zarr.Array), nil
		}}
}

func TestWays(t *testing.T) {
	s, opt := array(t)
	stored := int64(0)
	for e, err := range s.List(ctx, "c/", "") {
		if err != nil {
			t.Fatal(err)
		}
		stored += e.Size
	}
	ways, err := measure.Array(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range ways {
		names = append(names, fmt.Sprint(w.Name, w.Box, w.Fast.Reads, w.Split.Reads))
		if sum := w.Split.Fetch + w.Split.Decode + w.Split.Copy; math.Abs(sum-w.Split.Seconds) > 1e-9 && sum > w.Split.Seconds {
			t.Errorf("%s: %v of %v seconds", w.Name, sum, w.Split.Seconds)
		}
		if w.Fast.Bytes != w.Split.Bytes || w.Fast.Stored != w.Split.Stored || w.Fast.Requests != w.Split.Requests || w.Fast.Requests == 0 {
			t.Errorf("%s: the two runs read something else: %+v", w.Name, w)
		}
	}
	want := "whole[100 200] 3 3, slab of axis 0[1 200] 3 3, slab of axis 1[100 1] 3 3, random boxes[100 200] 3 3"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	whole := ways[0]
	if !whole.Fast.Whole || whole.Fast.Bytes != 3*2*100*200 || whole.Fast.Stored != 3*stored || ways[1].Fast.Whole {
		t.Errorf("%+v, stored are %d bytes", whole, stored)
	}
}

func TestWhatCannotBeMeasured(t *testing.T) {
	for _, c := range []struct {
		spec zarr.ArraySpec
		want string
	}{
		{zarr.ArraySpec{Shape: []int{2}, DataType: "string"}, "no fixed length"},
		{zarr.ArraySpec{Shape: []int{0}, DataType: "uint8"}, "no elements"},
	} {
		s := mem.New()
		if _, err := zarr.CreateArrayIn(ctx, s, "", c.spec); err != nil {
			t.Fatal(err)
		}
		_, err := measure.Array(ctx, measure.Options{Open: func(ctx context.Context, _ int) (*zarr.Array, error) {
			n, err := zarr.OpenStore(ctx, s, "")
			if err != nil {
				return nil, err
			}
			return n.(*zarr.Array), nil
		}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	s, opt := array(t)
	if _, err := s.Put(ctx, "c/0/0", []byte("broken"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.Array(ctx, opt); err == nil || !strings.Contains(err.Error(), "c/0/0") {
		t.Error(err)
	}
}

func ExampleArray() {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{64, 64}, DataType: "uint8"})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), make([]uint8, 64*64))
	}
	if err != nil {
		panic(err)
	}
	ways, err := measure.Array(ctx, measure.Options{Reads: 1, Open: func(ctx context.Context, workers int) (*zarr.Array, error) {
		n, err := zarr.OpenStore(ctx, s, "")
		if err != nil {
			return nil, err
		}
		return n.(*zarr.Array), nil
	}})
	if err != nil {
		panic(err)
	}
	for _, w := range ways {
		fmt.Println(w.Name, w.Box, w.Fast.Bytes)
	}
	// Output:
	// whole [64 64] 4096
	// slab of axis 0 [1 64] 64
	// slab of axis 1 [64 1] 64
	// random boxes [64 64] 4096
}
