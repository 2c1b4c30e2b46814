package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	_ "github.com/omnizarr/zarr/store/s3"
)

// writers is how many processes write at once.
var writers = thorough.Of(3, 8)

// writerEnv tells a process that it is one of the writers, which one, how often it
// writes, and where.
const writerEnv = "OMNIZARR_TEST_WRITER"

// writer is what the processes of TestProcesses do.
func writer(env string) int {
	var k, times int
	var url string
	_, err := fmt.Sscan(env, &k, &times, &url)
	if err == nil {
		err = writeMany(context.Background(), url, k, times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// writeMany writes what the writer k of a hierarchy writes: single elements, rows behind
// the end, an attribute and a node each time, and consolidates.
func writeMany(ctx context.Context, url string, k, times int) error {
	n, err := zarr.Open(ctx, url)
	if err != nil {
		return err
	}
	defer n.Close()
	g := n.(*zarr.Group)
	arrays := map[string]*zarr.Array{}
	for _, name := range []string{"chunk", "shard", "edge", "rows"} {
		if arrays[name], err = g.Array(ctx, name); err != nil {
			return err
		}
	}
	for i := range times {
		at := i*writers + k
		for _, name := range []string{"chunk", "shard", "edge"} {
			if err := zarr.Write(ctx, arrays[name], zarr.Select(zarr.At(at)), []int32{int32(at + 1)}); err != nil {
				return err
			}
		}
		if err := zarr.Append(ctx, arrays["rows"], 0, []int32{int32(at + 1), int32(at + 1)}); err != nil {
			return err
		}
		for _, n := range []zarr.Node{g, arrays["rows"]} {
			if err := n.UpdateAttributes(ctx, func(a *meta.Attributes) error { return a.Set(fmt.Sprintf("a%d", at), at) }); err != nil {
				return err
			}
		}
		if i%4 == 0 {
			if _, err := g.CreateGroup(ctx, fmt.Sprintf("g%d", at)); err != nil {
				return err
			}
			if err := g.Consolidate(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// processes lets several processes write a hierarchy at once, and wants all that they
// wrote.
func processes(t *testing.T, url string, times int, opts ...zarr.Option) {
	t.Helper()
	ctx := t.Context()
	all := writers * times
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, url, opts...))
	for name, spec := range map[string]zarr.ArraySpec{
		"chunk": {Shape: []int{all}, Chunks: []int{all}},
		"shard": {Shape: []int{all}, Chunks: []int{writers}, Shards: []int{all}},
		"edge":  {Shape: []int{all}, Chunks: []int{2*all + 1}},
		"rows":  {Shape: []int{0, 2}, Chunks: []int{5, 1}},
	} {
		spec.DataType = "int32"
		if g.Format() == "zarr2" {
			spec.Shards = nil
		}
		if _, err := g.CreateArray(ctx, name, spec); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	type process struct {
		*exec.Cmd
		out bytes.Buffer
	}
	var started []*process
	for k := range writers {
		p := &process{Cmd: exec.CommandContext(ctx, os.Args[0])}
		p.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", writerEnv, k, times, url), "GORACE=atexit_sleep_ms=0")
		p.Stdout, p.Stderr = &p.out, &p.out
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, p)
	}
	for k, p := range started {
		if err := p.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s", k, err, p.out.String())
		}
	}
	g = must[zarr.Node](t)(zarr.Open(ctx, url)).(*zarr.Group)
	defer g.Close()
	plain := must[zarr.Node](t)(zarr.Open(ctx, url, zarr.BypassConsolidated())).(*zarr.Group)
	defer plain.Close()
	for _, name := range []string{"chunk", "shard", "edge", "rows"} {
		a := must[*zarr.Array](t)(plain.Array(ctx, name))
		sel := zarr.All()
		if name == "rows" {
			sel = zarr.Slice(":, 1")
		}
		got := must[nd.Array[int32]](t)(zarr.Read[int32](ctx, a, sel)).Data
		if name == "rows" {
			slices.Sort(got)
		}
		for i := range all {
			if i >= len(got) || got[i] != int32(i+1) {
				t.Errorf("%s: of %d elements %d is lost: %v", name, all, i, got)
				break
			}
		}
		if len(got) != all {
			t.Errorf("%s has %d elements, want %d", name, len(got), all)
		}
	}
	nodes := 0
	for i := range all {
		for _, n := range []zarr.Node{plain, must[*zarr.Array](t)(plain.Array(ctx, "rows"))} {
			if n.Attributes().Raw(fmt.Sprintf("a%d", i)) == nil {
				t.Errorf("%s: attribute %d is lost", n.URL(), i)
			}
		}
		if i/writers%4 == 0 {
			nodes++
			if _, err := g.Metadata().Consolidated.Get(fmt.Sprintf("g%d", i)); err != nil {
				t.Errorf("node %d is not in the consolidated metadata: %v", i, err)
			}
		}
	}
	if n := g.Metadata().Consolidated.Len(); n != nodes+4 {
		t.Errorf("%d nodes in the consolidated metadata, want %d", n, nodes+4)
	}
}

// Processes that write parts of one chunk and of one shard, append, change attributes and
// consolidate at once lose nothing.
func TestProcesses(t *testing.T) {
	times := thorough.Rounds(48)
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		processes(t, filepath.Join(t.TempDir(), "a.zarr"), times)
	})
	t.Run("files in Zarr v2", func(t *testing.T) {
		t.Parallel()
		processes(t, filepath.Join(t.TempDir(), "a.zarr"), thorough.Rounds(24), zarr.As("zarr2"))
	})
	t.Run("S3", func(t *testing.T) {
		processes(t, cloudtest.InMemory(t, &cloudtest.Memory{}, nil).At("a.zarr"), thorough.Rounds(16))
	})
	t.Run("a server of S3", func(t *testing.T) {
		processes(t, cloudtest.S3(t).At("a.zarr"), thorough.Rounds(16))
	})
}
