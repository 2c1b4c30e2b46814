package rows

import (
	"context"
	"math"
)

// Curves are samples over time that can be drawn.
type Curves struct {
	Title  string
	Column string // that they are of, in a table
	// Alone says that they are best seen so: there is one, of numbers.
	Alone bool
	// Read sums up all samples in a number of places between the first time and the
	// last.
	Read func(ctx context.Context, places int) (*Drawing, error)
}

// Drawing is what there is to draw: traces, or ticks.
type Drawing struct {
	From, To float64 // the first time and the last, or position
	Unit     string  // of these, such as "s"; may be empty
	Traces   []Trace
	Channels []int // their numbers, nil if there is one without
	More     int   // channels or rows that were left out
	Ticks    []Ticks
}

// Ticks are how many events of one row are in every place.
type Ticks struct {
	Name   string
	Counts []int
}

// Trace is what a channel has between two places of a plot: the least and the
// greatest value in every place, NaN where there is none.
type Trace struct{ Low, High []float64 }

// NewTrace gives an empty one of n places.
func NewTrace(n int) Trace {
	t := Trace{make([]float64, n), make([]float64, n)}
	for i := range n {
		t.Low[i], t.High[i] = math.NaN(), math.NaN()
	}
	return t
}

// Add adds a value at a place. What is no finite number is passed over.
func (t Trace) Add(at int, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if !(t.Low[at] <= v) {
		t.Low[at] = v
	}
	if !(t.High[at] >= v) {
		t.High[at] = v
	}
}

// Bounds are the least and the greatest value of all; ok is false without any.
func (t Trace) Bounds() (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range t.Low {
		if !math.IsNaN(t.Low[i]) {
			low, high, ok = min(low, t.Low[i]), max(high, t.High[i]), true
		}
	}
	return low, high, ok
}

// Join fills places without values by a line between their neighbours, and makes
// places touch each other.
func (t Trace) Join() {
	last := -1
	for i := range t.Low {
		if math.IsNaN(t.Low[i]) {
			continue
		}
		if last >= 0 && last < i-1 {
			from, to := (t.Low[last]+t.High[last])/2, (t.Low[i]+t.High[i])/2
			for k := last + 1; k < i; k++ {
				v := from + (to-from)*float64(k-last)/float64(i-last)
				t.Low[k], t.High[k] = v, v
			}
		}
		last = i
	}
	for i := 1; i < len(t.Low); i++ {
		if t.Low[i] > t.High[i-1] {
			t.Low[i] = t.High[i-1]
		} else if t.High[i] < t.Low[i-1] {
			t.High[i] = t.Low[i-1]
		}
	}
}

// quadrants are the characters for four dots: upper left is 1, upper right 2, lower
// left 4, lower right 8.
var quadrants = []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")

// Draw draws the trace in lines of characters, two dots wide and high each.
func (t Trace) Draw(low, high float64, lines int) []string {
	dots := 2 * lines
	row := func(v float64) int { // of dots, from the top
		if high == low {
			return lines
		}
		return min(max(int((high-v)/(high-low)*float64(dots-1)+0.5), 0), dots-1)
	}
	out := make([][]int, lines)
	for i := range out {
		out[i] = make([]int, (len(t.Low)+1)/2)
	}
	for x := range t.Low {
		if math.IsNaN(t.Low[x]) {
			continue
		}
		for y := row(t.High[x]); y <= row(t.Low[x]); y++ {
			out[y/2][x/2] |= 1 << (x%2 + 2*(y%2))
		}
	}
	text := make([]string, lines)
	for i, line := range out {
		r := make([]rune, len(line))
		for x, bits := range line {
			r[x] = quadrants[bits]
		}
		text[i] = string(r)
	}
	return text
}
