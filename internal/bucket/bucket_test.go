package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/omnizarr/zarr/store"
)

func TestPieces(t *testing.T) {
	data := []byte("0123456789")
	for size := range len(data) + 1 {
		for _, piece := range []int{1, 2, 3, 5, 10, 11} {
			for _, announced := range []int64{-1, int64(size)} {
				p := NewPieces(iotest.OneByteReader(bytes.NewReader(data[:size])), announced)
				var got []byte
				buf, n := make([]byte, piece), 0
				for last := false; !last; n++ {
					b, end, err := p.Next(buf)
					if err != nil {
						t.Fatal(err)
					}
					if !end && len(b) != piece {
						t.Errorf("a piece of %d bytes in the middle", len(b))
					}
					got, last = append(got, b...), end
				}
				if want := max((size+piece-1)/piece, 1); !bytes.Equal(got, data[:size]) || n != want {
					t.Errorf("%d bytes by %d: %q in %d pieces", size, piece, got, n)
				}
				if _, _, err := p.Next(buf); err != io.EOF {
					t.Errorf("behind the end: %v", err)
				}
			}
		}
	}
	for _, announced := range []int64{0, 4, 5, 9, 11, 100} {
		p := NewPieces(bytes.NewReader(data), announced)
		var err error
		for last := false; !last && err == nil; {
			_, last, err = p.Next(make([]byte, 5))
		}
		if err == nil {
			t.Errorf("%d bytes were announced, and 10 are no error", announced)
		}
	}
}

// TestHold looks at what a value that is held open asks for, and says.
func TestHold(t *testing.T) {
	tag, fails := "1", error(nil)
	var asked []string
	o := Hold(func(_ context.Context, want string, _ store.Range, dst []byte) ([]byte, store.Info, error) {
		asked = append(asked, want)
		return append(dst, 'v'), store.Info{ETag: tag}, fails
	}, 7, func(err error) error { return fmt.Errorf("named: %w", err) })
	get := func() error {
		_, _, err := o.Get(t.Context(), store.All(), nil)
		return err
	}
	if fails = store.ErrNotExist; !errors.Is(get(), store.ErrNotExist) {
		t.Error("a missing value is no change")
	}
	for fails = nil; len(asked) < 3; {
		if err := get(); err != nil {
			t.Error(err)
		}
	}
	for _, fails = range []error{store.ErrNotExist, store.ErrPrecondition} {
		if err := get(); !errors.Is(err, store.ErrChanged) || !strings.HasPrefix(err.Error(), "named: ") {
			t.Errorf("%v: %v", fails, err)
		}
	}
	// A server that does not keep to the condition.
	if tag, fails = "2", nil; !errors.Is(get(), store.ErrChanged) {
		t.Error("another value is no change")
	}
	if got := strings.Join(asked, ","); got != ",,1,1,1,1" {
		t.Errorf("asked for %q", got)
	}
	if c, ok := o.(store.Parallel); !ok || c.Concurrency() != 7 || o.Close() != nil {
		t.Error("not what was said")
	}
}
