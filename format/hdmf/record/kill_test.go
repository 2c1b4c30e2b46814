package record_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store/file"
)

const (
	killedDir      = "OMNIZARR_TEST_RECORD"
	killedChannels = 4
	killedUnits    = 3
)

// TestRecordsUntilKilled is the process that is killed: it says how many samples and
// spikes it has committed.
func TestRecordsUntilKilled(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		t.Skip("is a process of TestKilled")
	}
	r, err := record.Open(ctx, dir, record.Options{})
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	fmt.Println("begins with", ap.Len())
	for {
		n := ap.Len()
		data, times := values(n, 1+n%100, killedChannels)
		check(t, ap.Append(ctx, data, times))
		for i := n; i < ap.Len(); i++ {
			check(t, spikes.Append(ctx, i%killedUnits, float64(i)))
		}
		check(t, r.Commit(ctx))
		fmt.Println("committed", ap.Len())
	}
}

// A recording that is killed at any moment leaves all that it has committed, and the
// next one goes on from there.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "killed.nwb.zarr")
	check(t, write.Create(ctx, dir, session(killedChannels, killedUnits, []int{64, killedChannels}, []int{100}), write.Options{}))
	rng := rand.New(rand.NewPCG(3, 4))
	s, err := file.Open(dir, file.Options{})
	check(t, err)
	defer s.Close()
	for range thorough.Rounds(12) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRecordsUntilKilled$", "-test.v")
		cmd.Env = append(os.Environ(), killedDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		committed, left := 0, rng.IntN(40)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, _ := fmt.Sscanf(lines.Text(), "committed %d", &committed); n == 1 {
				left--
			}
			if left < 0 {
				check(t, cmd.Process.Kill())
			}
		}
		cmd.Wait()
		if committed == 0 {
			t.Fatal("the process committed nothing")
		}
		f := open(t, s)
		n := len(all[float64](t, f, "/acquisition/ap/timestamps"))
		if n < committed {
			t.Fatalf("%d samples, %d were committed", n, committed)
		}
		holds(t, s, n, killedChannels)
		prefixes(t, units(t, s), fired(n))
		// Who goes on finds also the spikes that were in no column.
		r, err := record.Open(ctx, dir, record.Options{})
		check(t, err)
		_, err = r.Spikes(ctx, "/units")
		check(t, err)
		check(t, r.Close())
		// A commit that was decided when the process was killed, and that consolidated
		// metadata did not tell of yet, counts from now on.
		before := n
		if n = len(all[float64](t, open(t, s), "/acquisition/ap/timestamps")); n != before && n != before+1+before%100 {
			t.Fatalf("%d samples after %d", n, before)
		}
		holds(t, s, n, killedChannels)
		if got := prefixes(t, units(t, s), fired(n)); got != n {
			t.Fatalf("%d spikes, want %d", got, n)
		}
	}
}

// fired is when the units of the process have, after so many samples.
func fired(n int) [][]float64 {
	out := make([][]float64, killedUnits)
	for i := range n {
		out[i%killedUnits] = append(out[i%killedUnits], float64(i))
	}
	return out
}
