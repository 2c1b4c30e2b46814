package beam_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/spread"
)

// pool starts workers in a process of their own, and gives where they are.
func pool(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OMNIZARR_BEAM_POOL=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the pool: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func spec(t *testing.T, request any) spread.Spec {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return spread.Spec{Kind: "toy", Request: text}
}

func TestStagesAreDoneInOrder(t *testing.T) {
	for _, own := range []bool{false, true} {
		e := beam.Executor{AtOnce: 3}
		if own {
			e.Workers = pool(t)
		}
		got, err := e.Run(context.Background(), spec(t, &toy{Dir: t.TempDir(), Items: []int{5, 0, 3}, Once: "0.3"}))
		if err != nil {
			t.Fatalf("workers of their own %v: %v", own, err)
		}
		if want := "0=0.0 2=0.2 4=0.4 0=2.0 2=2.2 "; string(got) != want {
			t.Errorf("workers of their own %v: got %q, want %q", own, got, want)
		}
	}
}

func TestAnItemThatCannotBeDone(t *testing.T) {
	dir := t.TempDir()
	_, err := beam.Executor{Tries: 2}.Run(context.Background(), spec(t, &toy{Dir: dir, Items: []int{4, 2}, Fail: "0.2"}))
	if err == nil || err.Error() != "item 0.2 cannot be done" {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Stat(dir + "/1.0"); err == nil {
		t.Error("the next stage was begun")
	}
}
