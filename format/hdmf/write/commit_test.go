package write_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/repair"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/mem"
)

// rig is a file with a table, one of whose columns is ragged, and a series.
func rig() *write.Group {
	rows := table(3, 3)
	rows.Attributes["colnames"] = []string{"v", "r"}
	rows.Datasets["r"] = &write.Dataset{Object: common("VectorData", nil), Data: write.Numbers(counting(6)), Chunks: []int{100}}
	rows.Datasets["r_index"] = &write.Dataset{Object: common("VectorIndex", map[string]any{"target": to1("/rows/r")}), Data: write.Numbers([]uint8{1, 4, 6})}
	return &write.Group{Object: typed("File"), Groups: map[string]*write.Group{
		"rows": rows,
		"series": {Object: typed("TimeSeries"), Datasets: map[string]*write.Dataset{
			"data":       {Data: write.Numbers(make([]int16, 10), 5, 2), Chunks: []int{3, 2}},
			"timestamps": {Data: write.Numbers([]float64{1, 2, 3, 4, 5}), Chunks: []int{3}}}},
	}}
}

// sessionStep changes a rig in all ways that there are: rows, samples, attributes, a
// link and a new object, in an order in which some are changed more than once. The
// index of the ragged column becomes wider where the layout can do that at once.
func sessionStep(e *write.Editor, k int) error {
	many := 3
	if e.File().Layout() == hdmf.V3 {
		many = 300
	}
	for _, change := range []func() error{
		func() error { return e.SetAttribute(ctx, "/rows/id", "step", k) },
		func() error {
			return e.AppendRows(ctx, "/rows", write.Rows{Columns: map[string]write.Column{
				"v": {Data: write.Numbers([]int64{7, 8})}, "r": {Data: write.Numbers(counting(many)), Counts: [][]int{{many - 1, 1}}}}})
		},
		func() error {
			return e.AppendSamples(ctx, "/series", write.Numbers([]int16{1, 2, 3, 4, 5, 6}, 3, 2), []float64{6, 7, 8})
		},
		func() error { return e.SetAttribute(ctx, "/", "step", k) },
		func() error {
			g := &write.Group{Object: typed("New"), Datasets: map[string]*write.Dataset{"d": {Object: typed("D"), Data: write.Numbers([]int8{1, 2})}}}
			g.ID, g.Datasets["d"].ID = fmt.Sprint("id", k), fmt.Sprint("id of d", k)
			return e.AddGroup(ctx, fmt.Sprintf("/new%d", k), g)
		},
		func() error { return e.Link(ctx, fmt.Sprintf("/link%d", k), to1("/series")) },
		func() error {
			return e.AppendSamples(ctx, "/series", write.Numbers([]int16{7, 7}, 1, 2), []float64{9})
		},
	} {
		if err := change(); err != nil {
			return err
		}
	}
	return nil
}

// isOneOf checks that a file is as one of some is, and gives which.
func isOneOf(t *testing.T, what string, f *hdmf.File, states ...map[string]any) int {
	t.Helper()
	got := dump(t, f)
	for i, want := range states {
		if reflect.DeepEqual(got, want) {
			return i
		}
	}
	t.Fatalf("%s: %v", what, got)
	return -1
}

// A commit is there for every reader wholly or not at all, wherever the process that
// makes it is killed: as it was left, after the next edit, of nothing or of something,
// and after a repair.
func TestCommitsAreWholeWhereverTheyAreKilled(t *testing.T) {
	for i, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		for j, how := range []struct {
			name         string
			plain, stays bool // without consolidated metadata, and the editor adds none
		}{{"consolidated", false, false}, {"plain", true, false}, {"plain that stays so", true, true}} {
			if !thorough.Enabled && (race.Enabled && (i+j)%2 != 0 || j == i+1) {
				continue // each of them in one layout, and what most have in both
			}
			t.Run(fmt.Sprintf("%v %s", layout, how.name), func(t *testing.T) {
				killEverywhere(t, created(t, rig(), write.Options{Layout: layout, Plain: how.plain}), how.stays, i+j)
			})
		}
	}
}

// Commits that lag are there for readers of consolidated metadata and of package hdmf
// at once, and nodes tell of the last that did not, wherever the process is killed.
func TestCommitsThatLagAreWholeToo(t *testing.T) {
	for turn, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		start := created(t, rig(), write.Options{Layout: layout})
		grow := func(e *write.Editor, k int) error {
			return errors.Join(e.SetAttribute(ctx, "/rows/id", "step", k),
				e.AppendSamples(ctx, "/series", write.Numbers([]int16{1, 2, 3, 4, 5, 6}, 3, 2), []float64{6, 7, 8}))
		}
		const commits = 3
		states := []map[string]any{dump(t, in(t, start))}
		model := copyOf(t, start)
		e := edit(t, model)
		for k := range commits {
			check(t, grow(e, k))
			check(t, e.Commit(ctx))
			states = append(states, dump(t, in(t, model)))
		}
		check(t, e.Close())
		most := 0                                                  // commits that nodes did not tell of
		for n := thorough.Of(2*turn, 0); ; n += thorough.Step(5) { // the layouts take turns
			s := copyOf(t, start)
			f := failAfter(s, n)
			e, err := write.Edit(ctx, "test://", to(f, write.Options{Lagging: true}))
			check(t, err)
			done := 0
			for k := range commits {
				if err = grow(e, k); err == nil {
					err = e.Commit(ctx)
				}
				if err != nil {
					break
				}
				done++
			}
			at := func(what string) string { return fmt.Sprintf("%v after %d changes, %s", layout, n, what) }
			looks := func() {
				t.Helper()
				for _, opts := range [][]zarr.Option{nil, {zarr.BypassConsolidated()}} {
					if now := isOneOf(t, at("as it is"), in(t, s, opts...), states...); now < done || now > done+1 {
						t.Fatalf("%s: %d of %d commits", at("as it is"), now, done)
					}
				}
			}
			looks()
			// Those who know nothing of the journal: one of the states, of all nodes.
			bare := copyOf(t, s)
			check(t, bare.Delete(ctx, journal.Name))
			isOneOf(t, at("listed"), in(t, bare), states...)
			if before := isOneOf(t, at("by documents alone"), in(t, bare, zarr.BypassConsolidated()), states...); err == nil {
				most = max(most, done-before)
			}
			closed := e.Close()
			looks()
			_, _, there := s.Get(ctx, journal.Name, store.All(), nil)
			if closed == nil && err == nil && there == nil {
				t.Fatal(at("closed, and a journal is left"))
			}
			check(t, edit(t, s).Close())
			if now := isOneOf(t, at("edited again"), in(t, s, zarr.BypassConsolidated()), states...); now < done {
				t.Fatalf("%s: %d of %d commits", at("edited again"), now, done)
			}
			if closed == nil && err == nil {
				break
			}
		}
		if most != commits {
			t.Errorf("%v: nodes lagged behind %d commits", layout, most)
		}
	}
}

// hiccup fails at one change, and goes on.
type hiccup struct {
	*mem.Store
	left atomic.Int64
}

func (s *hiccup) fails() bool { return s.left.Add(-1) == -1 }

func (s *hiccup) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if s.fails() {
		return store.Info{}, errCrash
	}
	return s.Store.Put(ctx, key, data, opt)
}

func (s *hiccup) Delete(ctx context.Context, key string) error {
	if s.fails() {
		return errCrash
	}
	return s.Store.Delete(ctx, key)
}

// An editor whose commit failed goes on, whether it was decided or not, and loses
// nothing of what is changed before the next.
func TestEditorsGoOnAfterACommitThatFailed(t *testing.T) {
	for turn, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		start := created(t, rig(), write.Options{Layout: layout})
		model := copyOf(t, start)
		e := edit(t, model)
		for k := range 2 {
			check(t, sessionStep(e, k))
			check(t, e.Commit(ctx))
		}
		want := dump(t, in(t, model))
		failed := map[bool]int{}
		for n := 0; ; n++ {
			if !thorough.Enabled && failed[true] > 0 && (n+turn)%3 != 0 {
				continue // the layouts take turns at the steps of a commit that is decided
			}
			s := copyOf(t, start)
			f := &hiccup{Store: s}
			f.left.Store(int64(n))
			e, err := write.Edit(ctx, "test://", to(f, write.Options{}))
			check(t, err)
			if sessionStep(e, 0) != nil { // values, after which it does not go on
				check(t, e.Close())
				continue
			}
			err = e.Commit(ctx)
			if err == nil && f.left.Load() >= 0 {
				check(t, e.Close())
				break
			}
			failed[errors.Is(err, write.ErrStale)]++
			check(t, sessionStep(e, 1))
			check(t, e.Commit(ctx))
			check(t, e.Close())
			isOneOf(t, fmt.Sprintf("%v failed at %d", layout, n), in(t, s), want)
			isOneOf(t, fmt.Sprintf("%v failed at %d, by documents", layout, n), in(t, s, zarr.BypassConsolidated()), want)
		}
		if failed[false] == 0 || failed[true] < thorough.Of(3, 5) {
			t.Errorf("%v: %v", layout, failed)
		}
	}
}

func killEverywhere(t *testing.T, start *mem.Store, plain bool, turn int) {
	open := func(s store.Store) *write.Editor {
		e, err := write.Edit(ctx, "test://", to(s, write.Options{Plain: plain}))
		check(t, err)
		return e
	}
	// states are those before any change, and after one and two.
	states := []map[string]any{dump(t, in(t, start))}
	model := copyOf(t, start)
	values := 0 // how many changes there are before the commit
	for k := range 2 {
		f := failAfter(model, 1000)
		e := open(f)
		check(t, sessionStep(e, k))
		if k == 0 {
			values = 1000 - int(f.left.Load())
		}
		check(t, e.Commit(ctx))
		check(t, e.Close())
		states = append(states, dump(t, in(t, model)))
	}
	seen := map[int]int{}
	journals := 0
	tried := turn
	for n := 0; ; n++ {
		if n < values-1 && n%stride(9) != 0 || n >= values-1 && !thorough.Enabled && (n+turn)%3 != 0 {
			continue // of values some will do, and the layouts take turns at the steps of the commit
		}
		tried++
		s := copyOf(t, start)
		f := failAfter(s, n)
		e := open(f)
		err := sessionStep(e, 0)
		if err == nil {
			err = e.Commit(ctx)
		}
		if err != nil && !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		check(t, e.Close())
		at := func(what string) string { return fmt.Sprintf("after %d changes, %s", n, what) }
		listed := isOneOf(t, at("by consolidated metadata"), in(t, s), states[:2]...)
		now := isOneOf(t, at("by documents"), in(t, s, zarr.BypassConsolidated()), states[:2]...)
		if listed > now {
			t.Fatal(at("the new is listed, and not there"))
		}
		if err == nil && listed != 1 || errors.Is(err, write.ErrStale) != (err != nil && now == 1) {
			t.Fatalf("%s: listed %d, there %d, and Commit says %v", at("after Commit"), listed, now, err)
		}
		if _, _, err := s.Get(ctx, journal.Name, store.All(), nil); err == nil {
			journals++
		}
		seen[now]++
		for i, next := range []struct {
			what string
			mend func(s *mem.Store) int
		}{
			{"after an empty commit", func(s *mem.Store) int {
				e := open(s)
				check(t, e.Commit(ctx))
				check(t, e.Close())
				return now
			}},
			{"after another commit", func(s *mem.Store) int {
				e := open(s)
				check(t, sessionStep(e, now))
				check(t, e.Commit(ctx))
				check(t, e.Close())
				return now + 1
			}},
			{"after a repair", func(s *mem.Store) int {
				plan, err := repair.Make(ctx, s, "", repair.Options{})
				check(t, err)
				_, err = plan.Do(ctx)
				check(t, err)
				return now
			}},
		} {
			if !thorough.Enabled && (tried+i)%3 != 0 {
				continue // files of the same layout take turns
			}
			s := copyOf(t, s)
			want := next.mend(s)
			isOneOf(t, at(next.what), in(t, s), states[want])
			isOneOf(t, at(next.what+" by documents"), in(t, s, zarr.BypassConsolidated()), states[want])
			if _, _, err := s.Get(ctx, journal.Name, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
				t.Fatalf("%s: the journal is left: %v", at(next.what), err)
			}
		}
		if f.left.Load() >= 0 {
			break
		}
	}
	if seen[0] == 0 || seen[1] < 2 || journals < thorough.Of(3, 5) {
		t.Errorf("it was old %d times, new %d times, with %d journals", seen[0], seen[1], journals)
	}
}
