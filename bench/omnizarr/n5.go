//go:build !arrays

package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/nd"
)

func init() {
	workloads["n5"] = func(_ context.Context, t task) (run, error) { return readN5(t, false) }
	workloads["n5-straight"] = func(_ context.Context, t task) (run, error) { return readN5(t, true) }
}

// readN5 reads the dataset DIR/n5/NAME whole into new memory: as the volume has its
// axes, which is the reversed view, or straight, as N5 has them.
func readN5(t task, straight bool) (run, error) {
	n, err := volumeBytes(t.dir)
	var opts []zarr.Option
	if !straight {
		opts = append(opts, zarr.With(n5.Reversed))
	}
	var result nd.Array[uint16]
	return run{
		bytes: n,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, filepath.Join(t.dir, "n5", t.name), opts...)
			if err != nil {
				return err
			}
			defer a.Close()
			result, err = zarr.Read[uint16](ctx, a, zarr.All())
			return err
		},
		check: func(context.Context) error {
			if straight {
				return turnedVolume(t.dir, result)
			}
			return sameAsVolume(t.dir, result.Data)
		},
		done: func() error { result = nd.Array[uint16]{}; return nil },
	}, err
}

// turnedVolume compares elements with those of the source, whose axes are in the
// opposite order.
func turnedVolume(dir string, a nd.Array[uint16]) error {
	volume, err := loadVolume(dir)
	if err != nil {
		return err
	}
	side := a.Shape[0]
	i := 0
	for x := range side {
		for y := range side {
			for z := range side {
				if a.Data[i] != volume[(z*side+y)*side+x] {
					return errors.New("wrong values")
				}
				i++
			}
		}
	}
	return nil
}
