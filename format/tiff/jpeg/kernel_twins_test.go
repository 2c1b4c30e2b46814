//go:build amd64 || arm64

package jpeg

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// withKernels runs a test with assembly and without.
func withKernels(t *testing.T, f func(*testing.T)) {
	if hasKernels {
		t.Run("kernels", f)
	}
	withoutKernels(func() { t.Run("go", f) })
}

// withoutKernels runs f without assembly.
func withoutKernels(f func()) {
	had := hasKernels
	defer func() { hasKernels = had }()
	hasKernels = false
	f()
}

// needKernels skips the test where there is nothing to compare.
func needKernels(t *testing.T) {
	if !hasKernels {
		t.Skip("there are none on this processor")
	}
}

func TestInverseAgreesWithItsTwin(t *testing.T) {
	needKernels(t)
	r := rand.New(rand.NewPCG(1, 2))
	const stride = 11
	for i := range 20000 {
		b, q := randomBlock(r, i)
		got, want := make([]byte, 8*stride), make([]byte, 8*stride)
		inverse(got, stride, &b, &q)
		inverseWide(want, stride, &b, &q)
		if !bytes.Equal(got, want) {
			t.Fatalf("block %d: %v\ntimes %v: got\n%v, want\n%v", i, b, q, got, want)
		}
	}
}

func TestRowsAgreeWithTheirTwins(t *testing.T) {
	needKernels(t)
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for n := 1; n < 300; n++ {
		size := marginLeft + n + marginRight
		near, far := random(size), random(size)
		got, want := make([]byte, n+marginRight), make([]byte, n+marginRight)
		check := func(what string) {
			t.Helper()
			if !bytes.Equal(got[:n], want[:n]) {
				t.Fatalf("%s of %d: got\n%v, want\n%v", what, n, got[:n], want[:n])
			}
		}
		doubleRow(got, near, n)
		doubleRowGo(want, near, n)
		check("doubleRow")
		doubleRows(got, near, far, n)
		doubleRowsGo(want, near, far, n)
		check("doubleRows")
		for round := 1; round <= 2; round++ {
			blendRows(got, near, far, n, round)
			blendRowsGo(want, near, far, n, round)
			check("blendRows")
		}
	}
}

func TestColourAgreesWithItsTwin(t *testing.T) {
	needKernels(t)
	// Every pair of Cb and Cr, with values of Y from end to end, in rows of
	// all lengths in turn.
	var y, cb, cr []byte
	for u := range 256 {
		for v := range 256 {
			y = append(y, byte(u*7+v*255/3))
			cb, cr = append(cb, byte(u)), append(cr, byte(v))
		}
	}
	for n := 1; len(y) >= n; n = n%131 + 1 {
		var got, want [3][]byte
		for i := range got {
			got[i], want[i] = make([]byte, n), make([]byte, n)
		}
		colour(got[0], got[1], got[2], y, cb, cr)
		colourGo(want[0], want[1], want[2], y, cb, cr)
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("%d pixels, plane %d: got %v, want %v", n, i, got[i], want[i])
			}
		}
		y, cb, cr = y[n:], cb[n:], cr[n:]
	}
}
