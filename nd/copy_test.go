package nd_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/nd"
)

var sizes = []int{1, 2, 3, 4, 8, 16}

func drawShape(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(0, 6), 0, 4).Draw(t, "shape")
}

// drawView makes memory whose axes lie in any order and run either way, with
// gaps. Where shared is true some strides are zero.
func drawView(t *rapid.T, label string, shape []int, size int, shared bool) nd.View {
	v := nd.View{Size: size, Shape: shape, Strides: make([]int, len(shape)), Offset: rapid.IntRange(0, 9).Draw(t, label+" offset")}
	order := rapid.Permutation(indexes(len(shape))).Draw(t, label+" order")
	step, need := size, size
	for _, i := range order {
		step += rapid.IntRange(0, 3).Draw(t, label+" gap") * rapid.IntRange(0, 1).Draw(t, label+" has gap")
		v.Strides[i] = step
		if shared && rapid.IntRange(0, 3).Draw(t, label+" zero") == 0 {
			v.Strides[i] = 0
			continue
		}
		if n := shape[i]; n > 0 {
			need += (n - 1) * step
			if rapid.Bool().Draw(t, label+" backwards") {
				v.Offset += (n - 1) * step
				v.Strides[i] = -step
			}
			step *= n
		}
	}
	v.Data = make([]byte, v.Offset+need+rapid.IntRange(0, 9).Draw(t, label+" rest"))
	r := rand.New(rand.NewPCG(uint64(len(v.Data)), uint64(size)))
	for i := range v.Data {
		v.Data[i] = byte(r.Uint32())
	}
	if err := v.Check(); err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	return v
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// each calls f with every index of a shape in C order.
func each(shape []int, f func(idx []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	idx := make([]int, len(shape))
	for {
		f(idx)
		if !nd.Next(idx, shape) {
			return
		}
	}
}

func clone(v nd.View) nd.View {
	v.Data = bytes.Clone(v.Data)
	return v
}

func TestCopyIsALoopOverTheElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, size := drawShape(t), rapid.SampledFrom(sizes).Draw(t, "size")
		dst := drawView(t, "dst", shape, size, false)
		src := drawView(t, "src", shape, size, true)
		want := clone(dst)
		each(shape, func(idx []int) { copy(want.At(idx...), src.At(idx...)) })
		nd.Copy(dst, src)
		if !bytes.Equal(dst.Data, want.Data) {
			t.Fatalf("dst %+v\nsrc %+v\nwant %v", dst, src, want.Data)
		}
	})
}

// Large enough that copies go in tiles.
func TestCopyTransposesLargePlanes(t *testing.T) {
	for _, size := range sizes {
		for _, shape := range [][]int{{130, 70}, {7, 200}, {200, 9}, {3, 65, 129}} {
			src := nd.Make(size, shape...)
			for i := range src.Data {
				src.Data[i] = byte(i * 7)
			}
			order := indexes(len(shape))
			slices.Reverse(order)
			turned := src.Permute(order)
			dst := nd.Make(size, turned.Shape...)
			nd.Copy(dst, turned)
			each(turned.Shape, func(idx []int) {
				if !bytes.Equal(dst.At(idx...), turned.At(idx...)) {
					t.Fatalf("size %d, shape %v, index %v", size, shape, idx)
				}
			})
		}
	}
}

func TestCopyRefusesViewsThatDiffer(t *testing.T) {
	for name, f := range map[string]func(){
		"size":  func() { nd.Copy(nd.Make(1, 2), nd.Make(2, 2)) },
		"rank":  func() { nd.Copy(nd.Make(1, 2), nd.Make(1, 2, 1)) },
		"shape": func() { nd.Copy(nd.Make(1, 2), nd.Make(1, 3)) },
		"fill":  func() { nd.Fill(nd.Make(1, 2), []byte{1, 2}) },
		"of":    func() { nd.Of(make([]byte, 5), 2, 3) },
		"make":  func() { nd.Make(8, 1<<40, 1<<40) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestFillSetsEveryElementAndNoOtherByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, size := drawShape(t), rapid.SampledFrom(sizes).Draw(t, "size")
		dst := drawView(t, "dst", shape, size, true)
		elem := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 255}), size, size).Draw(t, "elem")
		want := clone(dst)
		each(shape, func(idx []int) { copy(want.At(idx...), elem) })
		nd.Fill(dst, elem)
		if !bytes.Equal(dst.Data, want.Data) {
			t.Fatalf("got %v, want %v", dst.Data, want.Data)
		}
		if !nd.IsFill(dst, elem) {
			t.Fatal("IsFill does not see it")
		}
	})
}

func TestIsFillLooksAtEveryElement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, size := drawShape(t), rapid.SampledFrom(sizes).Draw(t, "size")
		v := drawView(t, "view", shape, size, false)
		elem := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "elem")
		nd.Fill(v, elem)
		n := v.Len()
		if n == 0 {
			if !nd.IsFill(v, elem) {
				t.Fatal("nothing is not fill")
			}
			return
		}
		at, odd := rapid.IntRange(0, n-1).Draw(t, "at"), rapid.IntRange(0, size-1).Draw(t, "byte")
		k := 0
		each(shape, func(idx []int) {
			if k == at {
				v.At(idx...)[odd] ^= 1
			}
			k++
		})
		if nd.IsFill(v, elem) {
			t.Fatalf("element %d of %v is not the fill value", at, shape)
		}
	})
}

func drawIndex(t *rapid.T, n, count int) nd.Index {
	if rapid.Bool().Draw(t, "list") {
		return nd.Index{N: count, List: rapid.SliceOfN(rapid.IntRange(0, n-1), count, count).Draw(t, "positions")}
	}
	x := nd.Index{N: count, Start: rapid.IntRange(0, n-1).Draw(t, "start")}
	if count > 1 {
		lo, hi := -(x.Start / (count - 1)), (n-1-x.Start)/(count-1)
		x.Step = rapid.IntRange(lo, hi).Draw(t, "step")
	}
	return x
}

func TestCopyIndexedTakesPositionsOfBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank, size := rapid.IntRange(0, 3).Draw(t, "rank"), rapid.SampledFrom(sizes).Draw(t, "size")
		var ds, ss, counts []int
		var to, from []nd.Index
		for range rank {
			d, s, n := rapid.IntRange(1, 6).Draw(t, "d"), rapid.IntRange(1, 6).Draw(t, "s"), rapid.IntRange(1, 6).Draw(t, "n")
			ds, ss, counts = append(ds, d), append(ss, s), append(counts, n)
			to, from = append(to, drawIndex(t, d, n)), append(from, drawIndex(t, s, n))
		}
		dst, src := drawView(t, "dst", ds, size, false), drawView(t, "src", ss, size, true)
		want := clone(dst)
		at := func(x nd.Index, k int) int {
			if x.List != nil {
				return x.List[k]
			}
			return x.Start + k*x.Step
		}
		each(counts, func(idx []int) {
			d, s := make([]int, rank), make([]int, rank)
			for i, k := range idx {
				d[i], s[i] = at(to[i], k), at(from[i], k)
			}
			copy(want.At(d...), src.At(s...))
		})
		nd.CopyIndexed(dst, to, src, from)
		if !bytes.Equal(dst.Data, want.Data) {
			t.Fatalf("to %v from %v: got %v, want %v", to, from, dst.Data, want.Data)
		}
	})
}

func TestCopyAllocatesNothing(t *testing.T) {
	src := nd.Make(2, 30, 40, 50)
	dst := nd.Make(2, 50, 40, 30).Permute([]int{2, 1, 0})
	if n := testing.AllocsPerRun(5, func() { nd.Copy(dst, src); nd.IsFill(dst, []byte{0, 0}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCopy(b *testing.B) {
	block := nd.Make(1, 64, 64, 256)
	volume := nd.Make(1, 128, 128, 1024)
	inside := volume.Box(nd.Box{Start: []int{32, 32, 256}, Shape: block.Shape})
	for _, c := range []struct {
		name     string
		dst, src nd.View
	}{
		{"contiguous", nd.Make(1, 64, 64, 256), block},
		{"rows of 256 bytes", inside, block},
		{"rows out of a volume", block, inside},
		{"transpose of bytes", nd.Make(1, 256, 64, 64), block.Permute([]int{2, 1, 0})},
		{"transpose of 2", nd.Make(2, 512, 1024), nd.Make(2, 1024, 512).Permute([]int{1, 0})},
		{"transpose of 8", nd.Make(8, 256, 512), nd.Make(8, 512, 256).Permute([]int{1, 0})},
		{"every other of 4", nd.Make(4, 256, 512), nd.View{Data: make([]byte, 4*512*1024), Size: 4, Shape: []int{256, 512}, Strides: []int{8192, 8}}},
		{"backwards", nd.Make(4, 512, 512), nd.View{Data: make([]byte, 4*512*512), Offset: 4 * (512*512 - 1), Size: 4, Shape: []int{512, 512}, Strides: []int{-2048, -4}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(c.src.Len() * c.src.Size))
			for b.Loop() {
				nd.Copy(c.dst, c.src)
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	v := nd.Make(4, 256, 1024).Box(nd.Box{Start: []int{0, 0}, Shape: []int{256, 512}})
	b.SetBytes(256 * 512 * 4)
	for b.Loop() {
		nd.Fill(v, []byte{1, 2, 3, 4})
	}
}

func BenchmarkIsFill(b *testing.B) {
	v := nd.Make(4, 256, 1024)
	b.SetBytes(int64(len(v.Data)))
	for b.Loop() {
		nd.IsFill(v, []byte{0, 0, 0, 0})
	}
}
