package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// content gives all keys and values of a store.
func content(t *testing.T, s store.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		b, _, err := s.Get(ctx, e.Key, store.All(), nil)
		check(t, err)
		out[e.Key] = string(b)
	}
	return out
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: %q, want %q", key, got[key], want[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s is more than there should be", key)
		}
	}
}

func TestCopyKeepsEverything(t *testing.T) {
	g, s := sample(t)
	check(t, g.Consolidate(ctx))
	dst := mem.New()
	check(t, job.CopyInto(ctx, g, dst, "", job.CopyOptions{}))
	same(t, content(t, dst), content(t, s))
}

func TestCopyStartedAgainEndsWithTheSameBytes(t *testing.T) {
	g, _ := sample(t)
	whole := mem.New()
	opts := job.CopyOptions{Chunks: []int{5, 5}, Workers: 1}
	check(t, job.CopyInto(ctx, g, whole, "", opts))
	for stop := int64(1); ; stop += 7 {
		dst := mem.New()
		some, cancel := context.WithCancel(ctx)
		begun := opts
		begun.Progress = func(p job.Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		err := job.CopyInto(some, g, dst, "", begun)
		cancel()
		check(t, job.CopyInto(ctx, g, dst, "", opts))
		same(t, content(t, dst), content(t, whole))
		if err == nil {
			break
		}
	}
}

func TestCopyRemovesWhatTheSourceDoesNotHave(t *testing.T) {
	g, s := sample(t)
	dst := mem.New()
	check(t, job.CopyInto(ctx, g, dst, "", job.CopyOptions{}))
	check(t, s.Delete(ctx, "plane/c/0/0"))
	check(t, job.CopyInto(ctx, g, dst, "", job.CopyOptions{}))
	if _, ok := content(t, dst)["plane/c/0/0"]; ok {
		t.Error("the chunk is still there")
	}
}

// elements reads an array as bytes.
func elements(t *testing.T, a *zarr.Array) []byte {
	t.Helper()
	var out []byte
	for v, err := range a.Stream(ctx, zarr.All(), 100) {
		check(t, err)
		out = append(out, v.Data...)
	}
	return out
}

func TestCopyWithOtherLayouts(t *testing.T) {
	g, _ := sample(t)
	for _, path := range []string{"plane", "deep/volume"} {
		src, err := g.Array(ctx, path)
		check(t, err)
		rank := len(src.Shape())
		gzip := json.RawMessage(`[{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}}]`)
		for _, opts := range []job.CopyOptions{
			{},
			{Chunks: slices.Repeat([]int{2}, rank)},
			{Chunks: slices.Repeat([]int{100}, rank)},
			{Chunks: slices.Repeat([]int{3}, rank), Memory: 1},
			{Chunks: slices.Repeat([]int{3}, rank), Shards: slices.Repeat([]int{6}, rank), Codecs: gzip},
			{Shards: slices.Repeat([]int{12}, rank)},
			{Shards: slices.Repeat([]int{5}, rank)},
			{Codecs: gzip, Workers: 7},
		} {
			dst := mem.New()
			check(t, job.CopyInto(ctx, src, dst, "a/b", opts))
			n, err := zarr.OpenStore(ctx, dst, "a/b")
			check(t, err)
			a := n.(*zarr.Array)
			if !bytes.Equal(elements(t, a), elements(t, src)) {
				t.Errorf("%s with %+v differs", path, opts)
			}
			if !slices.Equal(a.DimensionNames(), src.DimensionNames()) || !bytes.Equal(a.FillValue(), src.FillValue()) || a.Attributes().Len() != src.Attributes().Len() {
				t.Errorf("%s with %+v: metadata differs", path, opts)
			}
		}
	}
}

func TestCopyKeepsTheGridOfARectilinearArray(t *testing.T) {
	s := mem.New()
	grid := `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,2,3],[4]]}}`
	src, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{6, 4}, DataType: "int16", Grid: json.RawMessage(grid)})
	check(t, err)
	check(t, zarr.Write(ctx, src, zarr.All(), count[int16](24)))
	dst := mem.New()
	check(t, job.CopyInto(ctx, src, dst, "", job.CopyOptions{}))
	same(t, content(t, dst), content(t, s))
}

func TestCopyPassesOverWhatIsNotStored(t *testing.T) {
	s := mem.New()
	src, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{1 << 40}, Chunks: []int{16}, DataType: "int16"})
	check(t, err)
	check(t, zarr.Write(ctx, src, zarr.Select(zarr.Span(1<<39, 1<<39+40)), count[int16](40)))
	blocks := int64(0)
	dst := mem.New()
	check(t, job.CopyInto(ctx, src, dst, "", job.CopyOptions{Chunks: []int{8}, Progress: func(p job.Progress) { blocks = p.Total }}))
	if blocks > 6 || len(content(t, dst)) != 1+5 {
		t.Errorf("%d blocks, keys %v", blocks, slices.Collect(maps.Keys(content(t, dst))))
	}
}

func TestCopyConvertsNumbersByValue(t *testing.T) {
	for _, c := range []struct {
		from, to string
		fill     string
		want     string // the fill value afterwards
		fails    string
	}{
		{"int16", "float32", "-3", "-3.0", ""},
		{"float64", "int8", "-128", "-128", ""},
		{"float64", "int8", "0.5", "", "int8 has no 0.5, which is a float64"},
		{"int16", "uint8", "-1", "", "uint8 has no -1, which is a int16"},
		{"uint64", "int64", "9223372036854775807", "9223372036854775807", ""},
		{"uint64", "int64", "9223372036854775808", "", "int64 has no 9223372036854775808"},
		{"int64", "float64", "-9223372036854775808", "-9.223372036854776e+18", ""},
		{"float64", "float32", `"NaN"`, `"NaN"`, ""},
		{"float64", "float32", "1e300", "", "float32 has no 1e+300"},
		{"bool", "uint8", "true", "1", ""},
		{"uint8", "bool", "2", "", "bool has no 2"},
		{"int4", "int64", "-8", "-8", ""},
		{"int64", "int4", "-8", "-8", ""},
		{"int64", "int4", "8", "", "int4 has no 8"},
		{"complex64", "int8", "[0.0,0.0]", "", "only numbers are converted"},
		{"uint8", "decimal", "0", "", `unknown data type "decimal"`},
	} {
		src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1}, DataType: c.from, FillValue: json.RawMessage(c.fill)})
		check(t, err)
		dst := mem.New()
		err = job.CopyInto(ctx, src, dst, "", job.CopyOptions{DataType: c.to})
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s %s to %s: got %v, want %s", c.from, c.fill, c.to, err, c.fails)
			}
			continue
		}
		check(t, err)
		n, err := zarr.OpenStore(ctx, dst, "")
		check(t, err)
		if got := string(n.(*zarr.Array).Metadata().FillValue); got != c.want {
			t.Errorf("%s %s to %s: got %s, want %s", c.from, c.fill, c.to, got, c.want)
		}
	}
}

func TestCopyConvertsElements(t *testing.T) {
	g, _ := sample(t)
	src, err := g.Array(ctx, "plane")
	check(t, err)
	dst := mem.New()
	check(t, job.CopyInto(ctx, src, dst, "", job.CopyOptions{DataType: "float64"}))
	n, err := zarr.OpenStore(ctx, dst, "")
	check(t, err)
	got, err := zarr.Read[float64](ctx, n.(*zarr.Array), zarr.All())
	check(t, err)
	if !slices.Equal(got.Data, count[float64](70)) {
		t.Errorf("got %v", got.Data)
	}
}

func TestCopyDoesNotMixWithSomethingElse(t *testing.T) {
	g, _ := sample(t)
	other := func() store.Store {
		s := mem.New()
		_, err := zarr.CreateArrayIn(ctx, s, "plane", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"})
		check(t, err)
		return s
	}
	if err := job.CopyInto(ctx, g, other(), "", job.CopyOptions{}); !errors.Is(err, job.ErrNotEmpty) {
		t.Errorf("an array with other metadata: got %v", err)
	}
	plane, err := g.Array(ctx, "plane")
	check(t, err)
	if err := job.CopyInto(ctx, plane, other(), "", job.CopyOptions{}); !errors.Is(err, job.ErrNotEmpty) {
		t.Errorf("an array in place of a group: got %v", err)
	}
	dst := other()
	check(t, job.CopyInto(ctx, plane, dst, "", job.CopyOptions{Overwrite: true}))
	if _, ok := content(t, dst)["plane/zarr.json"]; ok {
		t.Error("the old node is still there")
	}
	if err := job.CopyInto(ctx, g, g.Store(), "", job.CopyOptions{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "the same place") {
		t.Errorf("onto itself: got %v", err)
	}
}

func TestCopyToArchive(t *testing.T) {
	g, s := sample(t)
	url := filepath.Join(t.TempDir(), "a.zip")
	check(t, job.Copy(ctx, g, url, job.CopyOptions{}))
	n, err := zarr.Open(ctx, url, zarr.ReadOnly())
	check(t, err)
	defer n.Close()
	if r := verify(t, n); !r.OK || r.Arrays != 3 {
		t.Errorf("got %+v", r)
	}
	check(t, g.Consolidate(ctx))
	same(t, content(t, n.Store()), content(t, s))
}
