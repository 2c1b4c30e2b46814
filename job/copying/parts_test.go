package copying_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store/mem"
)

// cube is an array of so many elements along three axes, and what its chunks take.
func cube(t testing.TB, n, chunk int) (*zarr.Array, int64) {
	t.Helper()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{n, n, n}, DataType: "int16", Chunks: []int{chunk, chunk, chunk}})
	jobtest.Check(t, err)
	var m zarr.Meter
	jobtest.Check(t, zarr.Write(m.Context(ctx), a, zarr.All(), jobtest.Count[int16](n*n*n)))
	return a, m.Written.Load()
}

// Where memory allows it, no chunk of the source is read twice, and plans say so.
func TestEachChunkOfTheSourceIsReadOnce(t *testing.T) {
	for i, c := range []struct {
		chunk         int
		chunks, shard int
		memory        int64
		once          bool
	}{
		{8, 4, 0, 1 << 20, true}, {8, 2, 16, 1 << 20, true}, {4, 2, 16, 1 << 20, true},
		{7, 5, 0, 1 << 20, true}, {7, 3, 15, 1 << 20, true}, {8, 16, 0, 1 << 20, true},
		{8, 4, 32, 340 << 10, true},  // a shard of 64 KiB in parts that end where chunks do
		{8, 4, 32, 310 << 10, false}, // in parts that are half a chunk long
		{16, 5, 0, 256 << 10, false}, // blocks that end inside chunks
	} {
		if i%4 != 0 && race.Enabled && !thorough.Enabled {
			continue // one worker reads
		}
		if (i == 1 || i == 3) && !thorough.Enabled {
			continue // between those before and behind
		}
		a, stored := cube(t, 32, c.chunk)
		opts := copying.Options{Chunks: []int{c.chunks, c.chunks, c.chunks}, Memory: c.memory, Workers: 1}
		if c.shard > 0 {
			opts.Shards = []int{c.shard, c.shard, c.shard}
		}
		plan, err := copying.PlanOf(ctx, a, opts)
		jobtest.Check(t, err)
		sum, err := copying.Copy(ctx, a, filepath.Join(t.TempDir(), "copy"), opts)
		jobtest.Check(t, err)
		if once := plan.Passes == 1; once != c.once || once != (sum.Read == stored) {
			t.Errorf("%+v: passes %g, %d bytes read of %d", c, plan.Passes, sum.Read, stored)
		}
	}
}

// A shard that does not fit into memory is written part by part, with the same bytes.
func TestShardsLargerThanMemory(t *testing.T) {
	a, _ := cube(t, 40, 8)
	opts := copying.Options{Chunks: []int{4, 4, 4}, Shards: []int{32, 32, 32}, Workers: 2, Verify: true}
	copied := func(memory int64, dataType string) map[string]string {
		t.Helper()
		opts.Memory, opts.DataType = memory, dataType
		to := filepath.Join(t.TempDir(), "copy")
		jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, to, opts)))
		n, err := zarr.Open(ctx, to)
		jobtest.Check(t, err)
		defer n.Close()
		return jobtest.Content(t, n.Store())
	}
	for dataType, memory := range map[string]int64{"": 330 << 10, "float64": 1300 << 10} {
		if thorough.Least(dataType != "", false, false) {
			continue // the same is done, to other elements
		}
		want := copied(1<<30, dataType)
		for _, times := range thorough.Of([]int64{1, 3}, []int64{1, 2, 3}) {
			if times > 1 && (race.Enabled || dataType != "") && !thorough.Enabled {
				break
			}
			jobtest.Same(t, copied(times*memory, dataType), want)
		}
	}
	plan := func(memory int64) (copying.Plan, error) {
		return copying.PlanOf(ctx, a, copying.Options{Chunks: opts.Chunks, Shards: opts.Shards, Workers: 1, Memory: memory})
	}
	p, err := plan(310 << 10)
	jobtest.Check(t, err)
	if block := p.Each[0].Block; fmt.Sprint(block) != "[4 32 32]" {
		t.Errorf("blocks of %v", block)
	}
	// The error names what is enough.
	_, err = plan(1 << 10)
	if !errors.Is(err, zarr.ErrTooLarge) || !strings.Contains(err.Error(), "allow at least ") {
		t.Fatalf("got %v", err)
	}
	_, rest, _ := strings.Cut(err.Error(), "allow at least ")
	var n float64
	var unit string
	if _, err := fmt.Sscanf(rest, "%g %s", &n, &unit); err != nil {
		t.Fatal(err)
	}
	factor := map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]
	if _, err := plan(int64((n + 0.1) * factor)); err != nil || factor == 0 {
		t.Errorf("%g %s were named, and are not enough: %v", n, unit, err)
	}
	if text, err := json.Marshal(p); err != nil || !strings.Contains(string(text), `"passes":`) {
		t.Errorf("%s, %v", text, err)
	}
}
