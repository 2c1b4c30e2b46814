package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// Copies keep to the memory that they are allowed, whatever the chunks, shards and levels
// are: what the system counts is what the process has taken.
func TestCopiesKeepToTheirMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector has memory of its own")
	}
	ctx := context.Background()
	dir := t.TempDir()
	const plain = `[{"name":"bytes","configuration":{"endian":"little"}}]`
	data := make([]uint16, thorough.Of(32*128*512, 16*1024*512))
	for i := range data {
		data[i] = uint16(i)
	}
	for name, chunks := range map[string][]int{"source": {32, 128, 512}, "planes": {1, 512, 512}} {
		a, err := zarr.CreateArray(ctx, filepath.Join(dir, name), zarr.ArraySpec{Shape: []int{48, 1024, 512}, DataType: "uint16", Chunks: chunks, Codecs: []byte(plain), DimensionNames: []string{"z", "y", "x"}})
		if err != nil {
			t.Fatal(err)
		}
		if thorough.Enabled {
			for z := 0; z < 48; z += 16 {
				must(t, zarr.Write(ctx, a, zarr.Box([]int{z, 0, 0}, []int{16, 1024, 512}), data))
			}
		} else { // one chunk by many names: it takes as much memory to copy, and less time to make
			must(t, zarr.Write(ctx, a, zarr.Box([]int{0, 0, 0}, chunks), data[:chunks[0]*chunks[1]*chunks[2]]))
			linkChunks(t, filepath.Join(dir, name, "c"), (48+chunks[0]-1)/chunks[0], 1024/chunks[1])
		}
		must(t, a.Close())
	}
	for i, c := range []struct {
		args string
		fits bool
	}{
		{"--shards 48,1024,512 --chunks 8,64,512", true}, // a shard is all of the 48 MiB
		{"--shards 48,1024,512 --chunks 8,64,512 --verify", true},
		{"--chunks 8,512,512", true},
		{"--pyramid" + thorough.Of(" --method nearest", "") + " --shards 48,1024,512 --chunks 16,64,512", true}, // means take time, and no other memory
		{"--max-memory 56MiB --chunks 48,1024,1", true},                                                         // by way of another array
		{"--chunks 48,1024,512", false},                                                                         // one chunk
	} {
		if (i == 0 || i == 2) && !thorough.Enabled {
			continue // the next does the same, and more; and no other needs so little
		}
		status := filepath.Join(dir, "status")
		src, way := filepath.Join(dir, "source"), strings.Contains(c.args, "1024,1")
		if way {
			src = filepath.Join(dir, "planes")
		}
		args := append([]string{"copy", "--max-memory", "64MiB", "--codecs", plain}, strings.Fields(c.args)...)
		cmd := exec.Command("measured", append(args, src, filepath.Join(dir, strings.ReplaceAll(c.args, " ", "")))...)
		cmd.Env = append(os.Environ(), "STATUS="+status)
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.fits || !c.fits && !strings.Contains(string(out), "allow at least ") {
			t.Errorf("%s: %v: %s", c.args, err, out)
			continue
		}
		if strings.Contains(string(out), " between") != way {
			t.Errorf("%s: %s", c.args, out)
		}
		text, err := os.ReadFile(status)
		if err != nil {
			t.Fatal(err)
		}
		_, peak, _ := strings.Cut(string(text), "VmHWM:")
		var kib int
		if _, err := fmt.Sscan(peak, &kib); err != nil || kib > 64<<10 {
			t.Errorf("%s: %d MiB of 64 MiB, %v", c.args, kib>>10, err)
		}
		t.Logf("%s: %d MiB", c.args, kib>>10)
	}
}

// linkChunks gives the first chunk of an array the names of all others in a grid.
func linkChunks(t *testing.T, dir string, planes, rows int) {
	t.Helper()
	for z := range planes {
		for y := range rows {
			at := filepath.Join(dir, fmt.Sprint(z), fmt.Sprint(y))
			must(t, os.MkdirAll(at, 0o777))
			if z+y > 0 {
				must(t, os.Link(filepath.Join(dir, "0", "0", "0"), filepath.Join(at, "0")))
			}
		}
	}
}
