package bzip2

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAllIsAppendedUpToTheLimit(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 300)
	for _, n := range []int{0, 1, 511, 512, 513, 3000} {
		for _, room := range []int{0, 1, n, n + 1, 4096} {
			for name, r := range map[string]io.Reader{
				"whole":    bytes.NewReader(data[:n]),
				"bytewise": iotest.OneByteReader(bytes.NewReader(data[:n])),
				"with EOF": iotest.DataErrReader(bytes.NewReader(data[:n])),
			} {
				for _, limit := range []int{n, n + 1, math.MaxInt} {
					if s, ok := r.(io.Seeker); ok {
						s.Seek(0, io.SeekStart)
					} else if limit != n {
						continue
					}
					dst := append(make([]byte, 0, 3+room), "pre"...)
					out, err := drain(dst, r, limit)
					if err != nil || string(out) != "pre"+string(data[:n]) {
						t.Fatalf("%s, %d bytes, room for %d, limit %d: %d, %v", name, n, room, limit, len(out), err)
					}
					if room >= n && &out[0] != &dst[0] {
						t.Errorf("%s, %d bytes, room for %d: other memory than the caller's", name, n, room)
					}
				}
			}
		}
		if n == 0 {
			continue
		}
		for _, limit := range []int{0, n / 2, n - 1} {
			if _, err := drain(nil, bytes.NewReader(data[:n]), limit); !errors.Is(err, errLimit) {
				t.Errorf("%d bytes with limit %d: %v", n, limit, err)
			}
		}
	}
}

func TestErrorsArePassedOn(t *testing.T) {
	bad := errors.New("bad")
	r := io.MultiReader(strings.NewReader("some"), iotest.ErrReader(bad))
	if _, err := drain(nil, r, 100); !errors.Is(err, bad) {
		t.Error(err)
	}
}
