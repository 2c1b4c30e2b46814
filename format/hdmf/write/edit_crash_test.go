package write_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// interrupt does something at a file again and again, each time with one change
// more until it is done, and looks at what is left each time.
func interrupt(t *testing.T, start *mem.Store, change func(e *write.Editor) error, look func(n int, s *mem.Store)) {
	t.Helper()
	for n := 0; ; n += stride(13) {
		s := copyOf(t, start)
		f := failAfter(s, n)
		e := edit(t, f)
		err := change(e)
		if err == nil {
			err = e.Commit(ctx)
		}
		if err != nil && !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		check(t, e.Close())
		look(n, s)
		if f.left.Load() >= 0 {
			return
		}
	}
}

// Attributes that are set before or behind rows do not change their order.
func TestInterruptedEditsOfRowsAndAttributes(t *testing.T) {
	for _, name := range sessions {
		start := mem.New()
		check(t, copyFile(ctx, "test://", in(t, few(t, name), zarr.BypassConsolidated()), to(start, write.Options{Plain: true})))
		change := func(e *write.Editor) error {
			for _, err := range []error{
				e.SetAttribute(ctx, "/intervals/trials/id", "note", "x"),
				e.AppendRows(ctx, "/intervals/trials", trials()),
				e.SetAttribute(ctx, "/intervals/trials/start_time", "note", "x"),
			} {
				if err != nil {
					return err
				}
			}
			return nil
		}
		done := copyOf(t, start)
		e := edit(t, done)
		check(t, change(e))
		check(t, e.Commit(ctx))
		const at = "/intervals/trials"
		old, fresh := rows(t, in(t, start), at), rows(t, in(t, done), at)
		interrupt(t, start, change, func(n int, s *mem.Store) {
			got := rows(t, in(t, s), at)
			if !slices.Equal(got, old) && !slices.Equal(got, fresh) {
				t.Fatalf("%s after %d changes:\n%s", name, n, strings.Join(got, "\n"))
			}
			e := edit(t, s)
			check(t, change(e))
			check(t, e.Commit(ctx))
			check(t, e.Close())
			if got := rows(t, in(t, s), at); !slices.Equal(got[:len(fresh)], fresh) {
				t.Fatalf("%s after %d changes and again:\n%s", name, n, strings.Join(got, "\n"))
			}
			if _, _, err := s.Get(ctx, ".omnizarr-edit", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
				t.Errorf("after %d changes: the journal is left: %v", n, err)
			}
		})
	}
}

// A group is there with all that it holds or not at all, and can be made again.
func TestInterruptedAdditions(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		for _, plain := range []bool{false, true} {
			start := created(t, within("acquisition", &write.Group{Object: typed("G")}), write.Options{Layout: layout, Plain: plain})
			make := func(e *write.Editor) error {
				data := func() *write.Dataset {
					return &write.Dataset{Object: typed("D"), Data: write.Numbers([]float64{1, 2, 3})}
				}
				return e.AddGroup(ctx, "/acquisition/new", &write.Group{Object: typed("Series"),
					Datasets: map[string]*write.Dataset{"data": data(), "timestamps": data()},
					Groups:   map[string]*write.Group{"sub": {Object: typed("Sub"), Datasets: map[string]*write.Dataset{"deep": data()}}}})
			}
			whole := func(f *hdmf.File) bool {
				o, err := f.Object(ctx, "/acquisition/new")
				if errors.Is(err, zarr.ErrNoNode) {
					return false
				}
				check(t, err)
				var got []string
				for m, err := range o.(*hdmf.Group).Walk(ctx) {
					check(t, err)
					got = append(got, m.Name+" "+m.Object.Type().Name)
				}
				if slices.Sort(got); !slices.Equal(got, []string{"data D", "deep D", "sub Sub", "timestamps D"}) || o.Type().Name != "Series" {
					t.Errorf("half a group: %v", got)
				}
				return true
			}
			interrupt(t, start, make, func(n int, s *mem.Store) {
				there := whole(in(t, s, zarr.BypassConsolidated()))
				if listed := whole(in(t, s)); listed && !there {
					t.Errorf("%v after %d changes: listed, and not there", layout, n)
				}
				e := edit(t, s)
				if err := make(e); there != errors.Is(err, write.ErrExist) || !there && err != nil {
					t.Errorf("%v after %d changes: %v", layout, n, err)
				}
				check(t, e.Commit(ctx))
				check(t, e.Close())
				if !whole(in(t, s)) || !whole(in(t, s, zarr.BypassConsolidated())) {
					t.Errorf("%v plain %v after %d changes and again: not there", layout, plain, n)
				}
			})
		}
	}
}

func TestGroupsAboveAreListed(t *testing.T) {
	for _, name := range sessions {
		s := copied(t, name, false)
		n, err := zarr.OpenStore(ctx, s, "", zarr.BypassConsolidated())
		check(t, err)
		for _, at := range []string{"acquisition/later", "acquisition/later/still"} {
			_, err = n.(*zarr.Group).CreateGroup(ctx, at)
			check(t, err)
		}
		e := edit(t, s)
		check(t, e.AddDataset(ctx, "/acquisition/later/still/d", &write.Dataset{Data: write.Numbers([]int8{1})}))
		check(t, e.Commit(ctx))
		for _, at := range []string{"/acquisition/later", "/acquisition/later/still", "/acquisition/later/still/d"} {
			if _, err := in(t, s).Object(ctx, at); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// An attribute of the root is in all documents that tell of it.
func TestAttributesOfTheRootAreConsolidated(t *testing.T) {
	s := copied(t, "session_v2.nwb", false)
	e := edit(t, s)
	check(t, e.SetAttribute(ctx, "/", "notes", "something new"))
	check(t, e.Commit(ctx))
	for _, key := range []string{".zattrs", ".zmetadata"} {
		text, _, err := s.Get(ctx, key, store.All(), nil)
		check(t, err)
		if strings.Count(string(text), "something new") != 1 {
			t.Errorf("%s does not tell of it", key)
		}
	}
}

// keeping does not let go of chunks of an index.
type keeping struct {
	*mem.Store
	on *bool
}

func (s keeping) Delete(ctx context.Context, key string) error {
	if *s.on && strings.Contains(key, "spike_times_index/c") {
		return errors.New("cannot be removed")
	}
	return s.Store.Delete(ctx, key)
}

func TestChunksThatCannotBeRemoved(t *testing.T) {
	s := copied(t, "session_v3.nwb", false)
	both := func(want ...bool) {
		t.Helper()
		list := strings.Join(keys(t, s, "units/spike_times_index/"), " ")
		if got := []bool{strings.Contains(list, "/c/"), strings.Contains(list, "/c.")}; !slices.Equal(got, want) {
			t.Fatalf("%v, want %v: %s", got, want, list)
		}
	}
	on := true
	e := edit(t, keeping{s, &on})
	before := in(t, s)
	check(t, e.AppendRows(ctx, "/units", units(300)))
	check(t, e.Commit(ctx))
	if got := rows(t, in(t, s), "/units"); len(got) != 7 {
		t.Errorf("%d rows", len(got))
	}
	// Who has opened the file before still finds what he knows of.
	if got := rows(t, before, "/units"); len(got) != 5 || !slices.Equal(got, rows(t, in(t, s), "/units")[:5]) {
		t.Errorf("%d rows for who was there before", len(got))
	}
	check(t, e.Close())
	both(true, true)
	on = false
	e = edit(t, keeping{s, &on})
	check(t, e.AppendRows(ctx, "/units", units(70000))) // to the names that were left
	check(t, e.Commit(ctx))
	both(true, true)
	check(t, e.Close())
	both(true, false)
	if got := rows(t, in(t, s), "/units"); len(got) != 9 || !strings.Contains(got[8], "spike_times=[float64 70000.0]") {
		t.Errorf("%d rows", len(got))
	}
}
