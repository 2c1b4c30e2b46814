package copying

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// reallyRead counts how often parts of the source are decoded along an axis.
func (a axis) reallyRead(k int) float64 {
	n := 0
	for start := 0; start < a.n; start += k * a.dst {
		end := min(start+k*a.dst, a.n)
		n += (end-1)/a.src - start/a.src + 1
	}
	return float64(n)
}

func TestReadsAreCountedWithoutLooking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := axis{n: 1 + r.IntN(300), dst: 1 + r.IntN(40), src: 1 + r.IntN(40)}
		k := 1 + r.IntN(10)
		if got, want := a.touches(k), a.reallyRead(k); got != want {
			t.Fatalf("%+v, %d chunks in a block: %v, want %v", a, k, got, want)
		}
	}
}

func TestBlocksReadTheSourceOnceWhereMemoryAllows(t *testing.T) {
	for _, c := range []struct {
		name           string
		shape, src, to []int
		most           float64
		group          []int
		reads          float64
	}{
		{"same", []int{1024, 1024}, []int{64, 64}, []int{64, 64}, 64 * 64, []int{1, 1}, 1},
		{"shards of chunks", []int{1024, 1024, 1024}, []int{64, 64, 64}, []int{256, 256, 256}, 256 * 256 * 256, []int{1, 1, 1}, 1},
		{"smaller chunks", []int{1024, 1024}, []int{256, 256}, []int{64, 64}, 256 * 256, []int{4, 4}, 1},
		{"odd ones", []int{900, 900}, []int{6, 6}, []int{4, 4}, 144, []int{3, 3}, 1},
		// A stack of planes as columns: all of it in memory, or every plane several times.
		{"turned", []int{512, 512, 512}, []int{1, 512, 512}, []int{512, 64, 64}, 512 * 512 * 512, []int{1, 8, 8}, 1},
		{"turned, half the memory", []int{512, 512, 512}, []int{1, 512, 512}, []int{512, 64, 64}, 512 * 512 * 256, []int{1, 4, 8}, 2},
		{"turned, none", []int{512, 512, 512}, []int{1, 512, 512}, []int{512, 64, 64}, 1, []int{1, 1, 1}, 64},
	} {
		axes := make([]axis, len(c.shape))
		for i := range axes {
			axes[i] = axis{n: c.shape[i], dst: c.to[i], src: c.src[i]}
		}
		group, reads := bestBlock(axes, c.most)
		if size(axes, group) != size(axes, c.group) || reads != c.reads {
			t.Errorf("%s: %v, read %v times, want %v, %v", c.name, group, reads, c.group, c.reads)
		}
	}
}

func size(axes []axis, group []int) int {
	n := 1
	for i, a := range axes {
		n *= min(group[i]*a.dst, a.n)
	}
	return n
}

func TestBlocksFitWhatIsAllowed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		axes := make([]axis, 1+r.IntN(6))
		one := 1
		for i := range axes {
			axes[i] = axis{n: 1 + r.IntN(5000), dst: 1 + r.IntN(200), src: 1 + r.IntN(200), skew: r.IntN(4) == 0}
			one *= min(axes[i].dst, axes[i].n)
		}
		most := float64(r.IntN(1 << 24))
		group, reads := bestBlock(axes, most)
		if got := size(axes, group); float64(got) > most && got != one || reads < 1 || slices.Min(group) < 1 {
			t.Fatalf("%+v in %v: %v has %d elements, read %v times", axes, most, group, got, reads)
		}
	}
}
