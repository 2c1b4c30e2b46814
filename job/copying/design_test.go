package copying_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const rounded = `[{"name": "bitround", "configuration": {"keepbits": 4}}, {"name": "bytes", "configuration": {"endian": "little"}}]`

func TestPrecisionIsLostOnlyWhenAllowed(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{4, 4}, DataType: "float32", Codecs: json.RawMessage(rounded)})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), make([]float32, 64)))
	plain, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{4, 4}, DataType: "float32"})
	jobtest.Check(t, err)
	for name, c := range map[string]struct {
		src   *zarr.Array
		opts  copying.Options
		loses bool
	}{
		"codecs that were asked for":     {plain, copying.Options{Codecs: json.RawMessage(rounded)}, true},
		"those of the source, anew":      {a, copying.Options{Chunks: []int{2, 8}}, true},
		"those of the source, as bytes":  {a, copying.Options{}, false},
		"lossy, and it is meant":         {plain, copying.Options{Codecs: json.RawMessage(rounded), Lossy: true, Verify: true}, false},
		"a shard of what loses":          {a, copying.Options{Chunks: []int{4, 4}, Shards: []int{8, 8}}, true},
		"others that do not lose at all": {a, copying.Options{Chunks: []int{2, 8}, Codecs: json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "little"}}]`)}, false},
	} {
		dst := mem.New()
		_, err := copying.Into(ctx, c.src, dst, "", c.opts)
		if errors.Is(err, copying.ErrLossy) != c.loses || !c.loses && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.loses && (!strings.Contains(err.Error(), "bitround: 4 of 23 bits are kept") || !strings.Contains(err.Error(), "--lossy") || len(jobtest.Content(t, dst)) > 0) {
			t.Errorf("%s: %v", name, err)
		}
		plan, err := copying.PlanOf(ctx, c.src, c.opts)
		if err != nil || c.loses && len(plan.Lossy) != 1 {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
}

func TestPlanOfATerabyte(t *testing.T) {
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{8192, 8192, 8192}, Chunks: []int{1, 4096, 4096}, DataType: "uint16"})
	jobtest.Check(t, err)
	plan, err := copying.PlanOf(ctx, src, copying.Options{Chunks: []int{4096, 64, 64}, Memory: 1 << 30, Workers: 4, Direct: true})
	jobtest.Check(t, err)
	// A block is 4096 × 64 × 512 at least: a quarter of the memory.
	if plan.Elements != 1<<40 || plan.Chunks != 2*128*128 || plan.Passes < 2 || plan.Passes > 4096*4096/(64*512) || plan.Read < plan.Elements || len(plan.Each) != 1 {
		t.Errorf("%+v", plan)
	}
	if text := plan.String(); !strings.HasPrefix(text, "1 array, 32,768 chunks, 1 TiB of elements\ndecode ") || !strings.Contains(text, "times") {
		t.Error(text)
	}
	if _, err := copying.PlanOf(ctx, src, copying.Options{Chunks: []int{4096, 64, 64}, Memory: 32 << 20}); !errors.Is(err, zarr.ErrTooLarge) || !strings.Contains(err.Error(), "--max-memory") {
		t.Error(err)
	}
}

func TestSlices(t *testing.T) {
	src, _ := numbers(t, zarr.ArraySpec{Shape: []int{12, 10}, Chunks: []int{4, 5}, DimensionNames: []string{"y", "x"}})
	for _, slice := range []string{"2:9, 3:", "::2, ::-1", "5, :", "y=1:4", ":, -1", "3, 4", "x=@2:8:3, y=@2"} {
		for _, opts := range []copying.Options{{}, {Chunks: nil, DataType: "float64"}} {
			opts.Slice, opts.Verify = slice, true
			dst := mem.New()
			if _, err := copying.Into(ctx, src, dst, "", opts); err != nil {
				t.Errorf("%s: %v", slice, err)
				continue
			}
			n, err := zarr.OpenStore(ctx, dst, "")
			jobtest.Check(t, err)
			want, err := zarr.ReadAs[float64](ctx, src, zarr.Slice(strings.ReplaceAll(slice, "@", "")))
			jobtest.Check(t, err)
			got, err := zarr.ReadAs[float64](ctx, n.(*zarr.Array), zarr.All())
			jobtest.Check(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", slice, got, want)
			}
			if names := n.(*zarr.Array).DimensionNames(); len(names) != len(want.Shape) {
				t.Errorf("%s: dimensions %v", slice, names)
			}
		}
	}
	for _, slice := range []string{"z=1", "1,2,3", "a"} {
		if _, err := copying.Into(ctx, src, mem.New(), "", copying.Options{Slice: slice}); err == nil {
			t.Errorf("%s: no error", slice)
		}
	}
}

func TestSlicesOfHierarchies(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	for name, dims := range map[string][]string{"air": {"time", "lat"}, "time": {"time"}, "lat": {"lat"}, "mask": {"lat"}} {
		spec := zarr.ArraySpec{DataType: "int32", DimensionNames: dims, Shape: []int{6, 4}[:len(dims)]}
		if name != "air" && name != "time" {
			spec.Shape = []int{4}
		}
		a, err := g.CreateArray(ctx, name, spec)
		jobtest.Check(t, err)
		n := 1
		for _, l := range a.Shape() {
			n *= l
		}
		data := make([]int32, n)
		for i := range data {
			data[i] = int32(i)
		}
		jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), data))
	}
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{Slice: "time=@1:4, lat=@2", Verify: true})))
	n, err := zarr.OpenStore(ctx, dst, "")
	jobtest.Check(t, err)
	for name, want := range map[string]string{"air": "[3] [6 10 14]", "time": "[3] [1 2 3]", "lat": "[] [2]", "mask": "[] [2]"} {
		a, err := n.(*zarr.Group).Array(ctx, name)
		jobtest.Check(t, err)
		all, err := zarr.Read[int32](ctx, a, zarr.All())
		jobtest.Check(t, err)
		if got := fmt.Sprint(all.Shape, all.Data); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, slice := range []string{"0:2", "depth=@1"} {
		if _, err := copying.Into(ctx, g, mem.New(), "", copying.Options{Slice: slice}); err == nil {
			t.Errorf("%s: no error", slice)
		}
	}
}

func TestForeignFilesAreCopiedAlong(t *testing.T) {
	g, s := jobtest.Sample(t)
	foreign := map[string]string{"README.md": "read me", "deep/table.parquet": "PAR1", "plane/notes/a.txt": "of an array"}
	for key, text := range foreign {
		jobtest.Check(t, jobtest.Err(s.Put(ctx, key, []byte(text), store.PutOptions{})))
	}
	// What is nobody's: chunks outside of an array, and what the engine keeps.
	for _, key := range []string{"plane/c/99/99", ".omnizarr-copied"} {
		jobtest.Check(t, jobtest.Err(s.Put(ctx, key, []byte("x"), store.PutOptions{})))
	}
	dst := mem.New()
	sum, err := copying.Into(ctx, g, dst, "in/side", copying.Options{})
	jobtest.Check(t, err)
	content := jobtest.Content(t, dst)
	for key, text := range foreign {
		if content["in/side/"+key] != text {
			t.Errorf("%s: %q", key, content["in/side/"+key])
		}
	}
	if len(sum.Files) != len(foreign) || content["in/side/plane/c/99/99"] != "" || content["in/side/.omnizarr-copied"] == "x" {
		t.Errorf("%v", sum.Files)
	}
	dst = mem.New()
	sum, err = copying.Into(ctx, g, dst, "", copying.Options{NodesOnly: true})
	jobtest.Check(t, err)
	if len(sum.Files) != 0 || len(sum.NotCopied) != len(foreign) || jobtest.Content(t, dst)["README.md"] != "" {
		t.Errorf("%+v", sum)
	}
}

func TestNamesOfRealFiles(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "", zarr.As("zarr2"))
	jobtest.Check(t, err)
	_, err = g.CreateArray(ctx, "obs/__categories/kind", zarr.ArraySpec{Shape: []int{2}, DataType: "int8"})
	jobtest.Check(t, err)
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{})))
	if _, ok := jobtest.Content(t, dst)["obs/__categories/kind/zarr.json"]; !ok {
		t.Error("no __categories")
	}
}

func TestLinksThatLeadOutAreNotLost(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "in", "a.zarr")
	a, err := zarr.CreateArray(ctx, src, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8"})
	jobtest.Check(t, err)
	defer a.Close()
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	jobtest.Check(t, os.Rename(filepath.Join(src, "c"), filepath.Join(dir, "elsewhere")))
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(src, "c")); err != nil {
		t.Skip(err)
	}
	_, err = copying.Copy(ctx, a, filepath.Join(dir, "b.zarr"), copying.Options{})
	if err == nil || !strings.Contains(err.Error(), " c: symbolic link that leads out, to "+filepath.Join(dir, "elsewhere")) || !strings.Contains(err.Error(), "--allow "+dir) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.zarr")); err == nil {
		t.Error("a copy was begun")
	}
}
