package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/nd"
)

var workloads = map[string]func(ctx context.Context, t task) (run, error){
	"read":       readFresh,
	"read-again": readAgain,
	"write":      writeWhole,
	"boxes":      func(ctx context.Context, t task) (run, error) { return readBoxes(ctx, t, boxSide) },
	"boxes-cached": func(ctx context.Context, t task) (run, error) {
		return readBoxes(ctx, t, boxSide, zarr.WithCache(codec.NewCache(1<<30)))
	},
	"boxes-alone":  func(ctx context.Context, t task) (run, error) { return readBoxes(ctx, t, boxSide, zarr.NoPartCache()) },
	"voxels":       func(ctx context.Context, t task) (run, error) { return readBoxes(ctx, t, 1) },
	"voxels-alone": func(ctx context.Context, t task) (run, error) { return readBoxes(ctx, t, 1, zarr.NoPartCache()) },
	"planes":       readPlanes,
	"walk":         walk,

	"pack-encode":       func(_ context.Context, t task) (run, error) { return packEncode(t, false) },
	"pack-encode-reuse": func(_ context.Context, t task) (run, error) { return packEncode(t, true) },
	"pack-decode":       func(_ context.Context, t task) (run, error) { return packDecode(t, false) },
	"pack-decode-reuse": func(_ context.Context, t task) (run, error) { return packDecode(t, true) },
}

func nothing() error { return nil }

// readFresh reads the whole array into new memory.
func readFresh(ctx context.Context, t task) (run, error) {
	n, err := volumeBytes(t.dir)
	var result []uint16
	return run{
		bytes: n,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, t.array)
			if err != nil {
				return err
			}
			defer a.Close()
			out, err := zarr.Read[uint16](ctx, a, zarr.All())
			result = out.Data
			return err
		},
		check: func(context.Context) error { return sameAsVolume(t.dir, result) },
		done:  func() error { result = nil; return nil },
	}, err
}

// readAgain reads the whole array into memory that was used before.
func readAgain(ctx context.Context, t task) (run, error) {
	n, err := volumeBytes(t.dir)
	result := make([]uint16, n/2)
	for i := range result {
		result[i] = 1
	}
	return run{
		bytes: n,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, t.array)
			if err != nil {
				return err
			}
			defer a.Close()
			return zarr.ReadSlice(ctx, a, zarr.All(), result)
		},
		check: func(context.Context) error { return sameAsVolume(t.dir, result) },
		done:  nothing,
	}, err
}

// writeWhole makes an array with the metadata of the one that is there, and
// writes everything.
func writeWhole(ctx context.Context, t task) (run, error) {
	volume, err := loadVolume(t.dir)
	if err != nil {
		return run{}, err
	}
	like, err := zarr.OpenArray(ctx, t.array)
	if err != nil {
		return run{}, err
	}
	defer like.Close()
	spec, err := specOf(like)
	if err != nil {
		return run{}, err
	}
	path := filepath.Join(t.dir, fmt.Sprintf("out-%d", os.Getpid()))
	return run{
		bytes: len(volume) * 2,
		do: func(ctx context.Context) error {
			a, err := zarr.CreateArray(ctx, path, spec, zarr.As(like.Format()))
			if err != nil {
				return err
			}
			defer a.Close()
			return zarr.Write(ctx, a, zarr.All(), volume)
		},
		check: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, path)
			if err != nil {
				return err
			}
			defer a.Close()
			out, err := zarr.Read[uint16](ctx, a, zarr.All())
			if err != nil {
				return err
			}
			return sameAsVolume(t.dir, out.Data)
		},
		done: func() error { return os.Rename(path, fmt.Sprintf("%s.%d", path, time.Now().UnixNano())) }, // the driver removes it
	}, nil
}

// specOf describes an array like a.
func specOf(a *zarr.Array) (zarr.ArraySpec, error) {
	m := a.Metadata()
	grid, err := m.Grid.MarshalJSON()
	if err != nil {
		return zarr.ArraySpec{}, err
	}
	codecs, err := json.Marshal(m.Codecs)
	if err != nil {
		return zarr.ArraySpec{}, err
	}
	return zarr.ArraySpec{
		Shape: a.Shape(), DataType: a.DataType().Name(), Grid: grid, Codecs: codecs, FillValue: m.FillValue,
	}, nil
}

// readBoxes reads boxes of a side one at a time, each into new memory.
func readBoxes(ctx context.Context, t task, side int, opts ...zarr.Option) (run, error) {
	starts, err := loadBoxes(t.dir)
	if err != nil {
		return run{}, err
	}
	boxes := make([]nd.Box, len(starts))
	for i, at := range starts {
		boxes[i] = nd.Box{Start: at, Shape: []int{side, side, side}}
	}
	return readParts(t, boxes, opts...)
}

// readPlanes reads ten neighbouring planes in the midst of a row of chunks, one at a time.
func readPlanes(ctx context.Context, t task) (run, error) {
	a, err := zarr.OpenArray(ctx, t.array)
	if err != nil {
		return run{}, err
	}
	defer a.Close()
	shape := a.Shape()
	var boxes []nd.Box
	for z := 140; z < 150; z++ {
		boxes = append(boxes, nd.Box{Start: []int{z, 0, 0}, Shape: []int{1, shape[1], shape[2]}})
	}
	return readParts(t, boxes)
}

// readParts opens the array and reads boxes, one at a time.
func readParts(t task, boxes []nd.Box, opts ...zarr.Option) (run, error) {
	bytes := 0
	for _, b := range boxes {
		bytes += 2 * b.Shape[0] * b.Shape[1] * b.Shape[2]
	}
	return run{
		bytes: bytes,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, t.array, opts...)
			if err != nil {
				return err
			}
			defer a.Close()
			for _, b := range boxes {
				if _, err := zarr.Read[uint16](ctx, a, zarr.Box(b.Start, b.Shape)); err != nil {
					return err
				}
			}
			return nil
		},
		check: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, t.array, opts...)
			if err != nil {
				return err
			}
			defer a.Close()
			return checkBoxes(ctx, t.dir, a, boxes[:min(10, len(boxes))])
		},
		done: nothing,
	}, nil
}

func checkBoxes(ctx context.Context, dir string, a *zarr.Array, boxes []nd.Box) error {
	volume, err := loadVolume(dir)
	if err != nil {
		return err
	}
	side := a.Shape()[0]
	for _, b := range boxes {
		got, err := zarr.Read[uint16](ctx, a, zarr.Box(b.Start, b.Shape))
		if err != nil {
			return err
		}
		for z := range b.Shape[0] {
			for y := range b.Shape[1] {
				at := ((b.Start[0]+z)*side+b.Start[1]+y)*side + b.Start[2]
				row := got.Data[(z*b.Shape[1]+y)*b.Shape[2]:][:b.Shape[2]]
				if !slices.Equal(row, volume[at:at+b.Shape[2]]) {
					return errors.New("wrong values in a box")
				}
			}
		}
	}
	return nil
}

// largeDocument lets consolidated metadata of 100,000 arrays, which are more than 16 MiB, be read.
var largeDocument = zarr.MaxDocument(1 << 30)

// walk opens a hierarchy and all arrays in it; the sum is that of their lengths.
func walk(_ context.Context, t task) (run, error) {
	sum := uint64(0)
	return run{
		bytes: 1,
		do: func(ctx context.Context) error {
			g, err := zarr.OpenGroup(ctx, filepath.Join(t.dir, t.name), largeDocument)
			if err != nil {
				return err
			}
			defer g.Close()
			sum = 0
			for node, err := range g.Walk(ctx) {
				if err != nil {
					return err
				}
				if a, ok := node.(*zarr.Array); ok {
					sum += uint64(a.Shape()[0])
				}
			}
			return nil
		},
		check: func(context.Context) error { return nil }, // the driver compares sums
		done:  nothing,
		sum:   func() uint64 { return sum },
	}, nil
}

func volumePath(dir string) string { return filepath.Join(dir, "volume.raw") }

func volumeBytes(dir string) (int, error) {
	info, err := os.Stat(volumePath(dir))
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

func loadVolume(dir string) ([]uint16, error) {
	n, err := volumeBytes(dir)
	if err != nil {
		return nil, err
	}
	out := bigmem.Make[uint16](n / 2) // as NumPy does, and as what was read is
	f, err := os.Open(volumePath(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = io.ReadFull(f, bytesOf(out))
	return out, err
}

// sameAsVolume compares elements with the source, a piece at a time.
func sameAsVolume(dir string, data []uint16) error {
	f, err := os.Open(volumePath(dir))
	if err != nil {
		return err
	}
	defer f.Close()
	have := bytesOf(data)
	piece := make([]byte, 1<<20)
	for len(have) > 0 {
		n := min(len(have), len(piece))
		if _, err := io.ReadFull(f, piece[:n]); err != nil {
			return err
		}
		if !bytes.Equal(piece[:n], have[:n]) {
			return errors.New("wrong values")
		}
		have = have[n:]
	}
	return nil
}

func loadBoxes(dir string) ([][]int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "boxes.txt"))
	if err != nil {
		return nil, err
	}
	var out [][]int
	for line := range strings.Lines(string(text)) {
		start := make([]int, 3)
		if _, err := fmt.Sscan(line, &start[0], &start[1], &start[2]); err != nil {
			return nil, err
		}
		out = append(out, start)
	}
	return out, nil
}

// bytesOf is the memory of numbers.
func bytesOf[T any](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}
