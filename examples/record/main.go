// Record writes an NWB file while an experiment runs, as a rig would:
//
//	record SCHEMAS FILE SECONDS
//
// SCHEMAS is any NWB file, or a folder of NWB's schemas; FILE is made. The probe is
// made up: noise, and now and then a spike. Others may read FILE meanwhile, and after
// a crash it is what it was at the last commit. An interrupt ends it well.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/nwb"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

const (
	channels = 16
	rate     = 30000 // samples a second
	piece    = 300   // samples that the probe gives at once
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("usage: record SCHEMAS FILE SECONDS")
	}
	seconds, err := strconv.ParseFloat(args[2], 64)
	if err != nil {
		return err
	}
	if err := create(ctx, args[0], args[1]); err != nil {
		return err
	}
	return acquire(ctx, args[1], int(seconds*rate)/piece, out)
}

// create makes the file: all that is known before the first sample.
func create(ctx context.Context, schemas, file string) error {
	texts, err := hdmf.SchemasOf(ctx, schemas)
	if err != nil {
		return err
	}
	f := nwb.New(texts, nwb.Session{Identifier: "m17-" + time.Now().Format("0102-1504"), Description: "a walk in the dark", Start: time.Now(), Fields: nwb.Fields{
		"general/experimenter": "Lovelace, Ada", "general/session_id": "1",
		"general/subject": nwb.Fields{"subject_id": "m17", "species": "Mus musculus", "sex": "F", "age": "P90D"},
	}})
	probe := f.Add("/general/devices/probe", "Device", nwb.Fields{"description": "made up"})
	shank := f.Add("/general/extracellular_ephys/shank", "ElectrodeGroup", nwb.Fields{"description": "the only one", "location": "CA1", "device": probe})
	electrodes := f.Electrodes(
		nwb.Col("location", repeat("CA1")),
		nwb.Col("group", repeat(shank)),
		nwb.Col("group_name", repeat("shank")),
	)
	f.ElectricalSeries("/acquisition/ap", nwb.Series{
		Data: nwb.Growing[int16](channels), Timestamps: nwb.Growing[float64](), Conversion: 1e-6,
	})
	each := make([][]int, channels) // a unit on every electrode
	for i := range each {
		each[i] = []int{i}
	}
	f.Units(
		nwb.Col("spike_times", make([][]float64, channels)),
		nwb.Col("electrodes", nwb.Rows(electrodes, each)),
	)
	return f.Create(ctx, file, write.Options{})
}

// acquire puts what the probe gives into the file, and commits it every second.
func acquire(ctx context.Context, file string, pieces int, out io.Writer) (err error) {
	rec, err := record.Open(ctx, file, record.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }() // which commits what is left
	ap, err := record.Samples[int16](ctx, rec, "/acquisition/ap")
	if err != nil {
		return err
	}
	spikes, err := rec.Spikes(ctx, "/units")
	if err != nil {
		return err
	}
	samples, times := make([]int16, piece*channels), make([]float64, piece)
	found := 0
	for i := 0; i < pieces && ctx.Err() == nil; i++ {
		probe(samples, times, i)
		if err := ap.Append(ctx, samples, times); err != nil {
			return err
		}
		for k, v := range samples {
			if v < -threshold {
				found++
				if err := spikes.Append(ctx, k%channels, times[k/channels]); err != nil {
					return err
				}
			}
		}
		if i%(rate/piece) == 0 {
			if err := rec.Commit(ctx); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(out, "%d samples, %d spikes\n", ap.Len(), found)
	return err
}

// threshold is what only spikes are below, in microvolts.
const threshold = 200

// probe makes up samples and their times.
func probe(samples []int16, times []float64, i int) {
	for k := range samples {
		samples[k] = int16(rand.IntN(2*threshold) - threshold)
	}
	samples[rand.IntN(len(samples))] = -2 * threshold
	for k := range times {
		times[k] = float64(i*piece+k) / rate
	}
}

// repeat gives every channel the same.
func repeat[T any](v T) []T {
	out := make([]T, channels)
	for i := range out {
		out[i] = v
	}
	return out
}
