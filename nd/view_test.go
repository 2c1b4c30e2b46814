package nd_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/nd"
)

func TestABoxOfAViewSharesItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 6), 0, 4).Draw(t, "shape")
		v := drawView(t, "view", shape, 2, false)
		b := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
		for i, n := range shape {
			b.Start[i] = rapid.IntRange(0, n-1).Draw(t, "start")
			b.Shape[i] = rapid.IntRange(1, n-b.Start[i]).Draw(t, "length")
		}
		if err := b.Check(shape); err != nil {
			t.Fatal(err)
		}
		part := v.Box(b)
		each(b.Shape, func(idx []int) {
			at := slices.Clone(idx)
			for i := range at {
				at[i] += b.Start[i]
			}
			if &part.At(idx...)[0] != &v.At(at...)[0] {
				t.Fatalf("element %v of the box is not element %v", idx, at)
			}
		})
		if b.Covers(shape) != slices.Equal(b.Shape, shape) {
			t.Fatalf("Covers is wrong for %v of %v", b, shape)
		}
	})
}

func TestPermuteOnlyRenamesAxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "shape")
		v := drawView(t, "view", shape, 4, false)
		order := rapid.Permutation(indexes(len(shape))).Draw(t, "order")
		p := v.Permute(order)
		each(p.Shape, func(idx []int) {
			at := make([]int, len(idx))
			for i, k := range order {
				at[k] = idx[i]
			}
			if &p.At(idx...)[0] != &v.At(at...)[0] {
				t.Fatalf("order %v: element %v", order, idx)
			}
		})
	})
}

func TestContiguousMemoryIsTheElementsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, size := drawShape(t), rapid.SampledFrom(sizes).Draw(t, "size")
		v := drawView(t, "view", shape, size, true)
		var want []byte
		v.Each(func(elem []byte) { want = append(want, elem...) })
		mem, ok := v.Contiguous()
		if ok && !bytes.Equal(mem, want) {
			t.Fatalf("%+v: got %v", v, mem)
		}
		packed := nd.Of(want, size, shape...)
		if mem, ok := packed.Contiguous(); !ok || len(mem) != len(want) {
			t.Fatalf("packed memory of %v is not contiguous", shape)
		}
	})
}

func TestEachVisitsElementsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t, "view", drawShape(t), 3, true)
		var got, want []byte
		v.Each(func(elem []byte) {
			if len(elem) != 3 || cap(elem) != 3 {
				t.Fatalf("element of %d bytes with room for %d", len(elem), cap(elem))
			}
			got = append(got, elem...)
		})
		each(v.Shape, func(idx []int) { want = append(want, v.At(idx...)...) })
		if !bytes.Equal(got, want) || len(got) != 3*v.Len() {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestCheckKeepsViewsInsideTheirMemory(t *testing.T) {
	data := make([]byte, 100)
	for _, c := range []struct {
		name string
		view nd.View
		ok   bool
	}{
		{"all of it", nd.View{Data: data, Size: 4, Shape: []int{25}, Strides: []int{4}}, true},
		{"one too many", nd.View{Data: data, Size: 4, Shape: []int{26}, Strides: []int{4}}, false},
		{"backwards", nd.View{Data: data, Offset: 96, Size: 4, Shape: []int{25}, Strides: []int{-4}}, true},
		{"backwards from too far", nd.View{Data: data, Offset: 97, Size: 4, Shape: []int{25}, Strides: []int{-4}}, false},
		{"backwards too far", nd.View{Data: data, Offset: 92, Size: 4, Shape: []int{25}, Strides: []int{-4}}, false},
		{"the same over and over", nd.View{Data: data, Size: 4, Shape: []int{1 << 40}, Strides: []int{0}}, true},
		{"nothing", nd.View{Size: 4, Shape: []int{5, 0}, Strides: []int{1000, 4}}, true},
		{"a single element", nd.View{Data: data, Offset: 96, Size: 4}, true},
		{"a single element outside", nd.View{Data: data, Offset: 97, Size: 4}, false},
		{"before the start", nd.View{Data: data, Offset: -1, Size: 4}, false},
		{"one stride too few", nd.View{Data: data, Size: 1, Shape: []int{2, 2}, Strides: []int{1}}, false},
		{"a negative length", nd.View{Data: data, Size: 1, Shape: []int{-2}, Strides: []int{1}}, false},
		{"an overflow", nd.View{Data: data, Size: 4, Shape: []int{1<<61 + 1}, Strides: []int{8}}, false},
		{"an overflow backwards", nd.View{Data: data, Size: 4, Shape: []int{1<<61 + 1}, Strides: []int{-8}}, false},
		{"the least stride", nd.View{Data: data, Offset: 50, Size: 4, Shape: []int{2}, Strides: []int{math.MinInt}}, false},
		{"two that overflow together", nd.View{Data: data, Size: 4, Shape: []int{2, 2}, Strides: []int{math.MaxInt, math.MaxInt}}, false},
		{"too many axes", nd.View{Data: data, Size: 1, Shape: make([]int, 33), Strides: make([]int, 33)}, false},
	} {
		if err := c.view.Check(); (err == nil) != c.ok {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestLengthsThatDoNotFitAreNoticed(t *testing.T) {
	for _, c := range []struct {
		shape []int
		size  int
		want  int
		ok    bool
	}{
		{nil, 8, 8, true},
		{[]int{3, 4}, 2, 24, true},
		{[]int{0, 1 << 62, 1 << 62}, 8, 0, true},
		{[]int{1 << 31, 1 << 31}, 2, 0, false},
		{[]int{1 << 31, 1 << 31}, 1, 1 << 62, true},
		{[]int{math.MaxInt}, 1, math.MaxInt, true},
		{[]int{math.MaxInt}, 2, 0, false},
		{[]int{-1}, 1, 0, false},
		{[]int{5}, 0, 0, true},
	} {
		if n, ok := nd.Bytes(c.shape, c.size); ok != c.ok || ok && n != c.want {
			t.Errorf("%v of %d: got %d, %v", c.shape, c.size, n, ok)
		}
	}
}

func TestBoxesOutsideAShapeAreRefused(t *testing.T) {
	shape := []int{4, 5}
	for _, c := range []struct {
		box nd.Box
		ok  bool
	}{
		{nd.Whole(shape), true},
		{nd.Box{Start: []int{3, 4}, Shape: []int{1, 1}}, true},
		{nd.Box{Start: []int{4, 5}, Shape: []int{0, 0}}, true},
		{nd.Box{Start: []int{3, 4}, Shape: []int{2, 1}}, false},
		{nd.Box{Start: []int{-1, 0}, Shape: []int{1, 1}}, false},
		{nd.Box{Start: []int{0, 0}, Shape: []int{-1, 1}}, false},
		{nd.Box{Start: []int{0}, Shape: []int{1}}, false},
		{nd.Box{Start: []int{1, 1}, Shape: []int{math.MaxInt, 1}}, false},
	} {
		if err := c.box.Check(shape); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.box, err)
		}
	}
}

func TestReferencesFollowTheirBlobsToAnotherHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 0, 8).Draw(t, "words")
		from, to := &nd.Heap{}, &nd.Heap{}
		for range rapid.IntRange(0, 3).Draw(t, "before") {
			to.Add([]byte("other"))
		}
		src := nd.Make(nd.RefSize+1, len(words)) // a reference behind one byte
		for i, w := range words {
			nd.PutRef(src.At(i)[1:], from.Add([]byte("<"+w+">")), 1, len(w))
		}
		dst := nd.Make(nd.RefSize+1, len(words))
		nd.Copy(dst, src)
		nd.Rebase(dst, []int{1}, to.Import(from))
		for i, w := range words {
			if got := string(to.Blobs().Value(dst.At(i)[1:])); got != w {
				t.Fatalf("value %d is %q, want %q", i, got, w)
			}
		}
	})
}

func TestTheZeroReferenceIsEmpty(t *testing.T) {
	var none *nd.Heap
	if got := none.Blobs().Value(make([]byte, nd.RefSize)); got != nil {
		t.Errorf("got %q", got)
	}
	ref := bytes.Repeat([]byte{0xff}, nd.RefSize)
	nd.PutRef(ref, 5, 6, 0)
	if !bytes.Equal(ref, make([]byte, nd.RefSize)) {
		t.Errorf("an empty value is %v", ref)
	}
}

func TestAHeapMayBeSharedByGoroutines(t *testing.T) {
	h := &nd.Heap{}
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for i := range 100 {
				var ref [nd.RefSize]byte
				word := binary.LittleEndian.AppendUint32(nil, uint32(k*1000+i))
				nd.PutRef(ref[:], h.Add(word), 0, 4)
				if got := h.Blobs().Value(ref[:]); !bytes.Equal(got, word) {
					t.Errorf("got %v, want %v", got, word)
				}
			}
		})
	}
	wg.Wait()
	if len(h.Blobs()) != 800 {
		t.Errorf("%d blobs", len(h.Blobs()))
	}
}

func TestArrayAt(t *testing.T) {
	a := nd.Array[int]{Data: []int{0, 1, 2, 3, 4, 5}, Shape: []int{2, 3}}
	if a.At(1, 2) != 5 || a.At(0, 1) != 1 {
		t.Errorf("got %d and %d", a.At(1, 2), a.At(0, 1))
	}
	if s := (nd.Array[string]{Data: []string{"x"}}); s.At() != "x" {
		t.Errorf("got %q", s.At())
	}
}

func TestCompactKeepsValuesAndLeavesLargeBuffers(t *testing.T) {
	h := &nd.Heap{}
	var refs [2][nd.RefSize]byte
	nd.PutRef(refs[0][:], h.Add(append(make([]byte, 0, 1000), "abc"...)), 1, 2)
	nd.PutRef(refs[1][:], h.Add([]byte("defg")), 0, 4)
	if n := h.Compact(); n != 7 {
		t.Errorf("%d bytes", n)
	}
	blobs := h.Blobs()
	if string(blobs.Value(refs[0][:])) != "bc" || string(blobs.Value(refs[1][:])) != "defg" || cap(blobs[0]) >= 1000 {
		t.Errorf("got %q with room for %d", blobs, cap(blobs[0]))
	}
	if (*nd.Heap)(nil).Compact() != 0 {
		t.Error("no heap has bytes")
	}
}
