package grid

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		raw           string
		shape         []int
		count, chunks []int // chunks is what Uniform returns
	}{
		{`{"name":"regular","configuration":{"chunk_shape":[3,4]}}`, []int{7, 8}, []int{3, 2}, []int{3, 4}},
		{`{"name":"regular","configuration":{"chunk_shape":[3,4]}}`, []int{0, 1}, []int{0, 1}, []int{3, 4}},
		{`{"name":"regular","configuration":{"chunk_shape":[]}}`, []int{}, []int{}, []int{}},
		{`{"name":"regular","configuration":{"chunk_shape":[9223372036854775807]}}`, []int{math.MaxInt}, []int{1}, []int{math.MaxInt}},
		{`{"name":"regular","configuration":{"chunk_shape":[1]}}`, []int{math.MaxInt}, []int{math.MaxInt}, []int{1}},
		// The examples of the extension's text.
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[4,[1,2,3],[[4,2]],[[1,3],3],[4,4,4]]}}`,
			[]int{6, 6, 6, 6, 6}, []int{2, 3, 2, 4, 2}, nil},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[4,[[4,2]],[4,4,1]]}}`,
			[]int{6, 6, 6}, []int{2, 2, 2}, []int{4, 4, 4}},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1,4611686018427387904]]]}}`,
			[]int{6}, []int{6}, []int{1}},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[3,4611686018427387904],[7,9223372036854775807]]]}}`,
			[]int{math.MaxInt - 1}, []int{(math.MaxInt - 1) / 3}, []int{3}},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[],[5]]}}`, []int{0, 0}, []int{0, 0}, nil},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[]}}`, []int{}, []int{}, []int{}},
	} {
		g, err := Default().Parse(json.RawMessage(c.raw), c.shape)
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		if !slices.Equal(g.Count(), c.count) || !slices.Equal(g.Uniform(), c.chunks) || (g.Uniform() == nil) != (c.chunks == nil) {
			t.Errorf("%s: count %v, want %v; uniform %v, want %v", c.raw, g.Count(), c.count, g.Uniform(), c.chunks)
		}
		if raw, err := g.MarshalJSON(); err != nil || string(raw) != c.raw {
			t.Errorf("%s became %s, %v", c.raw, raw, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`"regular"`:           `configuration: missing member "chunk_shape"`,
		`"hex"`:               `unknown chunk grid "hex", known are rectilinear, regular, zarrs.regular_bounded`,
		`7`:                   `must be a name or an object, not a number`,
		`{"name":"regular"}x`: `not JSON: more text behind the value, at byte 18`,
		`{"name":"regular","configuration":{"chunk_shape":[3],"x":1}}`:                                    `configuration.x: unknown member`,
		`{"name":"regular","configuration":{"chunk_shape":[0]}}`:                                          `configuration.chunk_shape[0]: 0 is less than 1`,
		`{"name":"regular","configuration":{"chunk_shape":[1.0]}}`:                                        `configuration.chunk_shape[0]: must be an integer, not 1.0`,
		`{"name":"regular","configuration":{"chunk_shape":[1,1,1]}}`:                                      `configuration.chunk_shape: has 3 dimensions, the array 1`,
		`{"name":"rectilinear","configuration":{"chunk_shapes":[7]}}`:                                     `configuration: missing member "kind"`,
		`{"name":"rectilinear","configuration":{"kind":"inline"}}`:                                        `configuration: missing member "chunk_shapes"`,
		`{"name":"rectilinear","configuration":{"kind":"inline","x":0}}`:                                  `configuration.x: unknown member`,
		`{"name":"rectilinear","configuration":{"kind":1}}`:                                               `configuration.kind: must be a string, not a number`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[]}}`:                      `configuration.chunk_shapes: has 0 dimensions, the array 1`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[0]}}`:                     `configuration.chunk_shapes[0]: 0 is less than 1`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1,0]]]}}`:               `configuration.chunk_shapes[0][0][1]: 0 is less than 1`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1,2,3]]]}}`:             `configuration.chunk_shapes[0][0][2]: more than 2 elements`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1]]]}}`:                 `configuration.chunk_shapes[0][0]: a run has a length and a count`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[3,[1,6]]]}}`:             `configuration.chunk_shapes[0]: the chunks end at 9, the array at 10`,
		`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[9223372036854775808]]}}`: `configuration.chunk_shapes[0][0]: 9223372036854775808 does not fit 64 bits`,
	} {
		if _, err := Default().Parse(json.RawMessage(raw), []int{10}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
	if _, err := Default().Parse(json.RawMessage(`"hex"`), nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestNoChunkReachesPastTheLargestIndex(t *testing.T) {
	if _, err := NewRegular([]int{math.MaxInt}, []int{1000}); !errors.Is(err, errPastEnd) {
		t.Errorf("got %v", err)
	}
	for _, a := range []Axis{{Step: 1000}, {Runs: []Run{{1000, math.MaxInt}}}, {Runs: []Run{{1, 0}, {math.MaxInt, 0}}}} {
		if _, err := NewRectilinear([]int{math.MaxInt}, []Axis{a}); !errors.Is(err, errPastEnd) {
			t.Errorf("%v: got %v", a, err)
		}
	}
	for _, a := range []Axis{{Step: -1}, {Step: 1, Runs: []Run{{1, 1}}}, {Runs: []Run{{1, -1}}}} {
		if _, err := NewRectilinear([]int{1}, []Axis{a}); err == nil {
			t.Errorf("%v accepted", a)
		}
	}
	if _, err := NewRegular([]int{-1}, []int{1}); err == nil {
		t.Error("negative shape accepted")
	}
}

// drawAxis makes an axis and the lengths that it stands for, at least n in
// sum.
func drawAxis(t *rapid.T, n int) (Axis, []int) {
	if rapid.Bool().Draw(t, "step") {
		step := rapid.IntRange(1, 9).Draw(t, "length")
		return Axis{Step: step}, slices.Repeat([]int{step}, (n+step-1)/step)
	}
	var a Axis
	var lengths []int
	for sum := 0; sum < n || rapid.Bool().Draw(t, "more"); {
		r := Run{rapid.IntRange(1, 9).Draw(t, "length"), rapid.IntRange(0, 4).Draw(t, "count")}
		a.Runs = append(a.Runs, r)
		lengths = append(lengths, slices.Repeat([]int{r.Length}, max(r.Count, 1))...)
		sum += r.Length * max(r.Count, 1)
	}
	return a, lengths
}

// checkAxis compares an axis of a grid with the list of its chunk lengths.
func checkAxis(t *rapid.T, g Grid, axis, n int, lengths []int) {
	start, count := 0, 0
	for i, length := range lengths {
		if start >= n {
			break
		}
		count++
		if s, l := g.Span(axis, i); s != start || l != length {
			t.Fatalf("chunk %d is %d+%d, want %d+%d", i, s, l, start, length)
		}
		for pos := start; pos < min(start+length, n); pos++ {
			if got := g.Find(axis, pos); got != i {
				t.Fatalf("element %d in chunk %d, want %d", pos, got, i)
			}
		}
		start += length
	}
	if g.Count()[axis] != count {
		t.Fatalf("count %v, want %d", g.Count(), count)
	}
}

func TestGridsAgreeWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 3).Draw(t, "shape")
		axes, lengths, steps := make([]Axis, len(shape)), make([][]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			axes[i], lengths[i] = drawAxis(t, n)
			steps[i] = max(axes[i].Step, 1)
		}
		g, err := NewRectilinear(shape, axes)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := g.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Default().Parse(raw, shape)
		if err != nil || (len(shape) > 0 && !sameAxes(again.(*Rectilinear).Axes(), axes)) {
			t.Fatalf("%s: %v", raw, err)
		}
		for i, n := range shape {
			checkAxis(t, again, i, n, lengths[i])
		}
		regular, err := NewRegular(shape, steps)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range shape {
			checkAxis(t, regular, i, n, slices.Repeat([]int{steps[i]}, n+1))
		}
	})
}

func sameAxes(a, b []Axis) bool {
	return slices.EqualFunc(a, b, func(x, y Axis) bool { return x.Step == y.Step && slices.Equal(x.Runs, y.Runs) })
}

func TestResizeKeepsChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 40).Draw(t, "old"), rapid.IntRange(0, 99).Draw(t, "new")
		a, lengths := drawAxis(t, n)
		g, err := NewRectilinear([]int{n}, []Axis{a})
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.Resize([]int{m})
		if err != nil {
			t.Fatal(err)
		}
		checkAxis(t, r, 0, m, append(lengths, slices.Repeat([]int{lengths[len(lengths)-1]}, m)...))
		back, err := r.Resize([]int{n})
		if err != nil {
			t.Fatal(err)
		}
		checkAxis(t, back, 0, n, lengths)
	})
}

func TestResize(t *testing.T) {
	g, err := NewRectilinear([]int{6, 6, 0}, []Axis{{Runs: []Run{{4, 0}, {3, 0}}}, {Runs: []Run{{3, 2}}}, {}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Resize([]int{8, 12, 0})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := r.MarshalJSON()
	if want := `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[4,3,3],[[3,4]],[]]}}`; string(raw) != want {
		t.Errorf("got %s", raw)
	}
	for _, shape := range [][]int{{6, 6, 1}, {6, 6}, {-1, 6, 0}, {6, math.MaxInt, 0}} {
		if _, err := g.Resize(shape); err == nil {
			t.Errorf("%v accepted", shape)
		}
	}
	regular, err := NewRegular([]int{6}, []int{4})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := regular.Resize([]int{9}); err != nil || !reflect.DeepEqual(r.Count(), []int{3}) {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := regular.Resize([]int{9, 1}); err == nil {
		t.Error("other rank accepted")
	}
}

func TestLongRunsTakeNoMemory(t *testing.T) {
	raw := json.RawMessage(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[2,4611686018427387903]]]}}`)
	g, err := Default().Parse(raw, []int{math.MaxInt - 1})
	if err != nil {
		t.Fatal(err)
	}
	if i := g.Find(0, math.MaxInt-2); i != math.MaxInt/2-1 {
		t.Errorf("got %d", i)
	}
	if n := testing.AllocsPerRun(10, func() { g.Find(0, 1<<60); g.Span(0, 1<<60); g.Count() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRegistry(t *testing.T) {
	r := NewRegistry()
	r.RegisterGrid("one", func(_ json.RawMessage, shape []int) (Grid, error) { return NewRegular(shape, shape) })
	r.RegisterKeys("mine", func(json.RawMessage) (Keys, error) { return V2Keys{'/'}, nil })
	if g, err := r.Parse(json.RawMessage(`"one"`), []int{5}); err != nil || g.Count()[0] != 1 {
		t.Errorf("got %v, %v", g, err)
	}
	if k, err := r.ParseKeys(json.RawMessage(`{"name":"mine"}`)); err != nil || k != (V2Keys{'/'}) {
		t.Errorf("got %v, %v", k, err)
	}
	if _, err := Default().ParseKeys(json.RawMessage(`"mine"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("name registered twice")
		}
	}()
	r.RegisterGrid("regular", parseRegular)
}

func TestLongest(t *testing.T) {
	for _, c := range []struct {
		text        string
		shape, want []int
	}{
		{`{"name":"regular","configuration":{"chunk_shape":[4,5]}}`, []int{9, 0}, []int{4, 5}},
		{`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[4,5,7]}}`, []int{9, 3, 0}, []int{4, 3, 1}},
		// Runs behind the end of the array have no part in it.
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,3,2,9],[],7]}}`, []int{6, 0, 20}, []int{3, 1, 7}},
		// These are more than could be looked at.
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[1,1099511627776],2]]}}`, []int{1<<40 + 2}, []int{2}},
		{`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[2]}}`, []int{1<<40 + 1}, []int{2}},
	} {
		g, err := Default().Parse(json.RawMessage(c.text), c.shape)
		if err != nil {
			t.Fatal(err)
		}
		if got := Longest(g); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v", c.text, got)
		}
	}
}
