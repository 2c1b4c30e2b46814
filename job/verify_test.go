package job_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// sample is a group with some arrays, and the store that holds it.
func sample(t testing.TB) (*zarr.Group, store.Store) {
	t.Helper()
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	attrs := &meta.Attributes{}
	check(t, attrs.Set("title", "sample"))
	check(t, g.SetAttributes(ctx, attrs))
	plane, err := g.CreateArray(ctx, "plane", zarr.ArraySpec{
		Shape: []int{10, 7}, Chunks: []int{4, 3}, DataType: "int16", FillValue: json.RawMessage("-1"),
		DimensionNames: []string{"y", ""}, Attributes: attrs,
	})
	check(t, err)
	check(t, zarr.Write(ctx, plane, zarr.All(), count[int16](70)))
	volume, err := g.CreateArray(ctx, "deep/volume", zarr.ArraySpec{
		Shape: []int{5, 5, 5}, Chunks: []int{2, 2, 2}, Shards: []int{4, 4, 4}, DataType: "float64",
	})
	check(t, err)
	check(t, zarr.Write(ctx, volume, zarr.All(), count[float64](125)))
	words, err := g.CreateArray(ctx, "deep/words", zarr.ArraySpec{Shape: []int{5}, Chunks: []int{2}, DataType: "string"})
	check(t, err)
	check(t, zarr.Write(ctx, words, zarr.Slice("1:4"), []string{"eins", "zwei", "drei"}))
	return g, s
}

func count[T int16 | float64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, n zarr.Node) job.Report {
	t.Helper()
	r, err := job.Verify(ctx, n, job.VerifyOptions{})
	check(t, err)
	return r
}

func TestVerifyCountsChunksAndMissingOnes(t *testing.T) {
	g, s := sample(t)
	check(t, s.Delete(ctx, "plane/c/0/0"))
	r := verify(t, g)
	// 3 × 3 chunks, 2 × 2 × 2 shards, 3 chunks of words of which 1 is empty.
	if !r.OK || r.Arrays != 3 || r.Chunks != 9+8+3 || r.Missing != 2 || len(r.Problems) != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestVerifyGoesOnAfterProblems(t *testing.T) {
	g, s := sample(t)
	put := func(key, data string) {
		_, err := s.Put(ctx, key, []byte(data), store.PutOptions{})
		check(t, err)
	}
	put("plane/c/1/2", "nonsense")
	put("plane/c/2/0", "nonsense")
	put("deep/volume/c/0/0/0", "short")
	put("odd/zarr.json", "{")
	r := verify(t, g)
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Path+" "+p.Key)
		if p.Problem == "" || strings.Contains(p.Problem, "mem:") {
			t.Errorf("problem %q", p.Problem)
		}
	}
	want := []string{"/deep/volume c/0/0/0", "/odd zarr.json", "/plane c/1/2", "/plane c/2/0"}
	if r.OK || r.Arrays != 3 || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text, err := json.Marshal(r)
	check(t, err)
	if !strings.HasPrefix(string(text), `{"ok":false,"arrays":3,"chunks":20,"missing":1,"problems":[{"path":"/deep/volume","key":"c/0/0/0","problem":"`) {
		t.Errorf("got %s", text)
	}
}

func TestVerifyComparesConsolidatedMetadata(t *testing.T) {
	g, s := sample(t)
	check(t, g.Consolidate(ctx))
	if r := verify(t, g); !r.OK {
		t.Errorf("fresh: %+v", r)
	}
	a, err := g.Array(ctx, "plane")
	check(t, err)
	check(t, a.SetAttributes(ctx, nil))
	check(t, s.Delete(ctx, "deep/words/"))
	_, err = zarr.CreateGroupIn(ctx, s, "later")
	check(t, err)
	root, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	r := verify(t, root)
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Path+" "+p.Problem)
	}
	want := []string{
		"/deep/words consolidated metadata: there is no such node",
		"/later consolidated metadata: the node is not in that of /",
		"/plane consolidated metadata: stale, the node's own document is different",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// noList is a store that cannot list, as web servers are.
type noList struct{ store.Store }

func (noList) List(context.Context, string, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, store.ErrNoList) }
}

func TestVerifyWithoutListing(t *testing.T) {
	g, s := sample(t)
	root, err := zarr.OpenStore(ctx, noList{s}, "")
	check(t, err)
	if r := verify(t, root); r.OK || !strings.Contains(r.Problems[0].Problem, "cannot list") {
		t.Errorf("without consolidated metadata: %+v", r)
	}
	check(t, g.Consolidate(ctx))
	root, err = zarr.OpenStore(ctx, noList{s}, "")
	check(t, err)
	if r := verify(t, root); !r.OK || r.Arrays != 3 || r.Chunks != 20 {
		t.Errorf("with consolidated metadata: %+v", r)
	}
}

func TestVerifyOfAnArray(t *testing.T) {
	g, _ := sample(t)
	a, err := g.Array(ctx, "deep/volume")
	check(t, err)
	var last job.Progress
	r, err := job.Verify(ctx, a, job.VerifyOptions{Workers: 3, Memory: 1, Progress: func(p job.Progress) { last = p }})
	check(t, err)
	if !r.OK || r.Chunks != 8 || last.Done != 8 || last.Total != 8 || last.Path != "/" || last.Bytes != 125*8 {
		t.Errorf("got %+v, %+v", r, last)
	}
}

func TestVerifyStopsWithItsContext(t *testing.T) {
	g, _ := sample(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := job.Verify(ended, g, job.VerifyOptions{}); err == nil {
		t.Error("no error")
	}
}
