package jobs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// plain is an array without cleverness.
type plain struct {
	shape []int
	data  []float64
}

func (p plain) at(idx []int) float64 {
	k := 0
	for i, n := range p.shape {
		k = k*n + idx[i]
	}
	return p.data[k]
}

// fill calls f for every index, in C order.
func fill(shape []int, f func(idx []int) float64) plain {
	p := plain{shape: shape}
	idx := make([]int, len(shape))
	for {
		p.data = append(p.data, f(idx))
		if !nd.Next(idx, shape) {
			return p
		}
	}
}

// ordered is an array with its axes as programs expect them: those of a letter joined.
func ordered(src plain, names []string) (plain, []string) {
	var out []string
	var of [][]int
	for _, letter := range []string{"t", "c", "z", "y", "x"} {
		var list []int
		for i, name := range names {
			if name == letter || letter == "c" && (name == "s" || name == "q") {
				list = append(list, i)
			}
		}
		if list != nil {
			out, of = append(out, letter), append(of, list)
		}
	}
	shape := make([]int, len(of))
	for k, list := range of {
		shape[k] = 1
		for _, i := range list {
			shape[k] *= src.shape[i]
		}
	}
	return fill(shape, func(idx []int) float64 {
		from := make([]int, len(names))
		for k, list := range of {
			rest := idx[k]
			for j := len(list) - 1; j >= 0; j-- {
				from[list[j]] = rest % src.shape[list[j]]
				rest /= src.shape[list[j]]
			}
		}
		return src.at(from)
	}), out
}

// reduced is the next level.
func reduced(src plain, factors []int, method string) plain {
	shape := make([]int, len(factors))
	for i, f := range factors {
		shape[i] = (src.shape[i] + f - 1) / f
	}
	return fill(shape, func(idx []int) float64 {
		var window []float64
		in := make([]int, len(factors))
		for {
			at, inside := make([]int, len(idx)), true
			for i, f := range factors {
				at[i] = idx[i]*f + in[i]
				inside = inside && at[i] < src.shape[i]
			}
			if inside {
				window = append(window, src.at(at))
			}
			if !nd.Next(in, factors) {
				break
			}
		}
		switch method {
		case "nearest":
			return window[0]
		case "max":
			return slices.Max(window)
		case "min":
			return slices.Min(window)
		case "mode":
			best, most := 0.0, 0
			count := map[float64]int{}
			for _, x := range window {
				if count[x]++; count[x] > most {
					best, most = x, count[x]
				}
			}
			return best
		}
		sum := 0.0
		for _, x := range window {
			sum += x
		}
		return math.Round(sum / float64(len(window))) // halves away from zero
	})
}

// Levels are what a model makes of the whole array, whatever its axes, chunks, shards,
// type, and however little memory there is.
func TestLevelsAreThoseOfAModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range thorough.Rounds(80) {
		names := slices.Clone([][]string{{"y", "x"}, {"z", "y", "x"}, {"x", "y", "z"}, {"t", "z", "c", "y", "x"}, {"c", "s", "y", "x"}, {"s", "q", "t", "y", "x", "c"}, {"y", "x", "c"}}[rng.IntN(7)])
		if rng.IntN(3) == 0 {
			rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		shape, chunks := make([]int, len(names)), make([]int, len(names))
		for i, name := range names {
			shape[i] = 1 + rng.IntN(4)
			if strings.Contains("xy", name) {
				shape[i] = 1 + rng.IntN(20)
			}
			chunks[i] = 1 + rng.IntN(shape[i])
		}
		src := numbersOf(t, rng, zarr.ArraySpec{Shape: shape, Chunks: chunks, DimensionNames: names,
			DataType: []string{"uint8", "int16", "uint16", "int32"}[rng.IntN(4)]})
		method := []string{"mean", "mode", "nearest", "max", "min"}[rng.IntN(5)]
		p := jobs.Pyramid{Method: method, Version: []string{"0.5", "0.4"}[rng.IntN(2)]}
		want, axes := ordered(all(t, src), names)
		if rng.IntN(2) == 0 {
			for range axes {
				p.Factors = append(p.Factors, 1+rng.IntN(3))
			}
			p.Factors[len(axes)-1] = 2
		}
		p.Levels = 1
		for n := want.shape[len(axes)-1]; n > 1 && p.Levels < 4; n = (n + 1) / 2 {
			p.Levels++
		}
		opts := copying.Options{Memory: int64(1 + rng.IntN(2000)), Workers: 1 + rng.IntN(3)}
		if rng.IntN(2) == 0 {
			for _, n := range want.shape {
				opts.Chunks = append(opts.Chunks, 1+rng.IntN(n))
			}
			if p.Version == "0.5" {
				for _, n := range opts.Chunks {
					opts.Shards = append(opts.Shards, n*(1+rng.IntN(3)))
				}
			}
		}
		what := fmt.Sprintf("%d: %v %v %+v", round, names, shape, p)
		dst := pyramids(t, src, p, opts)
		g := open(t, dst).(*zarr.Group)
		m, err := ngff.Read(g.Attributes())
		if err != nil || len(m.Images) != 1 || len(m.Images[0].Levels) != p.Levels {
			t.Fatalf("%s: %+v, %v", what, m, err)
		}
		for k, l := range m.Images[0].Levels {
			a, err := g.Array(ctx, l.Path)
			if err != nil {
				t.Fatal(err)
			}
			if k > 0 {
				factors := make([]int, len(axes))
				for i := range factors {
					factors[i] = int(l.Scale[i] / m.Images[0].Levels[k-1].Scale[i])
				}
				if p.Factors != nil && !slices.Equal(factors, p.Factors) {
					t.Fatalf("%s: factors %v", what, factors)
				}
				want = reduced(want, factors, method)
			}
			got := all(t, a)
			if !slices.Equal(got.shape, want.shape) || !slices.Equal(got.data, want.data) {
				t.Fatalf("%s: level %d is %v, not %v", what, k, got, want)
			}
			if opts.Chunks != nil && !slices.Equal(a.ChunkShape(), opts.Chunks) || opts.Shards != nil && !slices.Equal(a.ShardShape(), opts.Shards) {
				t.Errorf("%s: chunks %v, shards %v", what, a.ChunkShape(), a.ShardShape())
			}
		}
	}
}

func all(t testing.TB, a *zarr.Array) plain {
	t.Helper()
	got, err := zarr.ReadAs[float64](ctx, a, zarr.All())
	if err != nil {
		t.Fatal(err)
	}
	return plain{got.Shape, got.Data}
}

func numbersOf(t testing.TB, rng *rand.Rand, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArray(ctx, filepath.Join(t.TempDir(), "src.zarr"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	most := 3 + rng.IntN(100)
	put(t, a, fill(spec.Shape, func([]int) float64 { return float64(rng.IntN(most)) }).data)
	return a
}

// Planes become fewer only where they are about as close as rows and columns.
func TestPlanesThatAreFarApartStay(t *testing.T) {
	for _, c := range []struct {
		scale string
		want  string
	}{
		{`"scale": [1, 1, 1]`, "[16 64 64] [8 32 32] [4 16 16] [2 8 8]"},
		{`"scale": [4, 1, 1]`, "[16 64 64] [16 32 32] [16 16 16] [8 8 8]"},
		{`"scale": [40, 1, 1]`, "[16 64 64] [16 32 32] [16 16 16] [16 8 8]"},
		{`"scale": [1, 1, 1], "units": ["", "micrometer", "micrometer"]`, "[16 64 64] [16 32 32] [16 16 16] [16 8 8]"},
		{`"scale": [1000, 1, 1], "units": ["nanometer", "micrometer", "micrometer"]`, "[16 64 64] [8 32 32] [4 16 16] [2 8 8]"},
		{`"title": "nothing"`, "[16 64 64] [8 32 32] [4 16 16] [2 8 8]"},
	} {
		a := numbers(t, zarr.ArraySpec{Shape: []int{16, 64, 64}, DataType: "uint8", Chunks: []int{16, 64, 64}, DimensionNames: []string{"z", "y", "x"}, Attributes: attributes(t, "{"+c.scale+"}")})
		g := open(t, pyramids(t, a, jobs.Pyramid{Levels: 4}, copying.Options{})).(*zarr.Group)
		var got []string
		for k := range 4 {
			level, err := g.Array(ctx, fmt.Sprint(k))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(level.Shape()))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.scale, got, c.want)
		}
	}
}
