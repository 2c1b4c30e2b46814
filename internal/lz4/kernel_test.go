//go:build amd64 || arm64

package lz4

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// without runs a test as on a processor that lacks the instructions.
func without(work func()) {
	defer func(has bool) { hasKernels = has }(hasKernels)
	hasKernels = false
	work()
}

// blocks are those in testdata, and some of this package.
func blocks(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.lz4")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all [][]byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	runs := make([]byte, 20_000)
	for i := range runs {
		runs[i] = byte(i / 700 * (i % (1 + i/500)))
	}
	dst := make([]byte, Bound(len(runs)))
	return append(all, dst[:Encode(dst, runs, 1)])
}

// damage changes, cuts or joins some bytes.
func damage(r *rand.Rand, block []byte) []byte {
	block = bytes.Clone(block)
	for range r.IntN(4) {
		i := r.IntN(len(block))
		switch r.IntN(6) {
		case 0:
			block[i] = byte(r.Uint32())
		case 1:
			block[i] ^= 1 << r.IntN(8)
		case 2:
			block[i] = []byte{0, 15, 240, 254, 255}[r.IntN(5)]
		case 3:
			block = block[:max(i, 1)]
		case 4:
			block = append(block[:i:i], block[r.IntN(len(block)):]...)
		case 5:
			block = append(block, block[i:]...)
		}
		if len(block) == 0 {
			return block
		}
	}
	return block
}

// The kernel and its twin in Go give the same bytes or the same error.
func TestKernelsAgree(t *testing.T) {
	if !hasKernels {
		t.Skip("this processor has no kernels")
	}
	r := rand.New(rand.NewPCG(5, 6))
	all := blocks(t)
	for range thorough.Rounds(2000) {
		block := damage(r, all[r.IntN(len(all))])
		compare(t, block, make([]byte, r.IntN(25_000)))
	}
}

// compare unpacks into dst in both ways.
func compare(t *testing.T, block, dst []byte) {
	t.Helper()
	n, err := Decode(dst, block)
	got := bytes.Clone(dst[:n])
	without(func() {
		k, kerr := Decode(dst, block)
		if k != n || (err == nil) != (kerr == nil) || err != nil && err.Error() != kerr.Error() || !bytes.Equal(got, dst[:k]) {
			t.Fatalf("%d bytes into %d: %d, %v and %d, %v", len(block), len(dst), n, err, k, kerr)
		}
	})
}

// Both pack data of all kinds into the same bytes, whatever room they have.
func TestEncodersAgree(t *testing.T) {
	if !hasKernels {
		t.Skip("this processor has no kernels")
	}
	r := rand.New(rand.NewPCG(9, 10))
	for i := range thorough.Rounds(600) {
		data := mixed(r, make([]byte, r.IntN(20_000)))
		if i%100 == 0 {
			data = mixed(r, make([]byte, 3*atOnce+r.IntN(atOnce)))
		}
		compareEncoders(t, data, make([]byte, Bound(len(data))), 1+r.IntN(3))
		compareEncoders(t, data, make([]byte, r.IntN(1+len(data))), 1)
	}
}

// mixed fills data with stretches that wander, repeat, are seen again or cannot be packed.
func mixed(r *rand.Rand, data []byte) []byte {
	for at := 0; at < len(data); {
		n := min(1+r.IntN(1<<(2+r.IntN(12))), len(data)-at)
		stretch := data[at : at+n]
		switch v, often, period := byte(r.Uint32()), 1+r.IntN(60), 1+r.IntN(70); r.IntN(4) {
		case 0:
			for i := range stretch {
				if r.IntN(often) == 0 {
					v += byte(r.IntN(3)) - 1
				}
				stretch[i] = v
			}
		case 1:
			for i := range stretch {
				stretch[i] = byte(i % period * 37)
			}
		case 2:
			copy(stretch, data[r.IntN(1+at):])
		default:
			for i := range stretch {
				stretch[i] = byte(r.Uint32())
			}
		}
		at += n
	}
	return data
}

// compareEncoders packs data into dst in both ways.
func compareEncoders(t *testing.T, data, dst []byte, acceleration int) {
	t.Helper()
	n := Encode(dst, data, acceleration)
	got := bytes.Clone(dst[:n])
	without(func() {
		if k := Encode(dst, data, acceleration); !bytes.Equal(got, dst[:k]) {
			t.Fatalf("%d bytes into %d by %d: %d bytes and others, %d, by the twin", len(data), len(dst), acceleration, n, k)
		}
	})
}
