package codec_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
)

// Whatever is asked for beyond the limit is an error that names the size, the limit
// and what lifts it.
func TestMemoryBeyondTheLimitIsAnError(t *testing.T) {
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	long := &codectest.Source{Data: make([]byte, 1<<20+1)}
	ctx := context.Background()
	for what, f := range map[string]func(n int) error{
		"Check":    ck.Check,
		"Lend":     func(n int) error { _, err := ck.Lend(n); return err },
		"LendView": func(n int) error { _, _, err := ck.LendView(n, []int{1, 1}); return err },
		"Make":     func(n int) error { _, err := ck.Make(1, n); return err },
		"Grow":     func(n int) error { _, err := ck.Grow(nil, n); return err },
		"ReadRange": func(n int) error {
			_, err := ck.ReadRange(ctx, &codectest.Source{Data: make([]byte, min(n, 1<<20))}, 0, n, nil)
			return err
		},
	} {
		if err := f(1 << 20); err != nil {
			t.Errorf("%s of what is allowed: %v", what, err)
		}
		for _, n := range []int{1<<20 + 1, 1 << 40, math.MaxInt} {
			err := f(n)
			if !errors.Is(err, codec.ErrTooLarge) || errors.Is(err, codec.ErrData) {
				t.Errorf("%s of %d: %v", what, n, err)
				continue
			}
			for _, word := range []string{"1048576", "zarr.MaxChunk", "--max-chunk"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%s: %q does not say %s", what, err, word)
				}
			}
		}
	}
	for _, size := range []codec.Size{{}, codec.AtMost(1 << 40), codec.Exactly(1 << 40)} {
		if _, err := ck.ReadAll(ctx, long, size, nil); !errors.Is(err, codec.ErrTooLarge) {
			t.Errorf("a value of %+v: %v", size, err)
		}
	}
	// Memory that is there already needs nobody's leave.
	room := make([]byte, 0, 1<<20+1)
	if out, err := ck.ReadAll(ctx, long, codec.Exactly(1<<20+1), room); err != nil || len(out) != 1<<20+1 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if _, err := ck.ReadAll(ctx, long, codec.AtMost(100), nil); !errors.Is(err, codec.ErrData) {
		t.Errorf("a value that is longer than it can be: %v", err)
	}
}

func TestNobodyNeedsToSetALimit(t *testing.T) {
	for _, ck := range []*codec.Chunk{nil, {}, {Limits: &codec.Limits{}}} {
		if n := ck.MaxChunk(); n != codec.DefaultMaxChunk() || n <= 0 {
			t.Errorf("%d bytes", n)
		}
		if err := ck.Check(1 << 50); !errors.Is(err, codec.ErrTooLarge) {
			t.Errorf("got %v", err)
		}
	}
}
