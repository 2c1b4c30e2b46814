package copying

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/landing"
)

// Spread makes a copy together with other processes, each of which is asked for the same
// copy. It holds for formats that are a Spreader.
type Spread struct {
	// Part of Of is what this process does, from 1 on; both are 0 if somebody else hands
	// items out and knows which are done.
	Part, Of int
	// Run does what this process is to do of the work, and tells which parts are left.
	// The copy is finished if there is none.
	Run func(ctx context.Context, w *Work) (left []int, err error)
}

// Spreader is a Format whose copies several processes can make together.
type Spreader interface {
	Format
	Spreads() bool
}

// Spreads says that folders and buckets can be written by many.
func (Nodes) Spreads() bool { return true }

// Share is the part of one process: every Of-th item of the first stage. Whoever
// completes the last share does the stages behind it, which are small, and finishes.
func Share(part, of int) *Spread {
	return &Spread{Part: part, Of: of, Run: func(ctx context.Context, w *Work) ([]int, error) {
		if err := w.Each(ctx, 0, func(item int) bool { return item%of == part-1 }); err != nil {
			return nil, err
		}
		left, err := w.Landing.Complete(ctx, part)
		for k := 1; k < len(w.Stages) && err == nil && len(left) == 0 && !w.Landing.Already(); k++ {
			err = w.Each(ctx, k, nil)
		}
		return left, err
	}}
}

// Work is what is left to do of a copy whose nodes are made. Items of a stage may be done
// in any order, more than once, by any process; they need all of the stage before.
type Work struct {
	Landing *landing.Landing
	Stages  []Stage
	// Do does one item, in as much memory as the options of the copy say, whoever else
	// calls it, and tells what it read and wrote.
	Do func(ctx context.Context, stage, item int) (Summary, error)
	// Each does the items of a stage that are wanted, nil for all, some at once.
	Each func(ctx context.Context, stage int, wanted func(item int) bool) error
}

// Stage is a number of items.
type Stage struct {
	Name  string
	Items int
}

// What a copy that is spread is laid out for, whatever machines it runs on: all must cut
// it in the same way.
const (
	spreadWorkers = 4
	SpreadMemory  = 1 << 30 // unless the options say another number
)

// PartOf is what one process did of a copy.
type PartOf struct {
	Part int   `json:"part"`
	Of   int   `json:"of"`
	Left []int `json:"left"` // the parts that are not done yet
}

// Land does the work of a landing that was started, and reports whether the copy is to
// be finished by this process.
func (s *Spread) Land(ctx context.Context, w *Work, sum *Summary) (finish bool, err error) {
	left, err := s.Run(ctx, w)
	if err != nil {
		return false, err
	}
	if s.Of > 0 {
		sum.Part = &PartOf{s.Part, s.Of, append([]int{}, left...)}
	}
	return len(left) == 0, nil
}

// rest tells which parts are left.
func (p *PartOf) rest() string {
	if len(p.Left) == 0 {
		return "the copy is complete"
	}
	const most = 8
	var names []string
	for _, n := range p.Left[:min(len(p.Left), most)] {
		names = append(names, fmt.Sprint(n))
	}
	if len(p.Left) > most {
		names = append(names, fmt.Sprintf("%d more", len(p.Left)-most))
	}
	return "parts left: " + strings.Join(names, ", ")
}

// Filling is the elements of arrays whose copies are made, as items.
type Filling struct {
	r       *runner
	landing *landing.Landing
	passes  []*pass
	memory  *semaphore.Weighted
	turns   *par.Turns // of blocks that hold more than they were weighed for
}

// pass is the blocks of arrays that can be done in any order, as items.
type pass struct {
	name  string
	work  []*blocks
	first []int // number of the first block of every array
	total int   // blocks
	per   int   // blocks of an item
}

// mostItems bounds them: whoever hands them out may keep a list.
const mostItems = 1 << 20

// Fill cuts arrays into items by their metadata and the options alone. Nothing is read.
// They may go by way of others that lie between them and their copies in a landing, unless
// the copy is made in parts: none of these waits for another.
func Fill(ctx context.Context, pairs []Pair, opts Options, l *landing.Landing) (*Filling, error) {
	f := &Filling{r: &runner{opts: opts, track: job.NewTracker(opts.Progress)}, landing: l, memory: semaphore.NewWeighted(Usable(opts.Memory)), turns: par.NewTurns(spreadWorkers, Usable(opts.Memory))}
	if opts.Spread.Of == 0 {
		f.r.between = l.Between
	}
	if err := f.r.lay(ctx, pairs, spreadWorkers); err != nil {
		return nil, err
	}
	for _, work := range f.r.passes() {
		p := &pass{name: "blocks", work: work}
		for _, w := range work {
			if w.passing {
				p.name = "blocks between"
			}
			p.first = append(p.first, p.total)
			if p.total += w.total; p.total < 0 {
				return nil, fmt.Errorf("copy: %w: more blocks than can be counted", zarr.ErrTooLarge)
			}
		}
		p.per = max(ceil(p.total, mostItems), 1)
		f.passes = append(f.passes, p)
	}
	return f, nil
}

// Cut names how the arrays are cut.
func (f *Filling) Cut() string {
	var names []string
	for _, p := range f.passes {
		for _, w := range p.work {
			names = append(names, w.Path+" "+w.name())
			if w.passing {
				names = append(names, "by way of "+w.To.Path())
			}
		}
	}
	return strings.Join(names, "\n")
}

// Stages are the items: blocks, behind those of arrays by way of which others go.
func (f *Filling) Stages() (out []Stage) {
	for _, p := range f.passes {
		out = append(out, Stage{p.name, ceil(p.total, p.per)})
	}
	return out
}

// Find finds out which blocks have something to copy, and where the copy was begun
// before, which are stored.
func (f *Filling) Find(ctx context.Context, begun bool) error {
	for _, w := range f.r.work {
		w.Begun = begun
	}
	err := f.r.find(ctx)
	for _, w := range f.r.work {
		if err == nil && w.before != nil {
			// Whatever is done already: others may not know, and read.
			w.before.readBy(w, func(int) bool { return true })
		}
	}
	return err
}

// Each does the items of a stage that are wanted, nil for all.
func (f *Filling) Each(ctx context.Context, stage int, wanted func(item int) bool) error {
	p := f.passes[stage]
	if wanted == nil {
		return f.r.run(ctx, p.work, nil)
	}
	first := map[*blocks]int{}
	for i, w := range p.work {
		first[w] = p.first[i]
	}
	return f.r.run(ctx, p.work, func(w *blocks, k int) bool { return wanted((first[w] + k) / p.per) })
}

// Do does one item, and tells what that was.
func (f *Filling) Do(ctx context.Context, stage, item int) (Summary, error) {
	return Measured(ctx, func(ctx context.Context) (Summary, error) {
		var t tally
		err := f.do(ctx, f.passes[stage], item, &t)
		if errors.Is(err, zarr.ErrMissing) && f.landing.Over(ctx) {
			err = nil // and what was between is removed
		}
		return t.summary(), err
	})
}

func (f *Filling) do(ctx context.Context, p *pass, item int, t *tally) error {
	for n := item * p.per; n < min((item+1)*p.per, p.total); n++ {
		i, _ := slices.BinarySearch(p.first, n+1)
		w := p.work[i-1]
		k := n - p.first[i-1]
		if !w.needs(k) {
			continue
		}
		if w.isDone(k) {
			t.resume(w)
			continue
		}
		box := w.box(k)
		need := min(f.r.weight(w, job.Weight(w.To, box.Shape)), Usable(f.r.opts.Memory))
		if err := f.memory.Acquire(ctx, need); err != nil {
			return err
		}
		err := f.r.one(f.turns.In(ctx), w, box, t)
		f.memory.Release(need)
		if err != nil {
			return err
		}
	}
	return nil
}

// Summary is what Each did.
func (f *Filling) Summary() Summary { return f.r.summary() }
