package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/jobs"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/repair"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/lock"
)

var finishers = []check.Finisher{&jobs.Kind{}}

// interrupted is a file of two units with 300 spikes in the column and 2 beside it, and
// older chunks of the column, as a recording is that was killed.
func interrupted(t *testing.T) (url string, recorder *record.Recorder) {
	t.Helper()
	ctx := context.Background()
	object := func(typ string, attributes map[string]any) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: typ}, Attributes: attributes}
	}
	url = filepath.Join(t.TempDir(), "a.nwb.zarr")
	jobtest.Check(t, write.Create(ctx, url, &write.Group{Groups: map[string]*write.Group{"units": {
		Object: object("DynamicTable", map[string]any{"description": "sorted", "colnames": []string{"spike_times"}}),
		Datasets: map[string]*write.Dataset{
			"id":          {Object: object("ElementIdentifiers", nil), Data: write.Numbers([]int64{0, 1})},
			"spike_times": {Object: object("VectorData", map[string]any{"description": "in seconds"}), Data: write.Numbers([]float64{})},
			"spike_times_index": {Object: object("VectorIndex", map[string]any{"description": "ends", "target": hdmf.Reference{Path: "/units/spike_times"}}),
				Data: write.Numbers([]uint32{0, 0})},
		},
	}}}, write.Options{Layout: hdmf.V3}))
	r, err := record.Open(ctx, url, record.Options{Unseen: -1})
	jobtest.Check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	jobtest.Check(t, err)
	for i, n := range []int{100, 200, 2} {
		jobtest.Check(t, spikes.Append(ctx, i%2, slices.Repeat([]float64{float64(i + 1)}, n)...))
		jobtest.Check(t, r.Commit(ctx))
	}
	return url, r
}

func verified(t *testing.T, url string) check.Report {
	t.Helper()
	n, err := zarr.Open(context.Background(), url, zarr.ReadOnly())
	jobtest.Check(t, err)
	defer n.Close()
	report, err := check.Verify(context.Background(), n, check.VerifyOptions{Finishers: finishers})
	jobtest.Check(t, err)
	return report
}

// ends is the index of the units.
func ends(t *testing.T, url string) []uint64 {
	t.Helper()
	ctx := context.Background()
	f, err := hdmf.Open(ctx, url)
	jobtest.Check(t, err)
	defer f.Close()
	o, err := f.Object(ctx, "/units/spike_times_index")
	jobtest.Check(t, err)
	v, err := o.(*hdmf.Dataset).Read(ctx, zarr.All())
	jobtest.Check(t, err)
	list, err := v.Ints()
	jobtest.Check(t, err)
	var out []uint64
	for _, x := range list {
		out = append(out, uint64(x))
	}
	return out
}

// What a recording leaves is told while it runs and after it was killed, and is put into
// its place by repair, but not while somebody is at work.
func TestWhatRecordingsLeaveIsFinished(t *testing.T) {
	ctx := context.Background()
	url, r := interrupted(t)
	report := verified(t, url)
	if !report.OK || !slices.ContainsFunc(report.Notes, func(p check.Problem) bool {
		return p.Path == "/units" && strings.HasPrefix(p.Problem, "2 spikes of a recording") && strings.HasSuffix(p.Problem, "it is under way")
	}) {
		t.Errorf("while it is recorded: %+v", report)
	}
	plan := func() *repair.Plan {
		s, err := file.Open(url, file.Options{})
		jobtest.Check(t, err)
		t.Cleanup(func() { s.Close() })
		p, err := repair.Make(ctx, s, "", repair.Options{Finishers: finishers, URL: url})
		jobtest.Check(t, err)
		return p
	}
	if _, err := plan().Do(ctx); !errors.Is(err, lock.ErrBusy) {
		t.Errorf("while it is recorded, repair: %v", err)
	}
	jobtest.Check(t, r.Discard()) // as a kill leaves the file
	report = verified(t, url)
	if report.OK || len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Problem, "2 spikes of a recording") || !strings.Contains(report.Problems[0].Problem, "omnizarr repair") {
		t.Errorf("after it was interrupted: %+v", report)
	}
	old := 0
	for _, p := range report.Notes {
		if strings.Contains(p.Problem, "belongs to no node") {
			t.Errorf("%+v", p)
		}
		if strings.Contains(p.Problem, "before a recording wrote it anew") {
			old++
		}
	}
	if old == 0 {
		t.Errorf("nothing is told of chunks as they were: %+v", report.Notes)
	}
	if got := ends(t, url); !slices.Equal(got, []uint64{100, 300}) {
		t.Errorf("before: %v", got)
	}
	p := plan()
	if got := ends(t, url); !slices.Equal(got, []uint64{100, 300}) {
		t.Errorf("the plan has changed the file: %v", got)
	}
	done, err := p.Do(ctx)
	jobtest.Check(t, err)
	if len(done) != 1+old || done[0].Action != repair.Finish {
		t.Errorf("%+v", done)
	}
	if got := ends(t, url); !slices.Equal(got, []uint64{102, 302}) {
		t.Errorf("after: %v", got)
	}
	if report := verified(t, url); !report.OK || len(report.Notes) > 0 {
		t.Errorf("after: %+v", report)
	}
	if p := plan(); len(p.Actions)+len(p.Left) > 0 {
		t.Errorf("still: %+v %+v", p.Actions, p.Left)
	}
}

// Chunks by other names are nobody's if the array has none by its own: its document may
// be what is wrong.
func TestChunksOfAColumnWithoutAnyAreKept(t *testing.T) {
	url, r := interrupted(t)
	jobtest.Check(t, r.Close())
	in := filepath.Join(url, "units", "spike_times")
	moved := false
	for from, to := range map[string]string{"c/0": "c.0", "c.0": "0", "0": "c.0"} {
		if !moved && os.Rename(filepath.Join(in, filepath.FromSlash(from)), filepath.Join(in, to)) == nil {
			moved = true
			os.Remove(filepath.Join(in, "c")) // empty, if it is there
		}
	}
	report := verified(t, url)
	if !moved || len(report.Notes) != 1 || report.Notes[0].Problem != "belongs to no node" {
		t.Errorf("%+v", report)
	}
}
