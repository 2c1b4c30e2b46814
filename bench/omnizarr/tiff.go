//go:build !arrays

package main

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

func init() {
	workloads["tiff"] = func(ctx context.Context, t task) (run, error) { return readTIFF(ctx, t, false) }
	workloads["tiff-pixels"] = func(ctx context.Context, t task) (run, error) { return readTIFF(ctx, t, true) }
}

const (
	tiffWorkers = 2
	sumStep     = 4097 // of the bytes that are summed up
)

// readTIFF reads the file DIR/NAME.tif whole into new memory, samples of a pixel together if pixels is set.
func readTIFF(ctx context.Context, t task, pixels bool) (run, error) {
	path := t.dir + "/" + t.name + ".tif"
	a, err := zarr.OpenArray(ctx, path)
	if err != nil {
		return run{}, err
	}
	defer a.Close()
	n, _ := nd.Bytes(a.Shape(), a.DataType().Size())
	switch name := a.DataType().Name(); name {
	case "uint8":
		if pixels {
			return readPixels(path, a.Shape()), nil
		}
		return readImage[uint8](path, n), nil
	case "uint16":
		return readImage[uint16](path, n), nil
	case "float32":
		return readImage[float32](path, n), nil
	default:
		return run{}, fmt.Errorf("%s: no images of type %s are measured", path, name)
	}
}

func readImage[T any](path string, bytes int) run {
	var result nd.Array[T]
	return run{
		bytes: bytes,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, path, zarr.Workers(tiffWorkers))
			if err != nil {
				return err
			}
			defer a.Close()
			result, err = zarr.Read[T](ctx, a, zarr.All())
			return err
		},
		check: func(context.Context) error { return nil }, // the driver compares sums
		done:  func() error { result = nd.Array[T]{}; return nil },
		sum:   func() uint64 { return pixelSum(bytesOf(result.Data), bytes/len(result.Data), result.Shape) },
	}
}

// readPixels reads an image of bytes, of the shape (samples, rows, columns), into memory of rows, columns and samples.
func readPixels(path string, shape []int) run {
	var result nd.View
	return run{
		bytes: shape[0] * shape[1] * shape[2],
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, path, zarr.Workers(tiffWorkers))
			if err != nil {
				return err
			}
			defer a.Close()
			if result, err = a.Make(shape[1], shape[2], shape[0]); err != nil {
				return err
			}
			return a.ReadInto(ctx, zarr.All(), result.Permute([]int{2, 0, 1}))
		},
		check: func(context.Context) error { return nil }, // the driver compares sums
		done:  func() error { result = nd.View{}; return nil },
		sum:   func() uint64 { return pixelSum(result.Data, shape[0], []int{len(result.Data) / shape[0]}) },
	}
}

// pixelSum sums up some bytes of an image as others have it in memory, samples
// of a pixel together, each by how far it is behind the first.
func pixelSum(mem []byte, size int, shape []int) uint64 {
	samples := 1
	if len(shape) == 3 {
		samples = shape[0]
	}
	plane := len(mem) / samples
	sum := uint64(0)
	for i := 0; i < len(mem); i += sumStep {
		pixel, rest := i/(samples*size), i%(samples*size)
		sum += uint64(i/sumStep+1) * uint64(mem[rest/size*plane+pixel*size+rest%size])
	}
	return sum
}
