//go:build !arrays

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/source"
)

func init() {
	workloads["transcode"] = transcodeTIFF
}

// transcodeTIFF makes plain chunks, as the server hands them out, of all of DIR/NAME.tif,
// which is of bytes.
func transcodeTIFF(ctx context.Context, t task) (run, error) {
	path := t.dir + "/" + t.name + ".tif"
	set := source.NewSet(source.Options{})
	src, err := set.Add("", path)
	if err != nil {
		return run{}, err
	}
	shown, err := plain.New(src, plain.Options{})
	if err != nil {
		return run{}, err
	}
	root, err := zarr.OpenStore(ctx, shown, "")
	if err != nil {
		return run{}, err
	}
	a, ok := root.(*zarr.Array)
	if !ok {
		return run{}, fmt.Errorf("%s: not one image", path)
	}
	n, _ := nd.Bytes(a.Shape(), 1)
	var keys []string
	m := a.Metadata()
	for at, count := make([]int, len(a.Shape())), m.Grid.Count(); ; {
		keys = append(keys, string(m.Keys.Append(nil, at)))
		if !nd.Next(at, count) {
			break
		}
	}
	made := make([][]byte, len(keys))
	return run{
		bytes: n,
		do: func(ctx context.Context) error {
			var next atomic.Int64
			g, ctx := errgroup.WithContext(ctx)
			for range tiffWorkers {
				g.Go(func() error {
					for i := next.Add(1) - 1; i < int64(len(keys)); i = next.Add(1) - 1 {
						o, err := shown.Open(ctx, keys[i])
						if err != nil {
							return err
						}
						if made[i], _, err = o.(*plain.Made).Bytes(ctx); err != nil {
							return err
						}
					}
					return nil
				})
			}
			return g.Wait()
		},
		check: func(ctx context.Context) error {
			got, err := zarr.Read[uint8](ctx, a, zarr.All())
			if err != nil {
				return err
			}
			b, err := zarr.OpenArray(ctx, path)
			if err != nil {
				return err
			}
			want, err := zarr.Read[uint8](ctx, b, zarr.All())
			if err == nil && !bytes.Equal(got.Data, want.Data) {
				err = fmt.Errorf("%s: other pixels than are in the file", path)
			}
			return errors.Join(err, b.Close())
		},
		done: func() error { clear(made); return nil },
	}, nil
}
