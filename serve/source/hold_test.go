package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/source"
)

// What was given stays good until the context ends, also when the file is replaced; then
// it is closed.
func TestNodesAreGoodUntilTheirContextEnds(t *testing.T) {
	dir := servetest.Samples(t)
	set := newSet(t)
	s := add(t, set, filepath.Join(dir, "packed.zip"))
	synctest.Test(t, func(t *testing.T) {
		first, end := context.WithCancel(t.Context())
		n, err := s.Node(first, "/a")
		if err != nil {
			t.Fatal(err)
		}
		servetest.Archive(t, filepath.Join(dir, "other.zip"), map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group"}`, "b/zarr.json": `{"zarr_format":3,"node_type":"group"}`})
		if err := os.Rename(filepath.Join(dir, "other.zip"), filepath.Join(dir, "packed.zip")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Node(t.Context(), "/b"); err != nil {
			t.Error(err)
		}
		if got, err := zarr.Read[uint8](first, n.(*zarr.Array), zarr.All()); err != nil || got.Data[2] != 2 {
			t.Errorf("the old one: %v", err)
		}
		if open, retired := s.Places(); open != 1 || retired != 1 {
			t.Errorf("%d open, %d retired", open, retired)
		}
		end()
		synctest.Wait()
		if open, retired := s.Places(); open != 1 || retired != 0 {
			t.Errorf("then %d open, %d retired", open, retired)
		}
	})
}

// Of a folder with many stores only so many are open, however many are asked for at once.
func TestOpenStoresAreBounded(t *testing.T) {
	dir := t.TempDir()
	many := source.MostPlaces + 40
	for i := range many {
		at := filepath.Join(dir, fmt.Sprint("s", i))
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group"}`), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := add(t, newSet(t), dir)
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				for _, k := range []int{i, (i * 7) % many} {
					ctx, cancel := context.WithCancel(t.Context())
					if _, err := s.Node(ctx, fmt.Sprint("/s", k)); err != nil {
						t.Error(err)
					}
					if _, err := s.Version(ctx, fmt.Sprint("/s", k)); err != nil {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if open, retired := s.Places(); open > source.MostPlaces || retired != 0 {
			t.Errorf("%d open, %d retired", open, retired)
		}
	})
}

// A context that holds keeps what was given until it is ended, not longer; one made of it
// keeps for itself.
func TestHolding(t *testing.T) {
	dir := servetest.Samples(t)
	s := add(t, newSet(t), filepath.Join(dir, "packed.zip"))
	synctest.Test(t, func(t *testing.T) {
		outer, stop := context.WithCancel(t.Context())
		ctx, end := source.Holding(outer)
		n, err := s.Node(ctx, "/a")
		if err != nil {
			t.Fatal(err)
		}
		longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
		if _, err := s.Node(longer, "/a"); err != nil {
			t.Fatal(err)
		}
		servetest.Archive(t, filepath.Join(dir, "other.zip"), map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group"}`})
		if err := os.Rename(filepath.Join(dir, "other.zip"), filepath.Join(dir, "packed.zip")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Node(ctx, "/"); err != nil {
			t.Error(err)
		}
		stop()
		for _, step := range []struct {
			end     func()
			retired int
		}{{func() {}, 1}, {end, 1}, {cancel, 0}} {
			step.end()
			synctest.Wait()
			if _, retired := s.Places(); retired != step.retired {
				t.Errorf("%d retired, want %d", retired, step.retired)
			}
			if step.retired > 0 {
				if got, err := zarr.Read[uint8](t.Context(), n.(*zarr.Array), zarr.All()); err != nil || got.Data[2] != 2 {
					t.Errorf("the old one: %v", err)
				}
			}
		}
		// Who comes after the end holds nothing.
		after, end := source.Holding(t.Context())
		end()
		if _, err := s.Node(after, "/"); err != nil {
			t.Error(err)
		}
		if users := s.Users(); users != 0 {
			t.Errorf("%d uses are left", users)
		}
	})
}
