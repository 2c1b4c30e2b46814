package stats

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Summary is what people want to know of an array, also as JSON.
type Summary struct {
	Count int64 `json:"count"` // elements, with NaN
	// Min and Max are "" if there are no numbers, null in JSON.
	Min  Number `json:"min"`
	Max  Number `json:"max"`
	Mean Float  `json:"mean"` // NaN if there are no numbers, as is Std
	Std  Float  `json:"std"`
	NaN  int64  `json:"nan"`
	Fill int64  `json:"fill"`
	// Percentiles are by their number: "50" is the median.
	Percentiles map[string]Float `json:"percentiles"`
	// Error is by what part of their size percentiles may be wrong, 0 if they are exact.
	Error     Float     `json:"percentile_error"`
	Histogram Histogram `json:"histogram"`
	// Missing is how many chunks are not stored, nil if nobody knows.
	Missing *int64 `json:"missing_chunks"`
}

// Histogram is bins of equal width and how many numbers fall into each.
type Histogram struct {
	Edges  []float64 `json:"edges"`
	Counts []int64   `json:"counts"`
}

// Percentiles are those that a Summary has.
var Percentiles = []float64{1, 5, 25, 50, 75, 95, 99}

// Summary sums up, with a histogram of so many bins.
func (p *Partial) Summary(bins int) Summary {
	s := Summary{Count: p.Count, Min: Number(p.Min), Max: Number(p.Max), Mean: p.Mean, Std: Float(p.Std()), NaN: p.NaN, Fill: p.Fill,
		Missing: p.Missing, Percentiles: map[string]Float{}}
	if p.numbers() == 0 {
		s.Mean = Float(math.NaN())
	}
	if !p.Exact() {
		s.Error = 1.0 / 512
	}
	for _, q := range Percentiles {
		s.Percentiles[strconv.FormatFloat(q, 'g', -1, 64)] = Float(p.Percentile(q))
	}
	if s.Histogram.Edges, s.Histogram.Counts = p.Histogram(bins); s.Histogram.Edges == nil {
		s.Histogram = Histogram{[]float64{}, []int64{}}
	}
	return s
}

// Number is the text of a number with every digit that it has, or "Infinity" or
// "-Infinity". Its JSON is a number, or those words as a string.
type Number string

// Float64 gives the number as nearly as a float64 has it, NaN for "".
func (n Number) Float64() float64 { return number(string(n)) }

// MarshalJSON spells the number so that it stays the same, null for none.
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := n.Float64(); {
	case n == "":
		return []byte("null"), nil
	case v-v != 0:
		return json.Marshal(string(n))
	}
	return json.Marshal(json.Number(n))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	s := strings.Trim(string(text), `"`)
	if s == "null" {
		s = ""
	} else if v := number(s); v != v {
		return errors.New("no number")
	}
	*n = Number(s)
	return nil
}
