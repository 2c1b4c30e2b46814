package spread_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/spread"
)

// blur is the mean of the elements around each along two axes, and sum their sum.
var (
	blur = spread.Map("blur", func(_ context.Context, out *zarr.Block[float64], in *spread.Around[int16]) error {
		for k := range out.Data {
			y, x := in.Block.Start[0]+k/out.Shape[1], in.Block.Start[1]+k%out.Shape[1]
			sum, n := 0, 0
			for v := max(y-1, in.Start[0]); v <= min(y+1, in.Start[0]+in.Shape[0]-1); v++ {
				for u := max(x-1, in.Start[1]); u <= min(x+1, in.Start[1]+in.Shape[1]-1); u++ {
					sum, n = sum+int(in.At(v-in.Start[0], u-in.Start[1])), n+1
				}
			}
			out.Data[k] = float64(sum) / float64(n)
		}
		return nil
	})
	// list shows the order in which values are joined.
	list = spread.Reduce("list", func(_ context.Context, in *spread.Around[int16]) (string, error) {
		return fmt.Sprintf("%v%s", in.Data[0], strings.Trim(string(in.Params), `"`)), nil
	}, func(x, y string) string { return x + " " + y })
)

// arrays makes one with numbers, and those that results go to.
func arrays(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a.zarr")
	g, err := zarr.CreateGroup(t.Context(), dir)
	jobtest.Check(t, err)
	defer g.Close()
	a, err := g.CreateArray(t.Context(), "in", zarr.ArraySpec{Shape: []int{9, 10}, Chunks: []int{4, 3}, DataType: "int16"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(t.Context(), a, zarr.All(), jobtest.Count[int16](90)))
	for name, chunks := range map[string][]int{"whole": {9, 10}, "pool": {2, 5}, "parts": {2, 5}, "wrong": {2, 5}} {
		shape := []int{9, 10}
		if name == "wrong" {
			shape = []int{9, 9}
		}
		_, err := g.CreateArray(t.Context(), name, zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: "float64"})
		jobtest.Check(t, err)
	}
	return dir
}

func read(t *testing.T, url string) []byte {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), url)
	jobtest.Check(t, err)
	defer a.Close()
	return jobtest.Elements(t, a)
}

// A function over blocks, which sees a margin around each, makes the same of an array in
// one block, in a pool, and in parts at once.
func TestMap(t *testing.T) {
	dir := arrays(t)
	for _, name := range []string{"whole", "pool", "parts"} {
		spec, err := blur.Spec(spread.BlocksOf{From: dir + "/in", To: dir + "/" + name, Margin: []int{1, 1}})
		jobtest.Check(t, err)
		if name != "parts" {
			out, err := spread.Pool{Workers: 2}.Run(t.Context(), spec)
			if want := map[string]string{"whole": `{"blocks":1}`, "pool": `{"blocks":10}`}[name]; err != nil || string(out) != want {
				t.Errorf("%s, %v", out, err)
			}
			continue
		}
		at := filepath.Join(t.TempDir(), "run")
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				_, err := spread.Part{Index: i%3 + 1, Of: 3, At: at}.Run(t.Context(), spec)
				if err != nil && !errors.Is(err, spread.ErrPending) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		out, err := spread.Part{Index: 1, Of: 3, At: at}.Run(t.Context(), spec)
		if err != nil || string(out) != `{"blocks":10}` {
			t.Errorf("%s, %v", out, err)
		}
	}
	want := read(t, dir+"/whole")
	for _, name := range []string{"pool", "parts"} {
		if string(read(t, dir+"/"+name)) != string(want) {
			t.Errorf("%s differs", name)
		}
	}
}

// Values of blocks are joined in their order, whoever made them.
func TestReduce(t *testing.T) {
	dir := arrays(t)
	spec, err := list.Spec(spread.BlocksOf{From: dir + "/in", Block: []int{4, 6}, Params: []byte(`"!"`)})
	jobtest.Check(t, err)
	const want = `"0! 6! 40! 46! 80! 86!"`
	out, err := spread.Pool{Workers: 3}.Run(t.Context(), spec)
	if err != nil || string(out) != want {
		t.Errorf("%s, %v", out, err)
	}
	at := filepath.Join(t.TempDir(), "run")
	for _, part := range []int{4, 2, 1, 3} {
		out, err = spread.Part{Index: part, Of: 4, At: at}.Run(t.Context(), spec)
	}
	if err != nil || string(out) != want {
		t.Errorf("in parts: %s, %v", out, err)
	}
}

// What is wrong with a request is told before anything is done.
func TestWrongBlocks(t *testing.T) {
	dir := arrays(t)
	for want, of := range map[string]spread.BlocksOf{
		"no array to write":      {From: dir + "/in"},
		"no such":                {From: dir + "/gone", To: dir + "/pool"},
		"shape [9 9]":            {From: dir + "/in", To: dir + "/wrong"},
		"are not of whole chunk": {From: dir + "/in", To: dir + "/pool", Block: []int{3, 5}},
	} {
		spec, err := blur.Spec(of)
		jobtest.Check(t, err)
		if _, err := spread.Open(t.Context(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// A place is for one job.
func TestPartsOfOthers(t *testing.T) {
	dir, at := arrays(t), filepath.Join(t.TempDir(), "run")
	spec, err := list.Spec(spread.BlocksOf{From: dir + "/in"})
	jobtest.Check(t, err)
	if _, err := (spread.Part{Index: 1, Of: 2, At: at}).Run(t.Context(), spec); !errors.Is(err, spread.ErrPending) || !strings.HasSuffix(err.Error(), ": 2") {
		t.Error(err)
	}
	if _, err := (spread.Part{Index: 1, Of: 3, At: at}).Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "in 2 parts, not in 3") {
		t.Error(err)
	}
	other, err := list.Spec(spread.BlocksOf{From: dir + "/in", Params: []byte("1")})
	jobtest.Check(t, err)
	if _, err := (spread.Part{Index: 1, Of: 2, At: at}).Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), "another job is there") {
		t.Error(err)
	}
	if _, err := (spread.Part{Index: 3, Of: 2, At: at}).Run(t.Context(), spec); err == nil {
		t.Error("part 3 of 2")
	}
}
