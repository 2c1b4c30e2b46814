package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/lock"
)

var ctx = context.Background()

func verify(t *testing.T, n zarr.Node) check.Report {
	t.Helper()
	r, err := check.Verify(ctx, n, check.VerifyOptions{})
	jobtest.Check(t, err)
	return r
}

func TestVerifyCountsChunksAndMissingOnes(t *testing.T) {
	g, s := jobtest.Sample(t)
	jobtest.Check(t, s.Delete(ctx, "plane/c/0/0"))
	r := verify(t, g)
	// 3 × 3 chunks, 2 × 2 × 2 shards, 3 chunks of words of which 1 is empty.
	if !r.OK || r.Arrays != 3 || r.Chunks != 9+8+3 || r.Missing != 2 || len(r.Problems) != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestVerifyGoesOnAfterProblems(t *testing.T) {
	g, s := jobtest.Sample(t)
	put := func(key, data string) {
		_, err := s.Put(ctx, key, []byte(data), store.PutOptions{})
		jobtest.Check(t, err)
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
	jobtest.Check(t, err)
	if !strings.HasPrefix(string(text), `{"ok":false,"arrays":3,"chunks":20,"missing":1,"problems":[{"path":"/deep/volume","key":"c/0/0/0","problem":"`) {
		t.Errorf("got %s", text)
	}
}

func TestVerifyComparesConsolidatedMetadata(t *testing.T) {
	g, s := jobtest.Sample(t)
	jobtest.Check(t, g.Consolidate(ctx))
	if r := verify(t, g); !r.OK {
		t.Errorf("fresh: %+v", r)
	}
	a, err := g.Array(ctx, "plane")
	jobtest.Check(t, err)
	jobtest.Check(t, a.SetAttributes(ctx, nil))
	jobtest.Check(t, s.Delete(ctx, "deep/words/"))
	_, err = zarr.CreateGroupIn(ctx, s, "later")
	jobtest.Check(t, err)
	root, err := zarr.OpenStore(ctx, s, "")
	jobtest.Check(t, err)
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
	g, s := jobtest.Sample(t)
	root, err := zarr.OpenStore(ctx, noList{s}, "")
	jobtest.Check(t, err)
	if r := verify(t, root); r.OK || !strings.Contains(r.Problems[0].Problem, "cannot list") {
		t.Errorf("without consolidated metadata: %+v", r)
	}
	jobtest.Check(t, g.Consolidate(ctx))
	root, err = zarr.OpenStore(ctx, noList{s}, "")
	jobtest.Check(t, err)
	if r := verify(t, root); !r.OK || r.Arrays != 3 || r.Chunks != 20 {
		t.Errorf("with consolidated metadata: %+v", r)
	}
}

func TestVerifyOfAnArray(t *testing.T) {
	g, _ := jobtest.Sample(t)
	a, err := g.Array(ctx, "deep/volume")
	jobtest.Check(t, err)
	var last job.Progress
	r, err := check.Verify(ctx, a, check.VerifyOptions{Workers: 3, Memory: 1, Progress: func(p job.Progress) { last = p }})
	jobtest.Check(t, err)
	if !r.OK || r.Chunks != 8 || last.Done != 8 || last.Total != 8 || last.Path != "/" || last.Bytes != 125*8 {
		t.Errorf("got %+v, %+v", r, last)
	}
}

func TestVerifyStopsWithItsContext(t *testing.T) {
	g, _ := jobtest.Sample(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := check.Verify(ended, g, check.VerifyOptions{}); err == nil {
		t.Error("no error")
	}
}

// A file that keeps something of its own out of consolidated metadata is as good as
// any; what else is missing there is told.
func TestVerifyKnowsWhatIsKeptApart(t *testing.T) {
	g, s := jobtest.Sample(t)
	jobtest.Check(t, g.Consolidate(ctx))
	for _, path := range []string{"schemas", "schemas/core", "schemas2"} {
		_, err := zarr.CreateGroupIn(ctx, s, path)
		jobtest.Check(t, err)
	}
	n, err := zarr.OpenStore(ctx, s, "")
	jobtest.Check(t, err)
	if r := verify(t, n); len(r.Problems) != 3 {
		t.Errorf("%v", r.Problems)
	}
	r, err := check.Verify(ctx, n, check.VerifyOptions{Apart: []string{"schemas"}})
	jobtest.Check(t, err)
	if len(r.Problems) != 1 || r.Problems[0].Path != "/schemas2" {
		t.Errorf("%v", r.Problems)
	}
}

// The journal of a commit is what an interruption left, or that of somebody at work.
func TestVerifyTellsAnInterruptionFromWork(t *testing.T) {
	s, err := file.Open(t.TempDir(), file.Options{})
	jobtest.Check(t, err)
	defer s.Close()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	jobtest.Check(t, err)
	text, err := (&journal.Journal{}).Append(nil)
	jobtest.Check(t, err)
	_, err = s.Put(ctx, journal.Name, text, store.PutOptions{})
	jobtest.Check(t, err)
	if r := verify(t, g); r.OK || len(r.Problems) != 1 || r.Problems[0].Key != journal.Name {
		t.Errorf("got %+v", r)
	}
	release, err := lock.Take(t.Context(), s, "")
	jobtest.Check(t, err)
	if r := verify(t, g); !r.OK || !slices.ContainsFunc(r.Notes, func(p check.Problem) bool { return p.Key == journal.Name }) {
		t.Errorf("got %+v", r)
	}
	jobtest.Check(t, release())
}

// Documents that a journal has yet to change are verified as they will be.
func TestVerifyReadsBehindAJournal(t *testing.T) {
	g, s := jobtest.Sample(t)
	jobtest.Check(t, g.Consolidate(ctx))
	const key = "plane/zarr.json"
	now, _, err := s.Get(ctx, key, store.All(), nil)
	jobtest.Check(t, err)
	was := bytes.Replace(now, []byte(`"attributes"`), []byte(`"attributes":{"old":1},"x"`), 1)
	if bytes.Equal(now, was) {
		was = bytes.Replace(now, []byte("{"), []byte(`{"attributes":{"old":1},`), 1)
	}
	_, err = s.Put(ctx, key, was, store.PutOptions{})
	jobtest.Check(t, err)
	stale := func() bool {
		return slices.ContainsFunc(verify(t, g).Problems, func(p check.Problem) bool { return p.Path == "/plane" })
	}
	if !stale() {
		t.Fatal("nothing is stale")
	}
	j := &journal.Journal{Changes: []journal.Change{{Key: key, Data: now, Was: held.Version(true, was)}}}
	text, err := j.Append(nil)
	jobtest.Check(t, err)
	_, err = s.Put(ctx, journal.Name, text, store.PutOptions{})
	jobtest.Check(t, err)
	if stale() {
		t.Error("stale behind a journal")
	}
}
