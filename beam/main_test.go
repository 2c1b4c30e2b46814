package beam_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/spread"
)

// TestMain is a pool of workers when a test has started it as one, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("OMNIZARR_BEAM_POOL") != "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(l.Addr())
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := beam.Serve(ctx, l); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func init() {
	spread.Register("toy", func(_ context.Context, request json.RawMessage) (spread.Job, error) {
		t := &toy{}
		return t, json.Unmarshal(request, t)
	})
}

// toy is a job whose items are files in a folder; those of a stage look for those of the stage before.
type toy struct {
	Dir   string
	Items []int
	Fail  string // an item that fails always
	Once  string // an item that fails the first time
}

func (t *toy) Stages() (list []spread.Stage) {
	for i, n := range t.Items {
		list = append(list, spread.Stage{Name: fmt.Sprintf("stage-%d", i), Items: n})
	}
	return list
}

func (t *toy) file(stage, item int) string {
	return filepath.Join(t.Dir, fmt.Sprintf("%d.%d", stage, item))
}

func (t *toy) Do(_ context.Context, stage, item int) ([]byte, error) {
	name := fmt.Sprintf("%d.%d", stage, item)
	if stage > 0 {
		for i := range t.Items[stage-1] {
			if _, err := os.Stat(t.file(stage-1, i)); err != nil {
				return nil, fmt.Errorf("%s came too early: %w", name, err)
			}
		}
	}
	if name == t.Fail {
		return nil, errors.New("item " + name + " cannot be done")
	}
	if _, err := os.Stat(t.file(stage, item) + "-failed"); name == t.Once && err != nil {
		if err := os.WriteFile(t.file(stage, item)+"-failed", nil, 0o600); err != nil {
			return nil, err
		}
		return nil, errors.New("not now")
	}
	if item%2 == 1 {
		return nil, os.WriteFile(t.file(stage, item), nil, 0o600)
	}
	return []byte(name), os.WriteFile(t.file(stage, item), nil, 0o600)
}

func (t *toy) Finish(_ context.Context, results spread.Results) ([]byte, error) {
	var all []byte
	for i := range t.Items {
		for item, r := range results(i) {
			all = fmt.Appendf(all, "%d=%s ", item, r)
		}
	}
	return all, nil
}

func (t *toy) Close() error { return nil }
