package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/disk/disktest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// Whichever operation of a disk fails, once or from then on, the error says what the system
// said, every value is the old or the new, and temporary files are gone, or are found and
// removed.
func TestDiskFaults(t *testing.T) {
	ctx := context.Background()
	old, young := slices.Repeat([]int32{1}, 32), slices.Repeat([]int32{2}, 32)
	make := func(t *testing.T, spec zarr.ArraySpec) string {
		dir := filepath.Join(t.TempDir(), "a.zarr")
		spec.Shape, spec.DataType = []int{32}, "int32"
		a, err := zarr.CreateArray(ctx, dir, spec)
		if err == nil {
			err = errors.Join(zarr.Write(ctx, a, zarr.All(), old), a.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first := 0 // each begins elsewhere, so that together they stop at many operations
	specs := map[string]zarr.ArraySpec{"chunks": {Chunks: []int{8}}, "shards": {Chunks: []int{4}, Shards: []int{16}}}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EMFILE} {
			for _, dead := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ", errno, " ", dead), func(t *testing.T) {
					first++
					for at, hits := first%thorough.Step(11), 1; hits > 0; at += thorough.Step(11) {
						dir := make(t, specs[name])
						f := &disktest.Fault{Err: errno, At: at, Dead: dead}
						stop := f.Start(t, filepath.Dir(dir))
						err := change(ctx, dir, young)
						stop()
						if _, hit := f.Hit(); !hit {
							hits = 0
						}
						var typed *zarr.Error
						if err != nil && (!errors.Is(err, errno) || !errors.As(err, &typed)) {
							t.Fatalf("operation %d: %v", at, err)
						}
						if hits == 0 && err != nil {
							t.Fatal(err)
						}
						oldOrNew(t, ctx, dir)
						// What the dead left is found; the living leave nothing.
						if left := hidden(t, dir); left > 0 && !dead {
							if hit, _ := f.Hit(); hit.Op != "remove" {
								t.Errorf("%d temporary files are left after %s %s", left, hit.Op, hit.Path)
							}
						}
						if err := change(ctx, dir, young); err != nil {
							t.Fatalf("operation %d, again: %v", at, err)
						}
					}
				})
			}
		}
	}
}

// change writes an array in place, makes it longer and changes its attributes.
func change(ctx context.Context, dir string, values []int32) error {
	a, err := zarr.OpenArray(ctx, dir, zarr.Workers(1))
	if err != nil {
		return err
	}
	err = zarr.Write(ctx, a, zarr.Box([]int{0}, []int{32}), values)
	if err == nil {
		err = zarr.Write(ctx, a, zarr.Box([]int{3}, []int{2}), values[:2]) // a part of a chunk
	}
	if err == nil {
		err = a.Resize(ctx, 40)
	}
	if err == nil {
		err = a.SetAttributes(ctx, a.Attributes())
	}
	return errors.Join(err, a.Close())
}

// oldOrNew checks that every chunk of an array reads as one or the other value.
func oldOrNew(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	a, err := zarr.OpenArray(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	read, err := zarr.Read[int32](ctx, a, zarr.All())
	if err != nil {
		t.Fatal(err)
	}
	got := read.Data
	for i := range 32 {
		if got[i] != 1 && got[i] != 2 || i%8 > 0 && got[i] != got[i-1] && i > 5 {
			t.Fatalf("element %d: %v", i, got)
		}
	}
	if len(got) > 32 && slices.Max(got[32:]) != 0 {
		t.Fatalf("what was shown by growing: %v", got[32:])
	}
}

// hidden counts the temporary files in a folder, and sweeps them away.
func hidden(t *testing.T, dir string) (n int) {
	t.Helper()
	l, err := zarr.Find(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for e, err := range store.Hidden(context.Background(), l.Store, "") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Why != store.Temporary {
			t.Errorf("%s: %s", e.Key, e.Why)
		}
		n++
		if err := store.Sweep(context.Background(), l.Store, e.Key); err != nil {
			t.Error(err)
		}
	}
	return n
}
