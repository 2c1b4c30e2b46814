package spread_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/spread"
)

// noted is a job that notes what is asked of it.
type noted struct {
	mu     sync.Mutex
	done   [2][]int
	early  bool // an item of the second stage came before the first was done
	fail   error
	finish int
	closed int
}

func (n *noted) Stages() []spread.Stage {
	return []spread.Stage{{Name: "first", Items: 50}, {Name: "second", Items: 7}}
}

func (n *noted) Do(_ context.Context, stage, item int) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.early = n.early || stage == 1 && len(n.done[0]) < 50
	n.done[stage] = append(n.done[stage], item)
	if item == 30 {
		return nil, n.fail
	}
	return []byte{byte(item)}, nil
}

func (n *noted) Finish(_ context.Context, results spread.Results) (out []byte, err error) {
	n.finish++
	for _, b := range results(1) {
		out = append(out, b...)
	}
	return out, nil
}

func (n *noted) Close() error { n.closed++; return nil }

var current *noted

func init() {
	spread.Register("noted", func(context.Context, json.RawMessage) (spread.Job, error) { return current, nil })
}

// A pool does every item once, a stage behind the one before, and gives results in order.
func TestPool(t *testing.T) {
	current = &noted{}
	var last job.Progress
	out, err := spread.Pool{Workers: 4, Progress: func(p job.Progress) { last = p }}.Run(t.Context(), spread.Spec{Kind: "noted"})
	jobtest.Check(t, err)
	for i, items := range []int{50, 7} {
		slices.Sort(current.done[i])
		if got := slices.Compact(slices.Clone(current.done[i])); len(got) != items || len(current.done[i]) != items {
			t.Errorf("stage %d: %v", i, current.done[i])
		}
	}
	if current.early || current.finish != 1 || current.closed != 1 || last.Done != 57 || last.Total != 57 {
		t.Errorf("early %v, finished %d, closed %d, progress %v", current.early, current.finish, current.closed, last)
	}
	if want := []byte{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(out, want) {
		t.Errorf("results %v, want %v", out, want)
	}
}

// An item that fails ends the job, which is closed and not finished.
func TestPoolFails(t *testing.T) {
	broken := errors.New("broken")
	current = &noted{fail: broken}
	_, err := spread.Pool{Workers: 2}.Run(t.Context(), spread.Spec{Kind: "noted"})
	if !errors.Is(err, broken) || current.finish != 0 || current.closed != 1 || len(current.done[1]) != 0 {
		t.Errorf("%v, finished %d, closed %d, second stage %v", err, current.finish, current.closed, current.done[1])
	}
}

// A kind that nobody registered is named, with those that are.
func TestUnknownKind(t *testing.T) {
	_, err := spread.Open(t.Context(), spread.Spec{Kind: "cubes"})
	if err == nil || !strings.Contains(err.Error(), `"cubes"`) || !strings.Contains(err.Error(), "squares") {
		t.Error(err)
	}
}
