package zarr_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/disk/disktest"
	"github.com/omnizarr/zarr/internal/thorough"
)

// With Sync, a loss of power at any moment of creating, writing, appending and resizing leaves
// every chunk as it was before or after, no row inside of the shape that was not written, and
// all that was done when the call had returned.
func TestPowerCutsOfArrays(t *testing.T) {
	ctx := context.Background()
	value := func(n int, v int32) []int32 { return slices.Repeat([]int32{v}, n) }
	for name, spec := range map[string]zarr.ArraySpec{"chunks": {Chunks: []int{8}}, "shards": {Chunks: []int{4}, Shards: []int{16}}} {
		spec.Shape, spec.DataType = []int{32}, "int32"
		made := func(dir string, opts ...zarr.Option) error {
			a, err := zarr.CreateArray(ctx, filepath.Join(dir, "new", "a.zarr"), spec, opts...)
			if err != nil {
				return err
			}
			return errors.Join(zarr.Write(ctx, a, zarr.All(), value(32, 1)), a.Close())
		}
		with := func(change func(a *zarr.Array) error) func(dir string) error {
			return func(dir string) error {
				a, err := zarr.OpenArray(ctx, filepath.Join(dir, "new", "a.zarr"), zarr.Sync())
				if err != nil {
					return err
				}
				return errors.Join(change(a), a.Close())
			}
		}
		for _, c := range []struct {
			name   string
			change func(dir string) error
			old    bool                   // the array is there before
			fine   func(got []int32) bool // what may be read
			done   func(got []int32) bool // what is read when it was done
		}{
			{"create", func(dir string) error { return made(dir, zarr.Sync()) }, false,
				func(got []int32) bool { return len(got) == 32 && whole(got, 0, 1) },
				func(got []int32) bool { return slices.Equal(got, value(32, 1)) }},
			{"write", with(func(a *zarr.Array) error { return zarr.Write(ctx, a, zarr.All(), value(32, 2)) }), true,
				func(got []int32) bool { return len(got) == 32 && whole(got, 1, 2) },
				func(got []int32) bool { return slices.Equal(got, value(32, 2)) }},
			{"append", with(func(a *zarr.Array) error { return zarr.Append(ctx, a, 0, value(12, 3)) }), true,
				func(got []int32) bool {
					return slices.Equal(got, value(32, 1)) || slices.Equal(got, append(value(32, 1), value(12, 3)...))
				},
				func(got []int32) bool { return len(got) == 44 }},
			{"shrink and grow", with(func(a *zarr.Array) error { return errors.Join(a.Resize(ctx, 5), a.Resize(ctx, 40)) }), true,
				func(got []int32) bool {
					return slices.Equal(got, value(32, 1)) || slices.Equal(got, value(5, 1)) || slices.Equal(got, append(value(5, 1), value(35, 0)...))
				},
				func(got []int32) bool { return len(got) == 40 }},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				dir := t.TempDir()
				if c.old {
					if err := made(dir); err != nil {
						t.Fatal(err)
					}
				}
				r := disktest.Record(t, dir)
				if err := c.change(dir); err != nil {
					t.Fatal(err)
				}
				r.Cuts(t, 1, thorough.Rounds(16), func(t *testing.T, cut disktest.Cut) {
					a, err := zarr.OpenArray(ctx, filepath.Join(cut.Dir, "new", "a.zarr"))
					if err != nil {
						if c.old || cut.Done {
							t.Errorf("it does not open: %v", err)
						}
						return
					}
					defer a.Close()
					got, err := zarr.Read[int32](ctx, a, zarr.All())
					if err != nil || !c.fine(got.Data) || cut.Done && !c.done(got.Data) {
						t.Error(got.Data, err)
					}
				})
			})
		}
	}
}

// whole reports whether every chunk of eight has one value, either of two.
func whole(got []int32, a, b int32) bool {
	for c := range slices.Chunk(got, 8) {
		if c[0] != a && c[0] != b || slices.Max(c) != slices.Min(c) {
			return false
		}
	}
	return true
}
