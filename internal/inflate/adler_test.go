package inflate

import (
	"bytes"
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

// Of every length, aligned or not, and of the largest bytes, which fill the sums
// most.
func TestAdler32IsThatOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 2000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	check := func(b []byte) {
		t.Helper()
		want := adler32.Checksum(b)
		if got := Adler32(b); got != want {
			t.Fatalf("%d bytes: %08x instead of %08x", len(b), got, want)
		}
		if got := adlerPlain(1, 0, b); got != want {
			t.Fatalf("%d bytes without assembly: %08x instead of %08x", len(b), got, want)
		}
	}
	for _, data := range [][]byte{noise, bytes.Repeat([]byte{255}, 2000)} {
		for n := range 1200 {
			check(data[:n])
			check(data[n%33 : n%33+n])
		}
	}
	large := bytes.Repeat([]byte{255}, 3<<18+100)
	for _, n := range []int{1 << 18, 1<<18 + 31, 1<<18 + 32, 2<<18 - 1, len(large)} {
		check(large[:n])
	}
}

func BenchmarkAdler32(b *testing.B) {
	data := bytes.Repeat([]byte("omnizarr"), 1<<15)
	run := func(name string, sum func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				sum()
			}
		})
	}
	run("here", func() { Adler32(data) })
	run("plain", func() { adlerPlain(1, 0, data) })
	run("standard", func() { adler32.Checksum(data) })
}
