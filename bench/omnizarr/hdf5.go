//go:build !arrays

package main

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

func init() {
	workloads["hdf5-read"] = readHDF5
	workloads["hdf5-walk"] = walkHDF5
	workloads["hdf5-nwb"] = func(_ context.Context, t task) (run, error) { return walkNWB(filepath.Join(t.dir, t.name)), nil }
	commands["files"] = command{3, func(a []string) error { return files(a[0], a[1], a[2]) }}
}

const hdf5Workers = 2

// readHDF5 reads the dataset data of the file DIR/NAME whole into new memory.
func readHDF5(ctx context.Context, t task) (run, error) {
	path := t.dir + "/" + t.name + "/data"
	a, err := zarr.OpenArray(ctx, path)
	if err != nil {
		return run{}, err
	}
	defer a.Close()
	n, _ := nd.Bytes(a.Shape(), a.DataType().Size())
	var result nd.Array[int16]
	return run{
		bytes: n,
		do: func(ctx context.Context) error {
			a, err := zarr.OpenArray(ctx, path, zarr.Workers(hdf5Workers))
			if err != nil {
				return err
			}
			defer a.Close()
			result, err = zarr.Read[int16](ctx, a, zarr.All())
			return err
		},
		check: func(context.Context) error { return nil }, // the driver compares sums
		done:  func() error { result = nd.Array[int16]{}; return nil },
		sum:   func() uint64 { return uint64(crc32.ChecksumIEEE(bytesOf(result.Data))) },
	}, nil
}

// walkHDF5 opens the file DIR/NAME, where DIR may be a URL, and visits all nodes
// with their attributes.
func walkHDF5(_ context.Context, t task) (run, error) {
	var found uint64
	return run{
		do: func(ctx context.Context) error {
			found = 0
			g, err := zarr.OpenGroup(ctx, t.dir+"/"+t.name)
			if err != nil {
				return err
			}
			defer g.Close()
			for n, err := range g.Walk(ctx) {
				if err != nil {
					return err
				}
				var index uint64
				if _, err := n.Attributes().Get("index", &index); err != nil {
					return err
				}
				if a, ok := n.(*zarr.Array); ok {
					found += index + uint64(a.Attributes().Len()+len(a.Shape()))
				}
			}
			return nil
		},
		check: func(context.Context) error { return nil },
		done:  nothing,
		sum:   func() uint64 { return found },
	}, nil
}

// files serves a folder, each request after a while. What is below /requests is
// how many there were since that was asked before.
func files(listen, dir, millis string) error {
	n, err := strconv.Atoi(millis)
	if err != nil {
		return err
	}
	var count, sent atomic.Int64
	folder := http.FileServer(http.Dir(dir))
	return http.ListenAndServe(listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/requests" {
			_ = json.NewEncoder(w).Encode(map[string]int64{"requests": count.Swap(0), "sent": sent.Swap(0)})
			return
		}
		count.Add(1)
		time.Sleep(time.Duration(n) * time.Millisecond)
		folder.ServeHTTP(counted{w, &sent}, r)
	}))
}

// counted counts the bytes of an answer.
type counted struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.sent.Add(int64(n))
	return n, err
}
