package copying_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// planes is an array of noise whose chunks are planes, and what these take.
func planes(t testing.TB, n int) (*zarr.Array, int64) {
	t.Helper()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
		Shape: []int{n, n, n}, Chunks: []int{1, n, n}, DataType: "int16", FillValue: json.RawMessage("7"), DimensionNames: []string{"t", "y", "x"},
	})
	jobtest.Check(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]int16, n*n*n)
	for i := range data {
		data[i] = int16(random.Uint32())
	}
	var m zarr.Meter
	jobtest.Check(t, zarr.Write(m.Context(ctx), a, zarr.All(), data))
	return a, m.Written.Load()
}

// watched is a store that counts what is read and written between source and copy.
type watched struct {
	store.Store
	read, written atomic.Int64
	mu            sync.Mutex
	stop          func(key string) error // asked before a value between is put
	lose          func(key string) bool  // asked whether such a value is lost
}

func isBetween(key string) bool { return strings.Contains("/"+key, "/"+zarr.Between+"/") }

func (s *watched) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.Store.Get(ctx, key, r, dst)
	if isBetween(key) && err == nil {
		s.read.Add(int64(len(out) - len(dst)))
	}
	return out, info, err
}

func (s *watched) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if isBetween(key) {
		s.written.Add(int64(len(data)))
		if s.stop != nil {
			if err := s.stop(key); err != nil {
				return store.Info{}, err
			}
		}
		if s.lose != nil && s.lose(key) {
			return store.Info{Size: int64(len(data))}, nil
		}
	}
	return s.Store.Put(ctx, key, data, opt)
}

// PutFrom makes it a store that takes values piece by piece, as folders and buckets do.
func (s *watched) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	data, err := store.Collect(r, size, 1<<20)
	if err != nil {
		return store.Info{}, err
	}
	return s.Put(ctx, key, data, store.PutOptions{})
}

func (s *watched) Conditional() bool { return true }

// From chunks that are planes to chunks that are columns, a copy goes by way of another
// array: every part of the source is read once, every byte of that array once, and the
// copy is what it is otherwise.
func TestCopiesByWayOfAnotherArray(t *testing.T) {
	src, stored := planes(t, 64)
	for name, opts := range map[string]copying.Options{
		"chunks": {Chunks: []int{64, 4, 4}},
		"uneven": {Chunks: []int{50, 5, 5}},
		"shards": {Chunks: []int{32, 4, 4}, Shards: []int{64, 8, 8}},
		"type":   {Chunks: []int{64, 4, 4}, DataType: "float64"},
		"slice":  {Chunks: []int{59, 4, 4}, Slice: "5:,::-1,3:60"},
		"verify": {Chunks: []int{64, 4, 4}, Verify: true},
	} {
		if name == "chunks" && !thorough.Enabled {
			continue // as in verify
		}
		if race.Enabled && !thorough.Enabled && (name == "chunks" || name == "uneven" || name == "slice" || name == "type") {
			continue // the same is done as in others, to other elements
		}
		opts.Memory, opts.Workers = 512<<10, 2
		if name == "type" {
			opts.Memory *= 4
		}
		plan, err := copying.PlanOf(ctx, src, opts)
		jobtest.Check(t, err)
		via := plan.Each[0].Via
		if via == nil || via.Direct <= 3 || plan.Passes > 1.5 || via.Reads > 1.5 || plan.Written != 2*plan.Elements || !strings.Contains(plan.String(), "by way of chunks ") {
			t.Errorf("%s: %s", name, plan)
			continue
		}
		dst := &watched{Store: mem.New()}
		sum, err := copying.Into(ctx, src, dst, "a/copy", opts)
		jobtest.Check(t, err)
		if once := plan.Passes == 1 && !opts.Verify; once && sum.Read > stored || sum.Between != dst.written.Load() || sum.Between < plan.Elements/2 && opts.DataType == "" {
			t.Errorf("%s: read %d of %d, %d between, which were %d: %+v", name, sum.Read, stored, sum.Between, dst.written.Load(), plan.Each[0])
		}
		if read := dst.read.Load(); !opts.Verify && float64(read) > (via.Reads+0.5)*float64(sum.Between) {
			t.Errorf("%s: %d bytes were read between, of %d", name, read, sum.Between)
		}
		opts.Direct = true
		direct := mem.New()
		was, err := copying.Into(ctx, src, direct, "a/copy", opts)
		jobtest.Check(t, err)
		jobtest.Same(t, jobtest.All(t, dst), jobtest.All(t, direct))
		if was.Between != 0 || was.Chunks != sum.Chunks || was.Written != sum.Written || was.Elements != sum.Elements {
			t.Errorf("%s: directly %+v, by way of another array %+v", name, was, sum)
		}
	}
}

// Of a source that stores little, little goes between.
func TestWhatIsNotStoredGoesNowhere(t *testing.T) {
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{512, 64, 64}, Chunks: []int{1, 64, 64}, DataType: "int16"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, src, zarr.Slice("300:310,10:20,5:50"), jobtest.Count[int16](10*10*45)))
	opts := copying.Options{Chunks: []int{64, 4, 4}, Memory: 512 << 10, Workers: 2, Verify: true}
	dst, direct := &watched{Store: mem.New()}, mem.New()
	sum, err := copying.Into(ctx, src, dst, "", opts)
	jobtest.Check(t, err)
	if sum.Between == 0 || sum.Between > 3*64*64*64*2 {
		t.Errorf("%d bytes between", sum.Between)
	}
	opts.Direct = true
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, direct, "", opts)))
	jobtest.Same(t, jobtest.All(t, dst), jobtest.All(t, direct))
}

// Where a value can be removed only in name, as in archives, copies are direct.
func TestArchivesAreCopiedDirectly(t *testing.T) {
	src, _ := planes(t, 64)
	opts := copying.Options{Chunks: []int{64, 4, 4}, Memory: 512 << 10, Workers: 2}
	dir := t.TempDir()
	sum, err := copying.Copy(ctx, src, filepath.Join(dir, "copy.zip"), opts)
	jobtest.Check(t, err)
	if sum.Between != 0 {
		t.Errorf("%+v", sum)
	}
	if sum, err = copying.Copy(ctx, src, filepath.Join(dir, "copy"), opts); err != nil || sum.Between == 0 {
		t.Errorf("a folder: %+v, %v", sum, err)
	}
}

// What lies between is not taken for the copy: it is not there before, and a chunk of it
// that has gone is an error, not a fill value.
func TestWhatIsLostBetweenIsNoticed(t *testing.T) {
	src, _ := planes(t, 64)
	opts := copying.Options{Chunks: []int{64, 4, 4}, Memory: 512 << 10, Workers: 1}
	dst := &watched{Store: mem.New()}
	n := 0
	stopped := errors.New("stopped")
	dst.stop = func(string) error {
		dst.mu.Lock()
		defer dst.mu.Unlock()
		if n++; n > 3 {
			return stopped
		}
		return nil
	}
	if _, err := copying.Into(ctx, src, dst, "", opts); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	if _, err := zarr.OpenStore(ctx, dst, ""); !errors.Is(err, zarr.ErrUnfinished) {
		t.Errorf("it opens: %v", err)
	}
	var left []string
	for key := range jobtest.All(t, dst) {
		if isBetween(key) {
			left = append(left, key)
		}
	}
	if len(left) != 3 {
		t.Fatalf("left: %q", left)
	}
	// Another layout, for other memory, does not take what is there for its own.
	dst.stop = nil
	opts.Memory *= 2
	sum, err := copying.Into(ctx, src, dst, "", opts)
	jobtest.Check(t, err)
	if sum.Between < 64*64*64*2 {
		t.Errorf("%d bytes between", sum.Between)
	}
	opts.Direct = true
	direct := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, direct, "", opts)))
	jobtest.Same(t, jobtest.All(t, dst), jobtest.All(t, direct))

	// A chunk that was put, and is not there.
	lost := &watched{Store: mem.New()}
	opts.Direct = false
	var once atomic.Bool
	lost.lose = func(string) bool { return once.CompareAndSwap(false, true) }
	if _, err := copying.Into(ctx, src, lost, "", opts); !errors.Is(err, zarr.ErrMissing) {
		t.Errorf("a chunk between is missing: %v", err)
	}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, lost, "", opts)))
	jobtest.Same(t, jobtest.All(t, lost), jobtest.All(t, direct))
}

// Ways are chosen such that both passes keep to the memory and read everything about once.
func TestWaysOfPlans(t *testing.T) {
	for _, c := range []struct {
		shape, from, to []int
		memory          int64
		workers         int
		most            float64 // times that the source is read
	}{
		{[]int{1024, 1024, 1024}, []int{1, 1024, 1024}, []int{1024, 8, 8}, 64 << 20, 2, 1},
		{[]int{8192, 8192, 8192}, []int{1, 4096, 4096}, []int{4096, 64, 64}, 1 << 30, 4, 1},
		{[]int{1000, 4000, 4000}, []int{1, 512, 512}, []int{1000, 15, 15}, 64 << 20, 2, 2.5},
		{[]int{1000, 4000, 4000}, []int{1, 512, 512}, []int{1000, 16, 16}, 64 << 20, 2, 1},
		{[]int{1 << 17, 1 << 17}, []int{1, 1 << 17}, []int{1 << 17, 1}, 1 << 30, 8, 1},
		{[]int{1 << 40, 1 << 14}, []int{1, 1 << 14}, []int{1 << 20, 1}, 1 << 30, 2, 1},
	} {
		src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: c.shape, Chunks: c.from, DataType: "uint16"})
		jobtest.Check(t, err)
		opts := copying.Options{Chunks: c.to, Memory: c.memory, Workers: c.workers}
		plan, err := copying.PlanOf(ctx, src, opts)
		jobtest.Check(t, err)
		l := plan.Each[0]
		if l.Via == nil || l.Reads > c.most || l.Via.Reads > 1.1 || l.Via.Direct < 10 {
			t.Errorf("%v: %s", c, plan)
			continue
		}
		for _, block := range [][]int{l.Block, l.Via.Block} {
			bytes := int64(2)
			for _, n := range block {
				bytes *= int64(n)
			}
			if bytes > c.memory {
				t.Errorf("%v: a block of %v", c, block)
			}
		}
		if again, err := copying.PlanOf(ctx, src, opts); err != nil || !slices.Equal(again.Each[0].Via.Chunks, l.Via.Chunks) {
			t.Errorf("%v: another plan: %v, %v", c, again, err)
		}
		opts.Spread = copying.Share(1, 2)
		if parts, err := copying.PlanOf(ctx, src, opts); err != nil || parts.Each[0].Via != nil || !strings.Contains(parts.String(), "without --part") {
			t.Errorf("%v: in parts: %v, %v", c, parts, err)
		}
	}
	// Where memory is plenty, or little is spared, arrays are copied directly.
	src, _ := planes(t, 64)
	for _, opts := range []copying.Options{{Chunks: []int{64, 4, 4}}, {Chunks: []int{2, 64, 64}, Memory: 512 << 10}, {Chunks: []int{32, 16, 16}, Memory: 2 << 20}} {
		if plan, err := copying.PlanOf(ctx, src, opts); err != nil || plan.Each[0].Via != nil {
			t.Errorf("%s, %v", plan, err)
		}
	}
}
