package zfp

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every coefficient comes once, by the sum of indexes and then of squares.
func TestOrderIsByFrequency(t *testing.T) {
	for dims := 1; dims <= 4; dims++ {
		var seen [256]bool
		before := 0
		for _, at := range order[dims] {
			if seen[at] {
				t.Errorf("%d dimensions: %d comes twice", dims, at)
			}
			seen[at] = true
			rank := 0
			for a := range dims {
				k := int(at) >> (2 * a) & 3
				rank += 1000*k + k*k
			}
			if rank < before {
				t.Errorf("%d dimensions: %d comes too late", dims, at)
			}
			before = rank
		}
		if len(order[dims]) != 1<<(2*dims) {
			t.Errorf("%d dimensions have %d coefficients", dims, len(order[dims]))
		}
	}
}

func TestPlanesAreTheBitsOfTheCoefficients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{4, 16, 64, 256} {
		for _, prec := range []int{32, 64} {
			u := make([]uint64, n)
			for i := range u {
				u[i] = r.Uint64() & mask(prec)
			}
			var pl planes
			pl.split(slices.Clone(u), prec, 0)
			for i, x := range u {
				for k := range prec {
					if bit := pl[i&^63+k] >> uint(i&63) & 1; bit != x>>uint(k)&1 {
						t.Fatalf("%d of %d bits: bit %d of coefficient %d is %d", n, prec, k, i, bit)
					}
				}
			}
			back := make([]uint64, n)
			pl.join(back, prec, 0)
			if !slices.Equal(back, u) {
				t.Errorf("%d of %d bits came back differently", n, prec)
			}
		}
	}
}

// A limit cuts the bits that would be written without it, and what is read from
// the cut bits differs from the whole in planes behind the cut only.
func TestLimitsCutTheStream(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{4, 16, 64, 256} {
		for range 40 {
			const prec = 32
			u := make([]uint64, n)
			for i := range u {
				u[i] = r.Uint64() & mask(r.IntN(prec+1))
			}
			var pl planes
			pl.split(u, prec, 0)
			var whole writer
			pl.encode(&whole, 1<<20, n, prec, 0)
			length := whole.at()
			whole.flush()
			limit := r.IntN(length + 1)
			var cut writer
			pl.encode(&cut, limit, n, prec, 0)
			if cut.at() != limit {
				t.Fatalf("%d values: %d bits, the limit was %d", n, cut.at(), limit)
			}
			a, b := reader{data: whole.dst}, reader{data: cut.flush()}
			for a.pos < limit {
				if k := min(64, limit-a.pos); a.get(k) != b.get(k) {
					t.Fatalf("%d values, limit %d of %d: bits before %d differ", n, limit, length, a.pos)
				}
			}
			var got planes
			b.pos = 0
			got.decode(&b, limit, n, prec, 0)
			if b.pos != limit {
				t.Fatalf("%d values: read %d bits, the limit was %d", n, b.pos, limit)
			}
			a.pos = 0
			got.decode(&a, length, n, prec, 0)
			for g := 0; g < n; g += 64 {
				if !slices.Equal(got[g:g+prec], pl[g:g+prec]) {
					t.Fatalf("%d values came back differently", n)
				}
			}
		}
	}
}

func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var w writer
	var want []uint64
	var widths []int
	for range 3000 {
		k := r.IntN(65)
		x := r.Uint64() & mask(k)
		w.put(x, uint(k))
		want, widths = append(want, x), append(widths, k)
	}
	at := w.at()
	rd := reader{data: w.flush()}
	for i, k := range widths {
		if x := rd.get(k); x != want[i] {
			t.Fatalf("%d bits at %d are %x, want %x", k, rd.pos-k, x, want[i])
		}
	}
	if rd.pos != at || rd.over() {
		t.Errorf("read %d of %d bits", rd.pos, at)
	}
	if rd.get(64); !rd.over() || rd.get(64) != 0 {
		t.Error("there is something behind the end")
	}
}

func TestExactTransforms(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{4, 16, 64, 256} {
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(r.Uint32())
		}
		got := slices.Clone(want)
		forwardExact(got)
		inverseExact(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d values came back differently", n)
		}
	}
}
