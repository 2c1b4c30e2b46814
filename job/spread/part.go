package spread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
)

// ErrPending says that a part is done, and others are not: there is no result yet.
var ErrPending = errors.New("other parts are left")

// Part runs one of several shares of a job, in processes that know nothing of each other
// and do not wait: every Of-th item of the first stage. What its items gave is put into a
// folder that all see. Whoever finds that all shares are there does the stages behind the
// first and finishes; others get ErrPending. Shares may run in any order, at once, and
// again.
type Part struct {
	Index, Of int // Index is from 1 to Of
	// At is the URL of a folder, or of a place in a bucket, for this job alone. It may be
	// removed when the job is done.
	At string
	// Pool is how items are run.
	Pool Pool
	// Open are options for the store of At.
	Open []zarr.Option
}

// shared is what lies at the place of a job.
type shared struct {
	Spec Spec `json:"spec"`
	Of   int  `json:"of"`
}

// Run does a share.
func (p Part) Run(ctx context.Context, s Spec) (result []byte, err error) {
	if p.Index < 1 || p.Index > p.Of || p.At == "" {
		return nil, fmt.Errorf("run part %d of %d at %q: there must be a place, and parts are from 1 to their number", p.Index, p.Of, p.At)
	}
	where, err := zarr.Make(ctx, p.At, false, p.Open...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, where.Close()) }()
	b := &board{where.Store, where.Path}
	if err := b.begin(ctx, s, p.Of); err != nil {
		return nil, fmt.Errorf("run part %d of %d at %s: %w", p.Index, p.Of, p.At, err)
	}
	if text, err := b.get(ctx, "result.json"); text != nil || err != nil {
		return text, err
	}
	j, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return p.share(ctx, j, b)
}

func (p Part) share(ctx context.Context, j Job, b *board) ([]byte, error) {
	stages := j.Stages()
	gave := make([]map[int][]byte, len(stages))
	for i, s := range stages {
		want := func(int) bool { return true }
		if i == 0 {
			want = func(item int) bool { return item%p.Of == p.Index-1 }
		}
		var err error
		if gave[i], err = p.Pool.some(ctx, j, i, s.Items, want); err != nil {
			return nil, err
		}
		if i > 0 {
			continue
		}
		text, err := json.Marshal(gave[0])
		if err == nil {
			err = b.put(ctx, fmt.Sprintf("parts/%d.json", p.Index), text)
		}
		if err != nil {
			return nil, err
		}
		var left []string
		if gave[0], left, err = b.parts(ctx, p.Of); err != nil {
			return nil, err
		}
		if len(left) > 0 {
			return nil, fmt.Errorf("part %d of %d is done: %w: %s", p.Index, p.Of, ErrPending, strings.Join(left, ", "))
		}
	}
	result, err := j.Finish(ctx, func(stage int) iter.Seq2[int, []byte] {
		return func(yield func(int, []byte) bool) {
			for _, item := range slices.Sorted(maps.Keys(gave[stage])) {
				if !yield(item, gave[stage][item]) {
					return
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return result, b.put(ctx, "result.json", result)
}

// some does the items of a stage that are wanted, and gives what they gave.
func (p Pool) some(ctx context.Context, j Job, stage, items int, want func(int) bool) (map[int][]byte, error) {
	var mine []int
	for item := range items {
		if want(item) {
			mine = append(mine, item)
		}
	}
	results := make([][]byte, len(mine))
	err := p.each(ctx, len(mine), func(ctx context.Context, k int) (err error) {
		results[k], err = j.Do(ctx, stage, mine[k])
		return err
	})
	gave := map[int][]byte{}
	for k, b := range results {
		if b != nil {
			gave[mine[k]] = b
		}
	}
	return gave, err
}

// board is the place where shares of a job say what they have.
type board struct {
	s  store.Store
	at string
}

// begin makes sure that the place is that of this job.
func (b *board) begin(ctx context.Context, s Spec, of int) error {
	own, err := json.Marshal(shared{s, of})
	if err != nil {
		return err
	}
	if err := b.put(ctx, "job.json", own); err != nil {
		return err
	}
	text, err := b.get(ctx, "job.json")
	if err != nil {
		return err
	}
	var other shared
	switch err := strictjson.Unmarshal(text, &other); {
	case err != nil:
		return fmt.Errorf("job.json: %w", err)
	case other.Of != of:
		return fmt.Errorf("the job there is in %d parts, not in %d", other.Of, of)
	case string(text) != string(own):
		return fmt.Errorf("another job is there, of the kind %q", other.Spec.Kind)
	}
	return nil
}

// put puts a value, unless one is there: that of the same part is as good.
func (b *board) put(ctx context.Context, name string, text []byte) error {
	_, err := b.s.Put(ctx, path.Join(b.at, name), text, store.PutOptions{IfAbsent: true})
	if errors.Is(err, store.ErrPrecondition) {
		return nil
	}
	return err
}

// get is a value, nil if there is none.
func (b *board) get(ctx context.Context, name string) ([]byte, error) {
	text, _, err := b.s.Get(ctx, path.Join(b.at, name), store.All(), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// parts joins what all parts gave, and names those that are not there.
func (b *board) parts(ctx context.Context, of int) (gave map[int][]byte, left []string, err error) {
	gave = map[int][]byte{}
	for n := 1; n <= of; n++ {
		text, err := b.get(ctx, fmt.Sprintf("parts/%d.json", n))
		if err != nil {
			return nil, nil, err
		}
		if text == nil {
			left = append(left, strconv.Itoa(n))
			continue
		}
		var one map[int][]byte
		if err := strictjson.Unmarshal(text, &one); err != nil {
			return nil, nil, fmt.Errorf("parts/%d.json: %w", n, err)
		}
		maps.Copy(gave, one)
	}
	return gave, left, nil
}
