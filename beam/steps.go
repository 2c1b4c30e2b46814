package beam

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Steps are made anew in other processes from what their exported fields say, so that
// nothing may be captured in a closure; a type that is not registered here is not found there.
func init() {
	register.Emitter1[[]byte]()
	register.Emitter2[int64, []byte]()
	register.Iter1[[]byte]()
	register.DoFn2x0[[]byte, func(int64, []byte)](&begin{})
	register.DoFn3x1[int64, func(*[]byte) bool, func([]byte), error](&expand{})
	register.DoFn3x1[context.Context, []byte, func(int64, []byte), error](&do{})
	register.DoFn3x1[context.Context, int64, func(*[]byte) bool, error](&finish{})
}

// element is what travels, as JSON: an item that is to be done, or what came of items, which
// is a result, why one could not be done, or how many of a bundle were done. What came of a
// stage travels on beside the items of the next, so that the pipeline is one line of steps,
// which every runner can do, and is never empty.
type element struct {
	Stage   int    `json:"stage"`
	Item    int    `json:"item,omitempty"`
	Do      bool   `json:"do,omitempty"`
	Result  []byte `json:"result,omitempty"`
	Problem string `json:"problem,omitempty"`
	Done    int    `json:"done,omitempty"`
}

// one is the key that everything has which is to meet.
const one = int64(0)

// begin starts the first stage.
type begin struct{}

func (*begin) ProcessElement(_ []byte, emit func(int64, []byte)) {
	emit(one, []byte(`{"stage": -1}`))
}

// expand tells the items of a stage, if all before were done.
type expand struct {
	Stage, Items int
}

func (f *expand) ProcessElement(_ int64, before func(*[]byte) bool, emit func([]byte)) error {
	failed := false
	var text []byte
	for before(&text) {
		var e element
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		failed = failed || e.Problem != ""
		emit(text)
	}
	if failed {
		return nil
	}
	for i := range f.Items {
		text, err := json.Marshal(element{Stage: f.Stage, Item: i, Do: true})
		if err != nil {
			return err
		}
		emit(text)
	}
	return nil
}

// do does items.
type do struct {
	Plan  []byte
	Stage int

	plan  plan
	jobs  *jobs
	slots chan struct{}
	busy  sync.WaitGroup
	mu    sync.Mutex
	done  []element // of the bundle
	count int
}

func (f *do) Setup(ctx context.Context) error {
	if err := json.Unmarshal(f.Plan, &f.plan); err != nil {
		return err
	}
	f.slots = make(chan struct{}, max(f.plan.AtOnce, 1))
	f.jobs = jobsOf(ctx)
	return nil
}

func (f *do) StartBundle(_ context.Context, _ func(int64, []byte)) {
	f.done, f.count = nil, 0
}

// ProcessElement begins an item, as soon as there are fewer under way than may be at once.
func (f *do) ProcessElement(ctx context.Context, text []byte, emit func(int64, []byte)) error {
	var e element
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if !e.Do {
		emit(one, text)
		return nil
	}
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	f.busy.Go(func() {
		defer func() { <-f.slots }()
		result, err := f.plan.tried(ctx, func() ([]byte, error) {
			job, err := f.jobs.open(ctx, f.plan.Spec)
			if err != nil {
				return nil, err
			}
			return job.Do(ctx, e.Stage, e.Item)
		})
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case err != nil:
			f.done = append(f.done, element{Stage: e.Stage, Item: e.Item, Problem: err.Error()})
			return
		case result != nil:
			f.done = append(f.done, element{Stage: e.Stage, Item: e.Item, Result: result})
		}
		f.count++
	})
	return nil
}

// FinishBundle waits for the items that are under way: a bundle whose end was told to the
// runner is not done again.
func (f *do) FinishBundle(ctx context.Context, emit func(int64, []byte)) error {
	f.busy.Wait()
	if err := ctx.Err(); err != nil {
		return err // what was cut short is no outcome
	}
	for _, e := range append(f.done, element{Stage: f.Stage, Done: f.count}) {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		emit(one, text)
	}
	beam.NewCounter("omnizarr", "items").Inc(ctx, int64(f.count))
	f.done = nil
	return nil
}

// finish ends the job when all of its items are done, and tells the answer.
type finish struct {
	Plan []byte
}

func (f *finish) ProcessElement(ctx context.Context, _ int64, all func(*[]byte) bool) error {
	var p plan
	if err := json.Unmarshal(f.Plan, &p); err != nil {
		return err
	}
	g, err := gathered(p, all)
	if err != nil {
		return err
	}
	a := answer{Problem: g.problem()}
	if a.Problem == "" {
		a.Result, err = p.tried(ctx, func() ([]byte, error) {
			job, err := jobsOf(ctx).open(ctx, p.Spec)
			if err != nil {
				return nil, err
			}
			return job.Finish(ctx, g.results)
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.Problem = err.Error()
		}
	}
	_, err = p.tried(ctx, func() ([]byte, error) { return nil, a.put(ctx, p) })
	return err
}

// gathering is what came of all items.
type gathering struct {
	plan     plan
	done     []int
	list     [][]element // with a result, by stage
	problems []element
}

func gathered(p plan, all func(*[]byte) bool) (*gathering, error) {
	g := &gathering{plan: p, done: make([]int, len(p.Stages)), list: make([][]element, len(p.Stages))}
	var text []byte
	for all(&text) {
		var e element
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, err
		}
		if e.Stage < 0 {
			continue
		}
		g.done[e.Stage] += e.Done
		switch {
		case e.Problem != "":
			g.problems = append(g.problems, e)
		case e.Result != nil:
			g.list[e.Stage] = append(g.list[e.Stage], e)
		}
	}
	for _, list := range append(g.list, g.problems) {
		slices.SortFunc(list, func(a, b element) int { return a.Item - b.Item })
	}
	return g, nil
}

// problem says why the job cannot be finished, or nothing.
func (g *gathering) problem() string {
	if n := len(g.problems); n > 0 {
		text := g.problems[0].Problem
		if n > 1 {
			text += fmt.Sprintf(" (and %d more items failed)", n-1)
		}
		return text
	}
	for i, s := range g.plan.Stages {
		if g.done[i] != s.Items {
			return fmt.Sprintf("the runner did %d of %d items of %s", g.done[i], s.Items, s.Name)
		}
	}
	return ""
}

// results are those of a stage, in the order of its items.
func (g *gathering) results(stage int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for _, e := range g.list[stage] {
			if !yield(e.Item, e.Result) {
				return
			}
		}
	}
}
