package record_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// counted counts what is asked of a store.
type counted struct {
	store.Store
	changes, bytes atomic.Int64
	read           atomic.Int64 // of chunks
}

func (c *counted) Unwrap() store.Store { return c.Store }

func (c *counted) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	c.changes.Add(1)
	c.bytes.Add(int64(len(data)))
	return c.Store.Put(ctx, key, data, opt)
}

func (c *counted) Delete(ctx context.Context, key string) error {
	c.changes.Add(1)
	return c.Store.Delete(ctx, key)
}

func (c *counted) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains(key, "/c/") {
		c.read.Add(1)
	}
	return c.Store.Get(ctx, key, r, dst)
}

// A commit of samples asks the same of the store however many there were before, reads
// no chunk, and memory stays as it is: an hour, in commits of few samples.
func TestCommitsStayAsTheyAre(t *testing.T) {
	const channels, rows = 8, 64
	folder, err := file.Create(t.TempDir(), file.Options{})
	check(t, err)
	defer folder.Close()
	create(t, &counted{Store: folder}, hdmf.V3, session(channels, 0, []int{rows, channels}, []int{2 * rows}))
	s := &counted{Store: folder}
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	s.read.Store(0)
	commits := 80
	if thorough.Enabled {
		commits = 12000 // two minutes at a hundred in a second
	}
	const few = 37
	data, times := values(0, few, channels)
	window := commits / 8
	var changes, bytes, heap []int64
	for range 8 {
		changes0, bytes0 := s.changes.Load(), s.bytes.Load()
		for range window {
			check(t, ap.Append(ctx, data, times))
			check(t, r.Commit(ctx))
		}
		changes, bytes = append(changes, s.changes.Load()-changes0), append(bytes, s.bytes.Load()-bytes0)
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // and what pools kept
		runtime.ReadMemStats(&m)
		heap = append(heap, int64(m.HeapAlloc))
	}
	if n := s.read.Load(); n > 0 {
		t.Errorf("%d chunks were read", n)
	}
	// The first window has what is done once.
	if changes[7] > changes[1]+changes[1]/20 || bytes[7] > bytes[1]+bytes[1]/10 || heap[7] > heap[1]+2<<20 {
		t.Errorf("changes of the store %v, bytes %v, memory %v", changes, bytes, heap)
	}
	check(t, r.Close())
}

// What is asked of the store does not depend on how many samples come at once.
func TestFewAtATimeCostAsMuch(t *testing.T) {
	const channels, n = 4, 6000
	var changes, bytes []int64
	for _, k := range []int{30, 3000} {
		s := &counted{Store: mem.New()}
		create(t, s, hdmf.V3, session(channels, 0, []int{512, channels}, []int{1024}))
		before := s.bytes.Load()
		r, err := record.Open(ctx, "test://", on(s))
		check(t, err)
		ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
		check(t, err)
		for at := 0; at < n; at += k {
			data, times := values(at, k, channels)
			check(t, ap.Append(ctx, data, times))
			if (at+k)%3000 == 0 {
				check(t, r.Commit(ctx))
			}
		}
		check(t, r.Close())
		changes, bytes = append(changes, s.changes.Load()), append(bytes, s.bytes.Load()-before)
	}
	if changes[0] != changes[1] || bytes[0] != bytes[1] {
		t.Errorf("changes of the store %v, bytes %v", changes, bytes)
	}
}

// An Append within a chunk allocates nothing, and one across its end very little.
func TestAppendAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const channels, rows = 8, 4096
	s := mem.New()
	create(t, s, hdmf.V3, session(channels, 0, []int{rows, channels}, []int{rows}))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	defer r.Discard()
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	data, times := values(0, 30, channels)
	check(t, ap.Append(ctx, data, times))
	if n := testing.AllocsPerRun(100, func() { _ = ap.Append(ctx, data, times) }); n > 0 {
		t.Errorf("%v allocations for each append", n)
	}
}

// Spikes cost a bounded number of bytes each, however many there are.
func TestSpikesCostTheSame(t *testing.T) {
	s := &counted{Store: mem.New()}
	const units, few = 20, 200
	create(t, s, hdmf.V3, session(2, units, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	n := 0
	commits := thorough.Rounds(thorough.Of(600, 1200))
	var bytes []int64
	for range 3 {
		before := s.bytes.Load()
		for range commits / 3 {
			for range few {
				check(t, spikes.Append(ctx, n*7%units, float64(n)/1000))
				n++
			}
			check(t, r.Commit(ctx))
		}
		bytes = append(bytes, (s.bytes.Load()-before)/int64(commits/3))
	}
	check(t, r.Close())
	// Each is written 65 times in columns and some times beside the table; documents are
	// the same for all commits.
	if bytes[2] > 65*8*few+32<<10 {
		t.Errorf("bytes for each commit: %v", bytes)
	}
}
