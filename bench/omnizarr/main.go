// Command omnizarr runs one benchmark workload in a process of its own and
// prints a line of JSON with what it took. The script bench/run calls it. Built with
// the tag arrays it has only what reads and writes arrays: the pages of a program
// count as its memory, and those who read arrays alone do not link the rest.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"time"
)

const usage = `usage:
	omnizarr make DIR SIZE BOXES           write DIR/volume.raw, SIZE³ of uint16, and DIR/boxes.txt
	omnizarr WORKLOAD DIR ARRAY REPS       time a workload on DIR/arrays/ARRAY:
		read, read-again, write, planes, boxes, boxes-cached, boxes-alone, voxels or voxels-alone
	omnizarr walk DIR NAME REPS            open the hierarchy DIR/NAME and all arrays in it
	omnizarr far ADDRESS DIR               serve the files of a folder, each answer a millisecond later, all together at 1 GB/s
	omnizarr make-random DIR BYTES         write DIR/random.raw, of which packed elements are made
	omnizarr make-packed DIR TYPE/BITS,... write the packed chunks of these
	omnizarr WORKLOAD DIR TYPE/BITS REPS   pack or unpack the lowest bits of elements, in memory:
		pack-encode, pack-encode-reuse, pack-decode or pack-decode-reuse
	omnizarr tiff|tiff-pixels DIR NAME REPS  read DIR/NAME.tif, planes one after the other or samples of a pixel together
	omnizarr transcode DIR NAME REPS       make chunks of it as a server hands them out
	omnizarr n5|n5-straight DIR NAME REPS  read the dataset DIR/n5/NAME of N5
	omnizarr hdmf-WORK DIR WORK/LAYOUT REPS  read the NWB file DIR/WORK-LAYOUT.nwb.zarr:
		WORK is walk, units or series
	omnizarr hdf5-read DIR FILE REPS       read the dataset data of DIR/FILE
	omnizarr hdf5-walk DIR FILE REPS       visit all nodes of DIR/FILE, where DIR may be a URL
	omnizarr hdf5-nwb DIR FILE REPS        visit all objects of the NWB file DIR/FILE
	omnizarr files ADDRESS DIR MILLIS      serve a folder, each request after a while, and count them
	omnizarr record-HOW DIR SECONDS REPS   record DIR/samples.raw over and over into a copy of DIR/session.nwb.zarr:
		HOW is second, second-sync or hundred
	omnizarr load LIST CONNECTIONS SECONDS  ask servers for the addresses in a file, for so long, or for each once if SECONDS is 0
	omnizarr delay ADDRESS SERVER MILLIS   pass requests on to a server, each after a while
	omnizarr make-cloud BUCKET SIDE        write the arrays chunks and shards into the bucket of a URL
	omnizarr cloud-WORK BUCKET ARRAY REPS  read, boxes or write there
	omnizarr growth [-quick] [-page FILE] [-out DIR]  how time grows with chunks, shards, arrays, bytes and workers
With BENCH_ARRAYS in the environment arrays are below that address instead of DIR/arrays.
With BENCH_PROFILE in the environment a workload leaves a CPU profile in the file of that name.
`

// commands are what the program does beside workloads, with so many arguments, any number if that is
// negative. Files that a build for arrays leaves out add theirs.
var commands = map[string]command{
	"make":        {3, func(a []string) error { return generate(a[0], a[1], a[2]) }},
	"make-random": {2, func(a []string) error { return makeRandom(a[0], a[1]) }},
	"make-packed": {2, func(a []string) error { return makePacked(a[0], a[1]) }},
}

type command struct {
	args int
	do   func(args []string) error
}

func main() {
	err := fmt.Errorf("wrong arguments\n%s", usage)
	if args := os.Args[1:]; len(args) > 0 {
		c, ok := commands[args[0]]
		switch {
		case ok && (c.args < 0 || c.args == len(args)-1):
			err = c.do(args[1:])
		case len(args) == 4 && workloads[args[0]] != nil:
			err = measure(args[0], args[1], args[2], args[3])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "omnizarr:", err)
		os.Exit(1)
	}
}

// task is what a workload is given.
type task struct {
	dir, array string // where the data are; the path of the array
	name       string // of the array, or what is packed
}

// run is a repeatable piece of work. do is timed; check compares its first
// result with the source; done cleans up before the next repetition.
type run struct {
	bytes int
	do    func(ctx context.Context) error
	check func(ctx context.Context) error
	done  func() error
	sum   func() uint64  // of the first result, for the driver to compare; may be nil
	worst func() float64 // seconds that one step of the last repetition took at most; may be nil
}

// report is what the driver reads.
type report struct {
	Seconds []float64 `json:"s"`
	CPU     []float64 `json:"cpu"`
	Bytes   int       `json:"bytes"`
	RSS     int64     `json:"rss"` // the most memory that was resident after the first repetition
	Sum     uint64    `json:"sum,omitempty"`
	Worst   []float64 `json:"worst,omitempty"`
}

func measure(workload, dir, array, repetitions string) error {
	reps, err := strconv.Atoi(repetitions)
	if err != nil {
		return err
	}
	ctx := context.Background()
	w, err := workloads[workload](ctx, task{dir: dir, array: cmp.Or(os.Getenv("BENCH_ARRAYS"), filepath.Join(dir, "arrays")) + "/" + array, name: array})
	if err != nil {
		return err
	}
	stop, err := profile(os.Getenv("BENCH_PROFILE"))
	if err != nil {
		return err
	}
	out := report{Bytes: w.bytes}
	for i := range reps {
		start, before := time.Now(), processUsage()
		if err := w.do(ctx); err != nil {
			return err
		}
		took, after := time.Since(start), processUsage()
		out.Seconds = append(out.Seconds, took.Seconds())
		out.CPU = append(out.CPU, after.cpu-before.cpu)
		if w.worst != nil {
			out.Worst = append(out.Worst, w.worst())
		}
		if i == 0 {
			out.RSS = after.rss
			if err := w.check(ctx); err != nil {
				return err
			}
			if w.sum != nil {
				out.Sum = w.sum()
			}
		}
		if err := w.done(); err != nil {
			return err
		}
		debug.FreeOSMemory() // results are fresh memory every time
	}
	return errors.Join(stop(), json.NewEncoder(os.Stdout).Encode(out))
}

// profile begins a CPU profile in a file, unless its name is empty.
func profile(path string) (stop func() error, err error) {
	if path == "" {
		return nothing, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, pprof.StartCPUProfile(f)
}
