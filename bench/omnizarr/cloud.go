//go:build !arrays

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/faulty"
	_ "github.com/omnizarr/zarr/store/s3" // for URLs of buckets
)

func init() {
	workloads["cloud-read"] = cloudRead
	workloads["cloud-boxes"] = cloudBoxes
	workloads["cloud-write"] = cloudWrite
	commands["delay"] = command{3, func(a []string) error { return delay(a[0], a[1], a[2]) }}
	commands["make-cloud"] = command{2, func(a []string) error { return makeCloud(a[0], a[1]) }}
}

// delay passes requests on to a server, each after some milliseconds.
func delay(listen, server, millis string) error {
	n, err := strconv.Atoi(millis)
	if err != nil {
		return err
	}
	upstream := faulty.To(server)
	defer upstream.Close()
	return http.ListenAndServe(listen, faulty.New(upstream, faulty.Plan{Latency: time.Duration(n) * time.Millisecond}))
}

const cloudChunk = 16 // length of chunks along every axis, uint16

// cloudSpec is that of an array of side³ elements.
func cloudSpec(side int, sharded bool) zarr.ArraySpec {
	spec := zarr.ArraySpec{Shape: []int{side, side, side}, Chunks: []int{cloudChunk, cloudChunk, cloudChunk}, DataType: "uint16",
		Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"little"}}]`)}
	if sharded {
		spec.Shards = []int{4 * cloudChunk, 4 * cloudChunk, 4 * cloudChunk}
	}
	return spec
}

// cloudAt is the element at an index; none is the fill value.
func cloudAt(z, y, x int) uint16 { return uint16(z*7+y*5+x*3) | 1 }

func cloudVolume(side int) []uint16 {
	out := make([]uint16, 0, side*side*side)
	for z := range side {
		for y := range side {
			for x := range side {
				out = append(out, cloudAt(z, y, x))
			}
		}
	}
	return out
}

// below gives the URL of what lies in a bucket, whose URL has a query.
func below(bucket, name string) string {
	base, query, _ := strings.Cut(bucket, "?")
	return base + "/" + name + "?" + query
}

// makeCloud writes the arrays that are read.
func makeCloud(bucket, length string) error {
	side, err := strconv.Atoi(length)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for name, sharded := range map[string]bool{"chunks": false, "shards": true} {
		a, err := zarr.CreateArray(ctx, below(bucket, name), cloudSpec(side, sharded))
		if err == nil {
			err = zarr.Write(ctx, a, zarr.All(), cloudVolume(side))
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cloudSide is the length of an array along every axis.
func cloudSide(ctx context.Context, url string) (int, error) {
	a, err := zarr.OpenArray(ctx, url, zarr.ReadOnly())
	if err != nil {
		return 0, err
	}
	return a.Shape()[0], a.Close()
}

// cloudRead opens the array and reads all of it.
func cloudRead(ctx context.Context, t task) (run, error) {
	url := below(t.dir, t.name)
	side, err := cloudSide(ctx, url)
	var result []uint16
	return run{
		bytes: side * side * side * 2,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, url, zarr.ReadOnly())
			if err != nil {
				return err
			}
			defer a.Close()
			out, err := zarr.Read[uint16](ctx, a, zarr.All())
			result = out.Data
			return err
		},
		check: func(context.Context) error {
			for i, v := range result {
				if v != cloudAt(i/side/side, i/side%side, i%side) {
					return fmt.Errorf("element %d is %d", i, v)
				}
			}
			return nil
		},
		done: func() error { result = nil; return nil },
	}, err
}

// cloudBoxes opens the array and reads boxes of two chunks along every axis at random
// places, one after the other.
func cloudBoxes(ctx context.Context, t task) (run, error) {
	const length, count = 2 * cloudChunk, 100
	url := below(t.dir, t.name)
	side, err := cloudSide(ctx, url)
	return run{
		bytes: count * length * length * length * 2,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, url, zarr.ReadOnly())
			if err != nil {
				return err
			}
			defer a.Close()
			places := rand.New(rand.NewPCG(1, 2))
			for range count {
				var at [3]int
				for i := range at {
					at[i] = places.IntN(side - length)
				}
				box := zarr.Box(at[:], []int{length, length, length})
				got, err := zarr.Read[uint16](ctx, a, box)
				if err != nil {
					return err
				}
				if got.Data[0] != cloudAt(at[0], at[1], at[2]) {
					return fmt.Errorf("the box at %v begins with %d", at, got.Data[0])
				}
			}
			return nil
		},
		check: func(context.Context) error { return nil },
		done:  nothing,
	}, err
}

// cloudWrite makes an array like the one that is there and writes all of it.
func cloudWrite(ctx context.Context, t task) (run, error) {
	side, err := cloudSide(ctx, below(t.dir, t.name))
	if err != nil {
		return run{}, err
	}
	url, volume, turn := "", cloudVolume(side), 0
	return run{
		bytes: 2 * len(volume),
		do: func(ctx context.Context) error {
			url = below(t.dir, fmt.Sprintf("out-%d-%d", os.Getpid(), turn))
			turn++
			a, err := zarr.CreateArray(ctx, url, cloudSpec(side, t.name == "shards"))
			if err != nil {
				return err
			}
			defer a.Close()
			return zarr.Write(ctx, a, zarr.All(), volume)
		},
		check: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, url, zarr.ReadOnly())
			if err != nil {
				return err
			}
			defer a.Close()
			got, err := zarr.Read[uint16](ctx, a, zarr.All())
			for i, v := range got.Data {
				if v != volume[i] {
					return fmt.Errorf("element %d is %d", i, v)
				}
			}
			return err
		},
		done: nothing,
	}, nil
}
