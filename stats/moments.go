package stats

import (
	"cmp"
	"math"
	"slices"
)

// Moments are the mean and the squared distances from it of runs of blocks. What is
// joined of floats depends on the order, unless that is always the same: a run is joined
// with its neighbour when both are halves of a longer one that begins at a multiple of its
// length, and with no other. So parts of an array give what the whole gives, however it
// was cut, in which order ever they are merged.
type Moments []Moment

// Moment is that of a run.
type Moment struct {
	First  int   `json:"first"`  // block
	Blocks int   `json:"blocks"` // a power of two
	Count  int64 `json:"count"`  // of numbers
	Mean   Float `json:"mean"`
	M2     Float `json:"m2"`
}

// join is the moment of two runs.
func (x Moment) join(y Moment) Moment {
	n, m := float64(x.Count), float64(y.Count)
	out := Moment{First: x.First, Blocks: x.Blocks + y.Blocks, Count: x.Count + y.Count}
	switch {
	case m == 0:
		out.Mean, out.M2 = x.Mean, x.M2
	case n == 0:
		out.Mean, out.M2 = y.Mean, y.M2
	case x.Mean-x.Mean != 0 || y.Mean-y.Mean != 0: // infinities, or NaN of both
		out.Mean, out.M2 = x.Mean+y.Mean, Float(math.NaN())
	default:
		d := float64(y.Mean - x.Mean)
		out.Mean = x.Mean + Float(d*(m/(n+m)))
		out.M2 = x.M2 + y.M2 + Float(d*d*(n/(n+m))*m)
	}
	return out
}

// merge takes up the runs of another part; none and other say that either has no elements.
// There are none if a part does not know its own, or if both have the same.
func (m Moments) merge(other Moments, none, otherNone bool) Moments {
	if other == nil && !otherNone || m == nil && !none {
		return nil
	}
	all := slices.Concat(m, other)
	slices.SortStableFunc(all, func(x, y Moment) int { return cmp.Compare(x.First, y.First) })
	var out Moments
	for _, next := range all {
		if len(out) > 0 && out[len(out)-1].end() > next.First {
			return nil
		}
		out = append(out, next)
		for len(out) > 1 && out[len(out)-2].half(out[len(out)-1]) {
			joined := out[len(out)-2].join(out[len(out)-1])
			out = append(out[:len(out)-2], joined)
		}
	}
	return out
}

func (x Moment) end() int { return x.First + x.Blocks }

// half reports whether two runs are the halves of one.
func (x Moment) half(y Moment) bool {
	return x.Blocks == y.Blocks && x.end() == y.First && x.First%(2*x.Blocks) == 0
}

// all is the moment of all runs, in order.
func (m Moments) all() (out Moment) {
	for _, next := range m {
		out = out.join(next)
	}
	return out
}
