package record_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// units reads the spikes of all units.
func units(t testing.TB, s store.Store) [][]float64 {
	t.Helper()
	o, err := open(t, s).Object(ctx, "/units")
	check(t, err)
	table, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	check(t, err)
	c, err := table.Column("spike_times")
	check(t, err)
	cells, err := c.Read(ctx, 0, table.Rows())
	check(t, err)
	out := make([][]float64, table.Rows())
	for i := range out {
		if out[i], err = cells.Row(i).Floats(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// prefixes checks that every unit has the first of the spikes that it should have,
// and how many all have.
func prefixes(t testing.TB, got, want [][]float64) (n int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d units, want %d", len(got), len(want))
	}
	for i := range got {
		if len(got[i]) > len(want[i]) || !slices.Equal(got[i], want[i][:len(got[i])]) {
			t.Fatalf("unit %d has spikes %v, want %v", i, got[i], want[i])
		}
		n += len(got[i])
	}
	return n
}

func count(units [][]float64) (n int) {
	for _, u := range units {
		n += len(u)
	}
	return n
}

// hidden are the keys of values that lie beside nodes.
func hidden(t testing.TB, s store.Store) (keys []string) {
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		if strings.Contains(e.Key, ".omnizarr") && !strings.Contains(e.Key, "lock") {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// Spikes of units that are there are seen by others up to a part at every commit, and
// all after Flush and Close; what an index of bytes has no room for becomes wider; new
// units come between.
func TestSpikesOfUnitsThatAreThere(t *testing.T) {
	s := mem.New()
	create(t, s, hdmf.V3, session(2, 5, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	want := make([][]float64, 5)
	at := 0.0
	commits := thorough.Rounds(480)
	for i := range commits {
		for range rng.IntN(8) {
			at += rng.Float64()
			u := rng.IntN(len(want))
			want[u] = append(want[u], at)
			check(t, spikes.Append(ctx, u, at))
		}
		check(t, r.Commit(ctx))
		if n, all := prefixes(t, units(t, s), want), count(want); all-n > all/60+1 {
			t.Fatalf("%d of %d spikes are seen", n, all)
		}
		if i == commits/4 || i == 3*commits/4 {
			u := []float64{at, at + 1}
			check(t, r.Edit(ctx, func(e *write.Editor) error {
				return e.AppendRows(ctx, "/units", write.Rows{Columns: map[string]write.Column{"spike_times": {Data: write.Numbers(u), Counts: [][]int{{2}}}}})
			}))
			want = append(want, u)
		}
		if i == commits/2 {
			check(t, r.Flush(ctx))
			if n := prefixes(t, units(t, s), want); n != count(want) {
				t.Fatalf("%d of %d spikes are seen after Flush", n, count(want))
			}
		}
	}
	if err := spikes.Append(ctx, len(want), 1); err == nil {
		t.Error("a unit that is not there got spikes")
	}
	check(t, r.Close())
	if n := prefixes(t, units(t, s), want); n != count(want) {
		t.Fatalf("%d of %d spikes are seen after Close", n, count(want))
	}
	if keys := hidden(t, s); len(keys) > 0 {
		t.Errorf("left beside the nodes: %v", keys)
	}
	for _, at := range []string{"units/spike_times/", "units/spike_times_index/"} {
		n := 0
		for e, err := range s.List(ctx, at, "") {
			check(t, err)
			if !strings.HasSuffix(e.Key, "zarr.json") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d values are left in %s, want one chunk", n, at)
		}
	}
}

// Who has opened the file reads what he knows of, while the column is written anew
// twice.
func TestReadersOfOldSpikes(t *testing.T) {
	s := mem.New()
	create(t, s, hdmf.V3, session(2, 3, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	defer r.Discard()
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	check(t, spikes.Append(ctx, 1, 1, 2, 3))
	check(t, r.Flush(ctx))
	f := open(t, s)
	for range 2 {
		check(t, spikes.Append(ctx, 0, 7, 8, 9))
		check(t, r.Flush(ctx))
		if got := all[float64](t, f, "/units/spike_times"); !slices.Equal(got, []float64{1, 2, 3}) {
			t.Fatalf("a reader finds %v", got)
		}
	}
}

// Spikes that were committed and are in no column yet outlive a crash; those of
// no commit do not.
func TestSpikesOutliveACrash(t *testing.T) {
	s := mem.New()
	create(t, s, hdmf.V3, session(2, 4, nil, nil))
	want := make([][]float64, 4)
	begin := func() (*record.Recorder, *record.Spikes) {
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		spikes, err := r.Spikes(ctx, "/units")
		check(t, err)
		return r, spikes
	}
	for round := range 2 {
		r, spikes := begin()
		for i := range 301 {
			u := i % 4
			x := float64(round*1000 + i)
			check(t, spikes.Append(ctx, u, x))
			want[u] = append(want[u], x)
			switch {
			case i == 299:
				check(t, r.Flush(ctx))
			case i == 300 || i%10 == 0: // the last is in no column
				check(t, r.Commit(ctx))
			}
		}
		check(t, spikes.Append(ctx, 0, -1)) // never committed
		check(t, r.Discard())               // the same as the end of the process
	}
	if n := prefixes(t, units(t, s), want); n == count(want) {
		t.Error("all spikes are seen: nothing is tried here")
	}
	check(t, record.Recover(ctx, "test://", on(s)))
	check(t, record.Recover(ctx, "test://", on(s))) // finds nothing
	if n := prefixes(t, units(t, s), want); n != count(want) {
		t.Fatalf("%d of %d spikes are there", n, count(want))
	}
	if keys := hidden(t, s); len(keys) > 0 {
		t.Errorf("left beside the nodes: %v", keys)
	}
}

// What lies beside the table may be anything.
func TestSpikesThatNobodyWrote(t *testing.T) {
	none := `{"generation":0,"values":0}` + "\n"
	for _, text := range []string{
		"x", "x\n", `{"generation":0,"values":9}` + "\n", `{"generation":2,"values":0}` + "\n", none + "x",
		none + "\x00\x00\x00\x00\xff\xff\xff\xff", none + "\x09\x00\x00\x00\x00\x00\x00\x00", strings.Repeat("\xff", 100),
	} {
		s := mem.New()
		create(t, s, hdmf.V3, session(2, 2, nil, nil))
		_, err := s.Put(ctx, "units/.omnizarr-pending", []byte(text), store.PutOptions{})
		check(t, err)
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		if _, err := r.Spikes(ctx, "/units"); err == nil || !strings.Contains(err.Error(), "units/.omnizarr") {
			t.Errorf("%q: %v", text, err)
		}
		check(t, r.Discard())
	}
	s := mem.New()
	create(t, s, hdmf.V2, session(2, 2, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	if _, err := r.Spikes(ctx, "/units"); !errors.Is(err, record.ErrLayout) {
		t.Error(err)
	}
	check(t, r.Close())
}

// In the layout V2 the error says what can be done, and both ways are open: units with
// their spikes are added, and a recording of the layout V3 is copied.
func TestSpikesOfTheOtherLayout(t *testing.T) {
	s := mem.New()
	create(t, s, hdmf.V2, session(2, 1, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	if _, err := r.Spikes(ctx, "/units"); err == nil || !strings.Contains(err.Error(), "copy --to zarr3") || !strings.Contains(err.Error(), "by Edit") {
		t.Errorf("no word of what to do: %v", err)
	}
	check(t, r.Edit(ctx, func(e *write.Editor) error {
		return e.AppendRows(ctx, "/units", write.Rows{Columns: map[string]write.Column{"spike_times": {Data: write.Numbers([]float64{1, 2}), Counts: [][]int{{2}}}}})
	}))
	check(t, r.Close())
	want := [][]float64{nil, {1, 2}}
	if n := prefixes(t, units(t, s), want); n != 2 {
		t.Errorf("%d spikes", n)
	}

	s = mem.New()
	create(t, s, hdmf.V3, session(2, 2, nil, nil))
	r, err = record.Open(ctx, "test://", on(s))
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	check(t, spikes.Append(ctx, 1, 1, 2))
	check(t, r.Close())
	old := mem.New()
	o := on(old).Edit
	o.Layout = hdmf.V2
	_, err = write.Copy(ctx, "test://", open(t, s), o)
	check(t, err)
	if f := open(t, old); f.Layout() != hdmf.V2 || prefixes(t, units(t, old), want) != 2 {
		t.Errorf("a copy in the layout %v", f.Layout())
	}
}

// A recording that was closed has left nothing, in folders neither.
func TestNothingIsLeftInFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "f")
	check(t, write.Create(ctx, dir, session(2, 2, nil, nil), write.Options{}))
	s, err := file.Open(dir, file.Options{})
	check(t, err)
	defer s.Close()
	for range 5 { // the third one has its chunks in a folder, which the others have beside it
		r, err := record.Open(ctx, dir, record.Options{})
		check(t, err)
		spikes, err := r.Spikes(ctx, "/units")
		check(t, err)
		check(t, spikes.Append(ctx, 1, 7))
		check(t, r.Close())
		left, err := record.FindLeft(ctx, s)
		check(t, err)
		if len(left) > 0 {
			t.Errorf("%+v", left)
		}
	}
}

// Spikes of many commits wait for their column to be written anew, and are there after
// all: after Flush for others to see, after a crash for the next recording.
func TestSpikesThatWait(t *testing.T) {
	for _, end := range []func(r *record.Recorder) error{
		func(r *record.Recorder) error { return r.Close() },
		func(r *record.Recorder) error { return errors.Join(r.Flush(ctx), r.Discard()) },
		func(r *record.Recorder) error { return r.Discard() },
	} {
		s := mem.New()
		create(t, s, hdmf.V3, session(2, 2, nil, nil))
		o := on(s)
		o.Unseen = time.Hour
		r, err := record.Open(ctx, "test://", o)
		check(t, err)
		spikes, err := r.Spikes(ctx, "/units")
		check(t, err)
		var want []float64
		for i := range 20 {
			check(t, spikes.Append(ctx, 1, float64(i)))
			want = append(want, float64(i))
			check(t, r.Commit(ctx))
		}
		if seen := units(t, s); len(seen[1]) != 1 {
			t.Errorf("%d spikes are seen", len(seen[1]))
		}
		check(t, end(r))
		check(t, record.Recover(ctx, "test://", on(s)))
		if got := units(t, s); len(got[0]) != 0 || !slices.Equal(got[1], want) {
			t.Errorf("got %v", got)
		}
	}
}
