package write_test

import (
	"bufio"
	"errors"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/lock"
	_ "github.com/omnizarr/zarr/store/s3"
)

// In a bucket too, who edits a file that another process edits is refused before anything
// is written.
func TestAnotherProcessIsRefusedInABucket(t *testing.T) {
	at := cloudtest.InMemory(t, &cloudtest.Memory{}, nil).At("a.zarr")
	file := within("t", table(3, 3))
	check(t, write.Create(ctx, at, file, write.Options{}))
	values := func() map[string]string {
		n, err := zarr.Open(ctx, at)
		check(t, err)
		defer n.Close()
		out := map[string]string{}
		for e, err := range n.Store().List(ctx, "", "") {
			check(t, err)
			text, _, err := n.Store().Get(ctx, e.Key, store.All(), nil)
			check(t, err)
			if !strings.HasSuffix(e.Key, lock.Name) {
				out[e.Key] = string(text)
			}
		}
		return out
	}
	other := exec.Command(os.Args[0], "-test.run=^TestHoldAFile$")
	other.Env = append(os.Environ(), waiting+"="+at)
	in, err := other.StdinPipe() // which ends with this process
	check(t, err)
	defer in.Close()
	out, err := other.StdoutPipe()
	check(t, err)
	check(t, other.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	before := values()
	_, err = write.Edit(ctx, at, write.Options{})
	if !errors.Is(err, write.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if now := values(); !maps.Equal(now, before) {
		t.Errorf("there was %q, there is %q", before, now)
	}
	check(t, other.Process.Kill())
	_ = other.Wait() // it was killed
}
