package stats

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
)

// Counts says how often each value occurs, as long as there are not too many
// different ones: then it is lost, and the buckets have to do. The zero value counts
// none. In JSON it is a list of pairs, the value and how often, or null if it is lost.
type Counts struct {
	lost   bool
	values []float64 // in order
	counts []int64
	total  int64
}

const (
	// mostExact is how many different values are told apart at most.
	mostExact = 1 << 21
	// mostFound is how many different integers are looked for in a block whose values
	// lie far from each other.
	mostFound = 1 << 16
	// mostDense is the width of a range in which every integer has a counter.
	mostDense = 1 << 17
)

func (c *Counts) lose() { *c = Counts{lost: true} }

func (c *Counts) push(v float64, n int64) {
	if k := len(c.values); k > 0 && c.values[k-1] == v { // integers that are one float64
		c.counts[k-1] += n
	} else {
		c.values, c.counts = append(c.values, v), append(c.counts, n)
	}
	c.total += n
}

// countIntegers counts values between the least and the largest.
func countIntegers[T Value](values []T, least, most T) (c Counts) {
	if width := most - least; width >= 0 && width < mostDense { // below zero it has overflowed
		dense := make([]int64, int(width)+1)
		for _, v := range values {
			dense[int(v-least)]++
		}
		for i, n := range dense {
			if n > 0 {
				c.push(float64(least+T(i)), n)
			}
		}
		return c
	}
	found := map[T]int64{}
	for from := 0; from < len(values); {
		to := from + 1
		for to < len(values) && values[to] == values[from] {
			to++
		}
		found[values[from]] += int64(to - from)
		if len(found) > mostFound {
			c.lose()
			return c
		}
		from = to
	}
	keys := make([]T, 0, len(found))
	for v := range found {
		keys = append(keys, v)
	}
	slices.Sort(keys)
	for _, v := range keys {
		c.push(float64(v), found[v])
	}
	return c
}

// countFloats counts values that are numbers.
func countFloats[T Value](values []T) (c Counts) {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if v == v {
			sorted = append(sorted, float64(v))
		}
	}
	slices.Sort(sorted)
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		c.push(sorted[from], int64(to-from))
		from = to
	}
	return c
}

func (c *Counts) merge(d *Counts) {
	switch {
	case c.lost || d.lost:
		c.lose()
		return
	case len(d.values) == 0:
		return
	case len(c.values) == 0:
		*c = *d
		return
	}
	out := Counts{values: make([]float64, 0, len(c.values)+len(d.values)), counts: make([]int64, 0, len(c.values)+len(d.values))}
	for i, k := 0, 0; i < len(c.values) || k < len(d.values); {
		if k == len(d.values) || i < len(c.values) && c.values[i] <= d.values[k] {
			out.push(c.values[i], c.counts[i])
			i++
		} else {
			out.push(d.values[k], d.counts[k])
			k++
		}
	}
	if *c = out; len(c.values) > mostExact {
		c.lose()
	}
}

// all yields the values in order, each with its count.
func (c *Counts) all() iter.Seq2[float64, int64] {
	return func(yield func(float64, int64) bool) {
		for i, v := range c.values {
			if !yield(v, c.counts[i]) {
				return
			}
		}
	}
}

// at is the k-th number in order.
func (c *Counts) at(k int64) float64 {
	for i, n := range c.counts {
		if k < n {
			return c.values[i]
		}
		k -= n
	}
	return math.NaN()
}

// MarshalJSON lists the values with their counts.
func (c Counts) MarshalJSON() ([]byte, error) {
	if c.lost {
		return []byte("null"), nil
	}
	out := make([][2]any, len(c.values))
	for i, v := range c.values {
		out[i] = [2]any{Float(v), c.counts[i]}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Counts) UnmarshalJSON(text []byte) error {
	*c = Counts{}
	if string(text) == "null" {
		c.lost = true
		return nil
	}
	var list [][2]json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return errors.New("counts are no list of pairs of numbers")
	}
	for i, pair := range list {
		var v Float
		var n int64
		if v.UnmarshalJSON(pair[0]) != nil || json.Unmarshal(pair[1], &n) != nil || n < 1 || n > math.MaxInt64-c.total ||
			v != v || i > 0 && float64(v) <= c.values[i-1] {
			return errors.New("counts are no ascending numbers with how often each is there")
		}
		c.push(float64(v), n)
	}
	return nil
}
