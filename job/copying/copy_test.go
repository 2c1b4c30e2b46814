package copying_test

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
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func TestCopyKeepsEverything(t *testing.T) {
	g, s := jobtest.Sample(t)
	jobtest.Check(t, g.Consolidate(ctx))
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{})))
	jobtest.Same(t, jobtest.Content(t, dst), jobtest.Content(t, s))
}

func TestCopyStartedAgainEndsWithTheSameBytes(t *testing.T) {
	g, _ := jobtest.Sample(t)
	whole := mem.New()
	opts := copying.Options{Chunks: []int{5, 5}, Workers: 1}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, whole, "", opts)))
	for stop := int64(1); ; stop += 7 {
		dst := mem.New()
		some, cancel := context.WithCancel(ctx)
		begun := opts
		begun.Progress = func(p job.Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		_, err := copying.Into(some, g, dst, "", begun)
		cancel()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", opts)))
		jobtest.Same(t, jobtest.Content(t, dst), jobtest.Content(t, whole))
		if err == nil {
			break
		}
	}
}

func TestCopyRemovesWhatTheSourceDoesNotHave(t *testing.T) {
	g, s := jobtest.Sample(t)
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{})))
	jobtest.Check(t, s.Delete(ctx, "plane/c/0/0"))
	if err := jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{})); !errors.Is(err, copying.ErrNotEmpty) || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("after a change of the source: %v", err)
	}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{Overwrite: true})))
	if _, ok := jobtest.Content(t, dst)["plane/c/0/0"]; ok {
		t.Error("the chunk is still there")
	}
}

func TestCopyWithOtherLayouts(t *testing.T) {
	g, _ := jobtest.Sample(t)
	for _, path := range []string{"plane", "deep/volume"} {
		src, err := g.Array(ctx, path)
		jobtest.Check(t, err)
		rank := len(src.Shape())
		gzip := json.RawMessage(`[{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}}]`)
		for _, opts := range []copying.Options{
			{},
			{Chunks: slices.Repeat([]int{2}, rank)},
			{Chunks: slices.Repeat([]int{100}, rank)},
			{Chunks: slices.Repeat([]int{3}, rank), Memory: 8 << 10},
			{Chunks: slices.Repeat([]int{3}, rank), Shards: slices.Repeat([]int{6}, rank), Codecs: gzip},
			{Shards: slices.Repeat([]int{12}, rank)},
			{Shards: slices.Repeat([]int{5}, rank)},
			{Codecs: gzip, Workers: 7},
		} {
			dst := mem.New()
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "a/b", opts)))
			n, err := zarr.OpenStore(ctx, dst, "a/b")
			jobtest.Check(t, err)
			a := n.(*zarr.Array)
			if !bytes.Equal(jobtest.Elements(t, a), jobtest.Elements(t, src)) {
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
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, src, zarr.All(), jobtest.Count[int16](24)))
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{})))
	jobtest.Same(t, jobtest.Content(t, dst), jobtest.Content(t, s))
}

func TestCopyPassesOverWhatIsNotStored(t *testing.T) {
	s := mem.New()
	src, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{1 << 40}, Chunks: []int{16}, DataType: "int16"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, src, zarr.Select(zarr.Span(1<<39, 1<<39+40)), jobtest.Count[int16](40)))
	blocks := int64(0)
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{Chunks: []int{8}, Progress: func(p job.Progress) { blocks = p.Total }})))
	if blocks > 6 || len(jobtest.Content(t, dst)) != 1+5 {
		t.Errorf("%d blocks, keys %v", blocks, slices.Collect(maps.Keys(jobtest.Content(t, dst))))
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
		jobtest.Check(t, err)
		dst := mem.New()
		_, err = copying.Into(ctx, src, dst, "", copying.Options{DataType: c.to})
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s %s to %s: got %v, want %s", c.from, c.fill, c.to, err, c.fails)
			}
			continue
		}
		jobtest.Check(t, err)
		n, err := zarr.OpenStore(ctx, dst, "")
		jobtest.Check(t, err)
		if got := string(n.(*zarr.Array).Metadata().FillValue); got != c.want {
			t.Errorf("%s %s to %s: got %s, want %s", c.from, c.fill, c.to, got, c.want)
		}
	}
}

func TestCopyConvertsElements(t *testing.T) {
	g, _ := jobtest.Sample(t)
	src, err := g.Array(ctx, "plane")
	jobtest.Check(t, err)
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{DataType: "float64"})))
	n, err := zarr.OpenStore(ctx, dst, "")
	jobtest.Check(t, err)
	got, err := zarr.Read[float64](ctx, n.(*zarr.Array), zarr.All())
	jobtest.Check(t, err)
	if !slices.Equal(got.Data, jobtest.Count[float64](70)) {
		t.Errorf("got %v", got.Data)
	}
}

func TestCopyDoesNotMixWithSomethingElse(t *testing.T) {
	g, _ := jobtest.Sample(t)
	other := func() store.Store {
		s := mem.New()
		_, err := zarr.CreateArrayIn(ctx, s, "plane", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"})
		jobtest.Check(t, err)
		return s
	}
	if _, err := copying.Into(ctx, g, other(), "", copying.Options{}); !errors.Is(err, copying.ErrNotEmpty) {
		t.Errorf("an array with other metadata: got %v", err)
	}
	plane, err := g.Array(ctx, "plane")
	jobtest.Check(t, err)
	if _, err := copying.Into(ctx, plane, other(), "", copying.Options{}); !errors.Is(err, copying.ErrNotEmpty) {
		t.Errorf("an array in place of a group: got %v", err)
	}
	dst := other()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, plane, dst, "", copying.Options{Overwrite: true})))
	if _, ok := jobtest.Content(t, dst)["plane/zarr.json"]; ok {
		t.Error("the old node is still there")
	}
	if _, err := copying.Into(ctx, g, g.Store(), "", copying.Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "the same place") {
		t.Errorf("onto itself: got %v", err)
	}
}

func TestCopyToArchive(t *testing.T) {
	g, s := jobtest.Sample(t)
	url := filepath.Join(t.TempDir(), "a.zip")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, g, url, copying.Options{})))
	n, err := zarr.Open(ctx, url, zarr.ReadOnly())
	jobtest.Check(t, err)
	defer n.Close()
	if r := verified(t, n); !r.OK || r.Arrays != 3 {
		t.Errorf("got %+v", r)
	}
	jobtest.Check(t, g.Consolidate(ctx))
	jobtest.Same(t, jobtest.Content(t, n.Store()), jobtest.Content(t, s))
}

// verified reads and decodes everything.
func verified(t testing.TB, n zarr.Node) check.Report {
	t.Helper()
	r, err := check.Verify(ctx, n, check.VerifyOptions{})
	jobtest.Check(t, err)
	return r
}

func TestLimitsBelowZeroAreRefused(t *testing.T) {
	g, _ := jobtest.Sample(t)
	for _, opts := range []copying.Options{{Workers: -1}, {Memory: -1}} {
		dst := mem.New()
		if _, err := copying.Into(ctx, g, dst, "", opts); err == nil || !strings.Contains(err.Error(), "must not be negative") || len(jobtest.Content(t, dst)) > 0 {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	if _, err := check.Verify(ctx, g, check.VerifyOptions{Workers: -1}); err == nil {
		t.Error("verify takes -1 workers")
	}
}

// An axis without elements may have no chunks at all: the codecs of the array are known
// nevertheless, and a copy is as empty.
func TestCopyOfAnArrayWithoutChunks(t *testing.T) {
	for _, grid := range []string{
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[],[1,2,3]]}}`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[3,4],[1,2,3]]}}`,
		`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[4,5]}}`,
	} {
		src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{0, 6}, DataType: "int16", Grid: json.RawMessage(grid)})
		jobtest.Check(t, err)
		jobtest.Check(t, jobtest.Err(src.Codec()))
		for _, opts := range []copying.Options{{Verify: true}, {Verify: true, Chunks: []int{1, 2}}} {
			dst := mem.New()
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", opts)))
			n, err := zarr.OpenStore(ctx, dst, "")
			jobtest.Check(t, err)
			if got := n.(*zarr.Array).Shape(); !slices.Equal(got, []int{0, 6}) {
				t.Errorf("%s: shape %v", grid, got)
			}
		}
	}
}

// A short document tells of 2⁴⁰ chunks that differ in length: they are not counted one by one.
func TestCopyOfManyChunksThatDiffer(t *testing.T) {
	for i, grid := range []string{
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1,1099511627776],2]]}}`,
		`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[3]}}`,
	} {
		if i > 0 && race.Enabled && !thorough.Enabled {
			break // megabytes of zeros are read and compared in the same way
		}
		src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1<<40 + 2}, DataType: "int16", Grid: json.RawMessage(grid)})
		jobtest.Check(t, err)
		jobtest.Check(t, zarr.Write(ctx, src, zarr.Select(zarr.Span(1<<39, 1<<39+3)), []int16{1, 2, 3}))
		dst := mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{Verify: i == 0 || thorough.Enabled})))
		n, err := zarr.OpenStore(ctx, dst, "")
		jobtest.Check(t, err)
		got, err := zarr.Read[int16](ctx, n.(*zarr.Array), zarr.Select(zarr.Span(1<<39-1, 1<<39+4)))
		jobtest.Check(t, err)
		if !slices.Equal(got.Data, []int16{0, 1, 2, 3, 0}) {
			t.Errorf("%s: got %v", grid, got.Data)
		}
		sum := 0
		jobtest.Check(t, zarr.BlocksAs(ctx, src, zarr.BlockOptions{Select: zarr.Select(zarr.Span(1<<39, 1<<39+3)), Workers: 1}, func(_ context.Context, b *zarr.Block[int]) error {
			for _, x := range b.Data {
				sum += x
			}
			return nil
		}))
		if sum != 6 {
			t.Errorf("%s: sum %d", grid, sum)
		}
	}
}

// An array whose name begins with dots is a node as any other: its document is no file
// beside nodes, which would take the place of the copy's own.
func TestNamesThatBeginWithDots(t *testing.T) {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	a, err := g.CreateArray(ctx, "..dots", zarr.ArraySpec{Shape: []int{6}, Chunks: []int{2}, DataType: "uint8"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4, 5, 6}))
	to := mem.New()
	sum, err := copying.Into(ctx, g, to, "", copying.Options{Chunks: []int{3}})
	jobtest.Check(t, err)
	n, err := zarr.OpenStore(ctx, to, "..dots")
	jobtest.Check(t, err)
	got, err := zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.All())
	jobtest.Check(t, err)
	if want := []uint8{1, 2, 3, 4, 5, 6}; !slices.Equal(got.Data, want) || len(sum.Files) > 0 || n.(*zarr.Array).ChunkShape()[0] != 3 {
		t.Errorf("%v, %v", got.Data, sum)
	}
}
