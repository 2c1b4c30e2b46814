package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// Processes that make a copy together, at once and in any order, some twice and one of
// them killed and run again, leave the bytes that one process makes.
func TestPartsThatAreKilled(t *testing.T) {
	dir := t.TempDir()
	killSources(t, filepath.Join(dir, "new"), 1)
	for _, k := range []struct {
		name, source string
		flags        []string
	}{
		{"sharded", "a.zarr", []string{"--chunks", "8,8", "--shards", "16,16"}},
		{"zarr2", "a.zarr", []string{"--to", "zarr2"}},
		{"n5", "a.zarr", []string{"--to", "n5"}},
		{"hdmf", "n.zarr", nil},
		{"pyramid", "a.zarr/values", []string{"--pyramid", "--chunks", "8,8", "--levels", "3"}},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for round := range thorough.Rounds(8) {
				togetherKilled(t, dir, k.source, k.flags, rand.New(rand.NewPCG(uint64(round), uint64(len(k.name)))))
			}
		})
	}
}

func togetherKilled(t *testing.T, dir, source string, flags []string, random *rand.Rand) {
	t.Helper()
	parts := thorough.Of(2, 4)
	o, url := newOrigin(t, dir)
	to := t.TempDir()
	args := append([]string{"copy", "--workers", "2"}, flags...)
	if out, err := command(t, nil, append(slices.Clone(args), url+"/new/"+source, filepath.Join(to, "whole"))...); err != nil {
		t.Fatal(err, out)
	}
	dst := filepath.Join(to, "parts")
	start := func(part int, out *bytes.Buffer) *exec.Cmd {
		cmd := exec.Command("omnizarr", append(slices.Clone(args), "--part", fmt.Sprintf("%d/%d", part, parts), url+"/new/"+source, dst)...)
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		cmd.Stdout, cmd.Stderr = out, out
		return cmd
	}
	order := random.Perm(parts)
	order = append(order, order[random.IntN(parts)])
	victim := order[0] + 1
	n, _ := o.chunks()
	o.begin(1 + random.IntN(max(n/2, 1)))
	var wg sync.WaitGroup
	o.mu.Lock() // no request is answered before the victim is known
	for i, part := range order {
		var out bytes.Buffer
		cmd := start(part+1, &out)
		must(t, cmd.Start())
		if i == 0 {
			o.process = cmd.Process
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil && i > 0 {
				t.Errorf("part %d: %v: %s", part+1, err, out.String())
			}
		})
	}
	o.mu.Unlock()
	wg.Wait()
	// The one that was killed may have been asked for twice.
	if text, err := command(t, nil, "verify", dst); exitCode(err) == 1 {
		if !strings.Contains(text, "unfinished") {
			t.Errorf("verify before the end: %s", text)
		}
		if out, err := command(t, nil, start(victim, nil).Args[1:]...); err != nil {
			t.Fatal(err, out)
		}
	}
	if out, err := command(t, nil, "verify", dst); err != nil {
		t.Fatal(err, out)
	}
	want, got := contents(t, filepath.Join(to, "whole")), contents(t, dst)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is more than there should be", name)
		}
	}
}
