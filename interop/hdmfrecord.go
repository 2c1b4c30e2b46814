package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/omnizarr/zarr/format/hdmf/record"
)

// What peers/hdmf_record.py asks for, which knows what must be there then.
const (
	recordedChannels = 4
	recordedUnits    = 3
)

// recordNWB records into the series /acquisition/ap of a session, and in the layout v3
// spikes of its units: for every line that comes in, some samples in pieces, a commit,
// and a line that says how many samples there are. It flushes and ends with the input.
func recordNWB(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	rec, err := record.Open(ctx, path, record.Options{Unseen: -1}) // so that the spikes to be seen can be counted
	if err != nil {
		return err
	}
	return errors.Join(recordLines(ctx, rec, in, out), rec.Close())
}

func recordLines(ctx context.Context, rec *record.Recorder, in io.Reader, out io.Writer) error {
	ap, err := record.Samples[int16](ctx, rec, "/acquisition/ap")
	if err != nil {
		return err
	}
	spikes, err := rec.Spikes(ctx, "/units")
	v2 := errors.Is(err, record.ErrLayout)
	if err != nil && !v2 {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			return err
		}
		for n > 0 {
			from, k := ap.Len(), min(n, 7)
			samples, times := make([]int16, 0, k*recordedChannels), make([]float64, 0, k)
			for i := from; i < from+k; i++ {
				for c := range recordedChannels {
					samples = append(samples, int16(i*7+c))
				}
				times = append(times, float64(i)/30000)
				if !v2 {
					if err := spikes.Append(ctx, i%recordedUnits, float64(i)); err != nil {
						return err
					}
				}
			}
			if err := ap.Append(ctx, samples, times); err != nil {
				return err
			}
			n -= k
		}
		if err := rec.Commit(ctx); err != nil {
			return err
		}
		fmt.Fprintln(out, ap.Len())
	}
	return nil
}
