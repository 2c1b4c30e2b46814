//go:build !arrays

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"time"
	"unsafe"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
)

func init() {
	workloads["record-second"] = rig(1, false)
	workloads["record-second-sync"] = rig(1, true)
	workloads["record-hundred"] = rig(100, false)
}

// What is recorded; see records.py.
const (
	rigRate     = 30000
	rigChannels = 384
	rigUnits    = 100
	rigSpikes   = 10  // of each unit in a second
	rigPacket   = 300 // samples that come at once
)

// rig gives a workload that records some seconds into a copy of the session that pynwb
// has made, with so many commits in each.
func rig(commits int, sync bool) func(context.Context, task) (run, error) {
	return func(_ context.Context, t task) (run, error) {
		var seconds int
		if _, err := fmt.Sscan(t.name, &seconds); err != nil {
			return run{}, err
		}
		raw, err := os.ReadFile(filepath.Join(t.dir, "samples.raw"))
		if err != nil {
			return run{}, err
		}
		samples := unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/2)
		path := filepath.Join(t.dir, fmt.Sprintf("out-%d.nwb.zarr", os.Getpid()))
		prepare := func() error {
			return errors.Join(os.RemoveAll(path), exec.Command("cp", "-r", filepath.Join(t.dir, "session.nwb.zarr"), path).Run())
		}
		var worst time.Duration
		var sum uint64
		r := run{bytes: seconds * rigRate * rigChannels * 2}
		r.do = func(ctx context.Context) (err error) {
			worst, err = recordRig(ctx, path, samples, seconds, commits, sync)
			return err
		}
		r.check = func(ctx context.Context) (err error) {
			sum, err = sumRig(ctx, path)
			return err
		}
		r.sum = func() uint64 { return sum }
		r.worst = func() float64 { return worst.Seconds() }
		r.done = prepare
		return r, prepare()
	}
}

func recordRig(ctx context.Context, path string, samples []int16, seconds, commits int, sync bool) (worst time.Duration, err error) {
	var opts record.Options
	opts.Edit.Sync = sync
	rec, err := record.Open(ctx, path, opts)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	ap, err := record.Samples[int16](ctx, rec, "/acquisition/ap")
	if err != nil {
		return 0, err
	}
	spikes, err := rec.Spikes(ctx, "/units")
	if err != nil {
		return 0, err
	}
	times := make([]float64, rigPacket)
	unit := 0 // the next one that has a spike
	for n := 0; n < seconds*rigRate; n += rigPacket {
		from := n * rigChannels % len(samples)
		for i := range times {
			times[i] = float64(n+i) / rigRate
		}
		if err := ap.Append(ctx, samples[from:from+rigPacket*rigChannels], times); err != nil {
			return 0, err
		}
		for range rigUnits * rigSpikes * rigPacket / rigRate {
			if err := spikes.Append(ctx, unit, times[0]+float64(unit)*1e-5); err != nil {
				return 0, err
			}
			unit = (unit + 1) % rigUnits
		}
		if (n+rigPacket)%(rigRate/commits) != 0 {
			continue
		}
		start := time.Now()
		if err := rec.Commit(ctx); err != nil {
			return 0, err
		}
		worst = max(worst, time.Since(start))
	}
	return worst, nil
}

// sumRig stands for what was recorded: the last second, all times, and all spikes.
func sumRig(ctx context.Context, path string) (uint64, error) {
	f, err := hdmf.Open(ctx, path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	array := func(at string) *zarr.Array {
		o, openErr := f.Object(ctx, at)
		if d, ok := o.(*hdmf.Dataset); ok {
			return d.Array()
		}
		err = errors.Join(err, openErr, fmt.Errorf("%s is no dataset", at))
		return nil
	}
	data, times := array("/acquisition/ap/data"), array("/acquisition/ap/timestamps")
	spikes, index := array("/units/spike_times"), array("/units/spike_times_index")
	if err != nil {
		return 0, err
	}
	n := data.Shape()[0]
	last, err := zarr.Read[int16](ctx, data, zarr.Select(zarr.Span(n-rigRate, n)))
	if err != nil {
		return 0, err
	}
	sum := uint64(n) + crcOf(last.Data)
	for _, a := range []*zarr.Array{times, spikes} {
		v, err := zarr.Read[float64](ctx, a, zarr.All())
		if err != nil {
			return 0, err
		}
		sum += crcOf(v.Data)
	}
	v, err := zarr.ReadAs[int64](ctx, index, zarr.All())
	return sum + crcOf(v.Data), err
}

func crcOf[T any](v []T) uint64 {
	return uint64(crc32.ChecksumIEEE(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))))
}
