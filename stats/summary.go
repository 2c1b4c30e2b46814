package stats

import (
	"encoding/json"
	"strconv"
)

// Summary is what people want to know of an array, also as JSON.
type Summary struct {
	Count int64       `json:"count"`
	Min   json.Number `json:"min,omitempty"`
	Max   json.Number `json:"max,omitempty"`
	Mean  Float       `json:"mean"`
	Std   Float       `json:"std"`
	NaN   int64       `json:"nan"`
	Fill  int64       `json:"fill"`
	// Percentiles are by their number: "50" is the median.
	Percentiles map[string]Float `json:"percentiles"`
	Histogram   Histogram        `json:"histogram"`
	Missing     *int64           `json:"missing_chunks,omitempty"`
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
	s := Summary{Count: p.Count, Min: finite(p.Min), Max: finite(p.Max), Mean: p.Mean, Std: Float(p.Std()), NaN: p.NaN, Fill: p.Fill,
		Missing: p.Missing, Percentiles: map[string]Float{}}
	for _, q := range Percentiles {
		s.Percentiles[strconv.FormatFloat(q, 'g', -1, 64)] = Float(p.Percentile(q))
	}
	s.Histogram.Edges, s.Histogram.Counts = p.Histogram(bins)
	return s
}

// finite is a number as JSON spells it, "" for one that it cannot.
func finite(text string) json.Number {
	if v := number(text); v-v != 0 {
		return ""
	}
	return json.Number(text)
}
