package stats

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Buckets counts numbers by their sign, power of two and first eight bits after the
// point. In JSON they are a list of pairs: the number of the bucket and the count.
type Buckets struct {
	pages  map[int]*page // by sign and power of two
	last   *page         // what was asked for last, which is likely to be wanted again
	lastAt int           // its place in pages
}

type page [256]int64

// A bucket's number is the upper bits of the float64: order is that of the numbers
// for those above zero, and the reverse below.
const lowBits = 52 - 8

func (b *Buckets) add(v float64, n int64) {
	key := math.Float64bits(v) >> lowBits
	if v == 0 {
		key = 0 // also for -0
	}
	b.page(int(key >> 8))[key&255] += n
}

func (b *Buckets) page(k int) *page {
	if b.last != nil && b.lastAt == k {
		return b.last
	}
	p := b.pages[k]
	if p == nil {
		p = new(page)
		if b.pages == nil {
			b.pages = map[int]*page{}
		}
		b.pages[k] = p
	}
	b.last, b.lastAt = p, k
	return p
}

func (b *Buckets) merge(c *Buckets) {
	for k, p := range c.pages {
		mine := b.page(k)
		for i, n := range p {
			mine[i] += n
		}
	}
}

// all yields the middle of every bucket that holds something, in order, with its
// count.
func (b *Buckets) all() iter.Seq2[float64, int64] {
	return func(yield func(float64, int64) bool) {
		var keys []int
		for k, p := range b.pages {
			for i, n := range p {
				if n > 0 {
					keys = append(keys, k<<8|i)
				}
			}
		}
		slices.SortFunc(keys, func(x, y int) int { return order(x) - order(y) })
		for _, k := range keys {
			if !yield(middle(k), b.pages[k>>8][k&255]) {
				return
			}
		}
	}
}

const signBit = 1 << 19

// order sorts buckets as their numbers.
func order(k int) int {
	if k >= signBit {
		return signBit - 1 - k
	}
	return k
}

func middle(k int) float64 {
	low := math.Float64frombits(uint64(k) << lowBits)
	if math.IsInf(low, 0) || k&(signBit-1) == 0 {
		return low
	}
	high := math.Float64frombits(uint64(k+1)<<lowBits - 1)
	return low/2 + high/2
}

// at is the bucket of the k-th number in order.
func (b *Buckets) at(k int64) float64 {
	for v, n := range b.all() {
		if k < n {
			return v
		}
		k -= n
	}
	return math.NaN()
}

// MarshalJSON lists the buckets that hold something.
func (b Buckets) MarshalJSON() ([]byte, error) {
	out := [][2]int64{}
	for k, p := range b.pages {
		for i, n := range p {
			if n > 0 {
				out = append(out, [2]int64{int64(k<<8 | i), n})
			}
		}
	}
	slices.SortFunc(out, func(x, y [2]int64) int { return int(x[0] - y[0]) })
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Buckets) UnmarshalJSON(text []byte) error {
	var list [][2]int64
	if json.Unmarshal(text, &list) != nil {
		return errors.New("buckets are no list of pairs of numbers")
	}
	*b = Buckets{}
	for _, pair := range list {
		if pair[0] < 0 || pair[0] >= 2*signBit || pair[1] < 0 {
			return errors.New("a bucket that does not exist, or a count below zero")
		}
		b.page(int(pair[0] >> 8))[pair[0]&255] += pair[1]
	}
	return nil
}

// Float is a number whose JSON may also be "NaN", "Infinity" or "-Infinity".
type Float float64

// MarshalJSON spells the number so that it stays the same.
func (f Float) MarshalJSON() ([]byte, error) {
	v := float64(f)
	switch {
	case v != v:
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Float) UnmarshalJSON(text []byte) error {
	var v float64
	var name string
	if json.Unmarshal(text, &name) == nil {
		text = []byte(name)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return errors.New("no number")
	}
	*f = Float(v)
	return nil
}

// text spells a number so that every bit is kept.
func text[T Value](v T) string {
	switch v := any(v).(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	}
	switch f := float64(v); {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	default:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
}

// number is a number that text spelled.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func integer(s string) *big.Int {
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return new(big.Int)
	}
	return v
}
