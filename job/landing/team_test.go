package landing_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// bucket is a store that cannot rename, and keeps conditions.
type bucket struct{ store.Store }

func (s bucket) Identity(key string) string { return store.Identity(s.Store, key) }
func (s bucket) Conditional() bool          { return true }

// teams are the stores that several processes can write.
func teams(t *testing.T) map[string]func(left int) store.Store {
	out := kinds(t)
	delete(out, "two moves")
	delete(out, "no moves")
	out["bucket"] = func(left int) store.Store { return bucket{&stopping{Store: mem.New(), left: left}} }
	return out
}

func setSteps(s store.Store, left int) {
	if b, ok := s.(bucket); ok {
		s = b.Store
	}
	s.(*stopping).left = left
}

const parts = 3

// shared copies one of the parts, chunk by chunk.
func shared(src zarr.Node, s store.Store, part, of int, more ...func(*copying.Options)) (copying.Summary, error) {
	opts := copying.Options{Workers: 1, Spread: copying.Share(part, of)}
	for _, f := range more {
		f(&opts)
	}
	return copying.Into(ctx, src, s, "copy", opts)
}

// whole is what one process makes.
func whole(t *testing.T, src zarr.Node) map[string]string {
	t.Helper()
	s := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, s, "copy", copying.Options{Workers: 1})))
	return jobtest.All(t, s)
}

// closed fails if a copy opens, or is not called unfinished.
func closed(t *testing.T, s store.Store) {
	t.Helper()
	if _, err := zarr.OpenStore(ctx, s, "copy"); !errors.Is(err, store.ErrUnfinished) {
		t.Fatalf("a copy that lacks parts: %v", err)
	}
}

// Parts in any order make what one process makes, hidden records and all, and the copy
// opens when the last of them is done, not before. Another time they change nothing.
func TestParts(t *testing.T) {
	src, _ := jobtest.Sample(t)
	want := whole(t, src)
	for name, make := range teams(t) {
		orders := [][]int{{1, 2, 3}, {3, 1, 2}, {2, 2, 3, 2, 1}}
		if !thorough.Enabled {
			orders = orders[1:]
			if name != "memory" {
				orders = orders[:1]
			}
		}
		for _, order := range orders {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				s := make(plenty)
				elements := int64(0)
				for i, part := range order {
					if i > 0 {
						closed(t, s)
					}
					sum, err := shared(src, s, part, parts)
					jobtest.Check(t, err)
					elements += sum.Elements
					last := i == len(order)-1
					if sum.Part == nil || sum.Part.Part != part || sum.Part.Of != parts || (len(sum.Part.Left) == 0) != last || slices.Contains(sum.Part.Left, part) {
						t.Errorf("part %d: %+v", part, sum.Part)
					}
				}
				jobtest.Same(t, jobtest.All(t, s), want)
				if again := int64(70*2 + 125*8 + 4*16); len(order) == parts && elements != again {
					t.Errorf("%d bytes of elements copied, want %d", elements, again)
				}
				setSteps(s, parts) // which are deletions of nothing
				for part := range parts {
					sum, err := shared(src, s, part+1, parts)
					if err != nil || !sum.Already {
						t.Errorf("again: %+v, %v", sum, err)
					}
				}
			})
		}
	}
}

// few is a group with few chunks.
func few(t *testing.T) zarr.Node {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	for _, name := range []string{"a", "b"} {
		a, err := g.CreateArray(ctx, name, zarr.ArraySpec{Shape: []int{5}, Chunks: []int{2}, DataType: "uint8"})
		jobtest.Check(t, err)
		jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4, 5}))
	}
	return g
}

// Whichever part is stopped at whichever change, before or behind the others: it never
// opens unfinished, and all parts once more end with the same bytes.
func TestPartsStopped(t *testing.T) {
	src := few(t)
	want := whole(t, src)
	for name, make := range teams(t) {
		if name == "folder" && !thorough.Enabled {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, before := range []int{0, 1, parts - 1} { // of the others
				for left := 0; ; left += thorough.Step(3) {
					s := make(plenty)
					for part := range before {
						jobtest.Check(t, jobtest.Err(shared(src, s, part+2, parts)))
					}
					setSteps(s, left)
					_, err := shared(src, s, 1, parts)
					setSteps(s, plenty)
					if err == nil {
						break
					}
					if !errors.Is(err, errStopped) {
						t.Fatalf("stopped after %d changes: %v", left, err)
					}
					if n, err := zarr.OpenStore(ctx, s, "copy"); err == nil {
						// It is complete but for tidying up.
						if before < parts-1 {
							t.Fatalf("stopped after %d changes: it opens", left)
						}
						jobtest.Check(t, n.Close())
					}
					// Any of them ends it, if all else is done.
					for _, part := range []int{3, 2, 1, 2}[:max(parts-before, 1)+1] {
						jobtest.Check(t, jobtest.Err(shared(src, s, part, parts)))
					}
					if before == 1 { // one more was left
						jobtest.Check(t, jobtest.Err(shared(src, s, 1, parts)))
					}
					if before == 0 {
						for part := range parts {
							jobtest.Check(t, jobtest.Err(shared(src, s, part+1, parts)))
						}
					}
					if before == parts-1 {
						jobtest.Check(t, jobtest.Err(shared(src, s, 1, parts)))
					}
					jobtest.Same(t, jobtest.All(t, s), want)
				}
			}
		})
	}
}

// All parts at once, each twice.
func TestPartsAtOnce(t *testing.T) {
	src := few(t)
	want := whole(t, src)
	for name, make := range teams(t) {
		t.Run(name, func(t *testing.T) {
			for range thorough.Rounds(24) {
				s := make(plenty)
				var wg sync.WaitGroup
				for i := range 2 * parts {
					wg.Go(func() {
						if _, err := shared(src, s, i%parts+1, parts); err != nil {
							t.Errorf("part %d: %v", i%parts+1, err)
						}
					})
				}
				wg.Wait()
				jobtest.Same(t, jobtest.All(t, s), want)
			}
		})
	}
}

// Parts of another copy are refused by what makes them another one, and change nothing.
func TestPartsOfOthers(t *testing.T) {
	src, from := jobtest.Sample(t)
	s := mem.New()
	jobtest.Check(t, jobtest.Err(shared(src, s, 1, parts)))
	was := jobtest.All(t, s)
	for want, other := range map[string]func() error{
		"in 3 parts, not in 4": func() error { return jobtest.Err(shared(src, s, 2, 4)) },
		"other options": func() error {
			return jobtest.Err(shared(src, s, 2, parts, func(o *copying.Options) { o.NodesOnly = true }))
		},
		"see --part": func() error { return jobtest.Err(copying.Into(ctx, src, s, "copy", copying.Options{})) },
		"replaces nothing": func() error {
			return jobtest.Err(shared(src, s, 2, parts, func(o *copying.Options) { o.Overwrite = true }))
		},
		"has changed since": func() error {
			defer from.Delete(ctx, "deep/words/c/9")
			jobtest.Check(t, jobtest.Err(from.Put(ctx, "deep/words/c/9", []byte("x"), store.PutOptions{})))
			return jobtest.Err(shared(src, s, 2, parts))
		},
	} {
		if err := other(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if now := jobtest.All(t, s); !maps.Equal(now, was) {
		t.Error("something was changed")
	}
	// How the work is cut depends on the memory, if chunks are made anew.
	large, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{512, 512}, Chunks: []int{512, 16}, DataType: "float64"})
	jobtest.Check(t, err)
	cut := func(memory int64) func(*copying.Options) {
		return func(o *copying.Options) { o.Chunks, o.Memory = []int{16, 512}, memory }
	}
	other := mem.New()
	jobtest.Check(t, jobtest.Err(shared(large, other, 1, parts, cut(2<<20))))
	if _, err := shared(large, other, 2, parts, cut(64<<20)); err == nil || !strings.Contains(err.Error(), "another --max-memory") {
		t.Error(err)
	}
	alone := mem.New()
	if _, err := copying.Into(ctx, src, &stopping{Store: alone, left: 3}, "copy", copying.Options{}); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	if _, err := shared(src, alone, 1, parts); err == nil || !strings.Contains(err.Error(), "without --part") {
		t.Error(err)
	}
}

// A place that one process writes is refused.
func TestPartsAlone(t *testing.T) {
	src, _ := jobtest.Sample(t)
	if _, err := shared(src, immovable{mem.New()}, 1, parts); !errors.Is(err, landing.ErrAlone) {
		t.Error(err)
	}
	if _, err := copying.Copy(ctx, src, t.TempDir()+"/copy.zip", copying.Options{Spread: copying.Share(1, parts)}); !errors.Is(err, landing.ErrAlone) {
		t.Error(err)
	}
}
