package grid

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBoundedChunksEndWithTheArray(t *testing.T) {
	const raw = `{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[3,2]}}`
	g, err := Default().Parse(json.RawMessage(raw), []int{7, 5})
	if err != nil {
		t.Fatal(err)
	}
	// zarrs 0.23.14 stores chunk 2,2 of such an array of int16 in two bytes.
	if start, n := g.Span(0, 2); start != 6 || n != 1 {
		t.Errorf("the last chunk is %d+%d", start, n)
	}
	if start, n := g.Span(1, 2); start != 4 || n != 1 {
		t.Errorf("the last chunk is %d+%d", start, n)
	}
	if !slices.Equal(g.Count(), []int{3, 3}) || g.Uniform() != nil || g.Find(0, 6) != 2 || g.Name() != "zarrs.regular_bounded" {
		t.Errorf("got %v, %v", g.Count(), g.Uniform())
	}
	if again, err := g.MarshalJSON(); err != nil || string(again) != raw {
		t.Errorf("became %s, %v", again, err)
	}
	for _, c := range []struct{ shape, chunks, uniform []int }{
		{[]int{6, 4}, []int{3, 2}, []int{3, 2}},
		{[]int{2, 4}, []int{3, 2}, []int{2, 2}}, // one chunk, cut
		{[]int{0, 4}, []int{3, 2}, []int{3, 2}},
		{[]int{4, 4}, []int{3, 2}, nil},
		{[]int{}, []int{}, []int{}},
		{[]int{math.MaxInt}, []int{1000}, nil},
	} {
		g, err := NewBounded(c.shape, c.chunks)
		if err != nil || !slices.Equal(g.Uniform(), c.uniform) || (g.Uniform() == nil) != (c.uniform == nil) {
			t.Errorf("%v in %v: uniform %v, %v, want %v", c.shape, c.chunks, g.Uniform(), err, c.uniform)
		}
	}
}

func TestBoundedGridsAgreeWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, step := rapid.IntRange(0, 40).Draw(t, "length"), rapid.IntRange(1, 9).Draw(t, "chunk")
		var lengths []int
		for at := 0; at < n; at += step {
			lengths = append(lengths, min(step, n-at))
		}
		g, err := NewBounded([]int{n}, []int{step})
		if err != nil {
			t.Fatal(err)
		}
		checkAxis(t, g, 0, n, lengths)
		m := rapid.IntRange(0, 60).Draw(t, "other length")
		keeps := n == m || min(n, m)%step == 0
		r, err := g.Resize([]int{m})
		if (err == nil) != keeps {
			t.Fatalf("from %d to %d in chunks of %d: %v", n, m, step, err)
		}
		if err == nil && m > 0 {
			if _, length := r.Span(0, r.Count()[0]-1); length > step || length < 1 {
				t.Fatalf("last chunk of %d", length)
			}
		}
	})
}

func TestBoundedErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`"zarrs.regular_bounded"`: `configuration: missing member "chunk_shape"`,
		`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[0]}}`:          `configuration.chunk_shape[0]: 0 is less than 1`,
		`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[1,1]}}`:        `configuration.chunk_shape: has 2 dimensions, the array 1`,
		`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[1],"x":true}}`: `configuration.x: unknown member`,
	} {
		if _, err := Default().Parse(json.RawMessage(raw), []int{10}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
	g, err := NewBounded([]int{7}, []int{3})
	if err != nil {
		t.Fatal(err)
	}
	want := "chunk_shape[0]: from length 7 to 9, chunk 2 would have to be stored anew with length 3 instead of 1"
	if _, err := g.Resize([]int{9}); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	for _, c := range [][2][]int{{{-1}, {3}}, {{7}, {0}}, {{7}, {3, 3}}} {
		if _, err := NewBounded(c[0], c[1]); err == nil {
			t.Errorf("%v in %v accepted", c[0], c[1])
		}
	}
	if _, err := g.Resize([]int{7, 7}); err == nil {
		t.Error("other rank accepted")
	}
}
