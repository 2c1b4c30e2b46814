// Package stats computes statistics of arrays in one pass, in parallel and in little
// memory.
//
// Of gives a Partial, which holds everything in a form that can be joined with that
// of another part of the data and stored as JSON; its Summary is what people read.
//
//   - Count, least and largest value, the sum of integers: exact.
//   - Mean and deviation: the sums of blocks in two passes over each block, joined by
//     Chan's formula, so that large offsets do not cancel. The mean of integers is
//     that of their exact sum.
//   - Percentiles and the histogram: exact, as NumPy has them, as long as there are not
//     too many different values: up to two million elements, and integers that are few
//     or lie close to each other, such as all those of 16 bits. Otherwise values are
//     counted in buckets of a width of 1/256 of their power of two, so that each is
//     known to within 1/512, or 0.2 %, of its size.
//
// NaN is counted and left out of everything else.
package stats

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Options says how to go over an array; the zero value is fine.
type Options struct {
	// Select restricts the statistics to a selection.
	Select zarr.Selection
	// Stored takes the numbers as they are stored. Otherwise packed ones, which have a
	// scale or an offset by CF, are those that they stand for, and missing ones are NaN;
	// Fill counts what is stored even so.
	Stored bool
	// Part and Of, Workers, Memory and Progress are those of zarr.BlockOptions: the parts
	// of an array, merged in any order, are the same as the whole, to the last bit.
	Part, Of int
	Workers  int
	Memory   int64
	Progress func(done, total int)
}

// Of computes the statistics of an array of real numbers or booleans.
func Of(ctx context.Context, a *zarr.Array, opt Options) (*Partial, error) {
	if opt.Select == nil {
		opt.Select = zarr.All()
	}
	fill := a.FillValue()
	var p *Partial
	var err error
	t := a.DataType()
	d, packed := cf.Of(a)
	switch k := t.Kind(); {
	case packed && !opt.Stored && d.Kind() == cf.Numbers && unpackers[t.Name()] != nil:
		p, err = unpackers[t.Name()](ctx, a, opt, d)
	case k == dtype.Int:
		p, err = of(ctx, a, opt, signed(fill))
	case k == dtype.Bool, k == dtype.Uint:
		p, err = of(ctx, a, opt, uint64(wide(fill)))
	case k == dtype.Float:
		f, _ := dtype.FormatOf(t)
		p, err = of(ctx, a, opt, f.Decode(uint64(wide(fill))))
	default:
		err = &zarr.Error{Op: "compute statistics of", URL: a.URL(), Err: notNumbers(t.Name())}
	}
	switch {
	case err != nil:
	case opt.Part <= 1: // one of the parts counts for all
		err = p.countMissing(ctx, a, opt.Select)
	default:
		p.Missing = new(int64)
	}
	return p, err
}

// Can reports whether elements of a type have statistics.
func Can(t dtype.Type) bool { return isNumber(t.Kind()) }

func isNumber(k dtype.Kind) bool {
	return k == dtype.Bool || k == dtype.Int || k == dtype.Uint || k == dtype.Float
}

func signed(elem []byte) int64 { return wide(elem) << (64 - 8*len(elem)) >> (64 - 8*len(elem)) }

// notNumbers is the error of a data type without order.
type notNumbers string

func (t notNumbers) Error() string { return "elements of " + string(t) + " are no real numbers" }

func (t notNumbers) Is(target error) bool { return target == zarr.ErrType }

// wide is the bits of an element.
func wide(elem []byte) (bits int64) {
	for i, b := range elem {
		bits |= int64(b) << (8 * i)
	}
	return bits
}

func of[T Value](ctx context.Context, a *zarr.Array, opt Options, fill T) (*Partial, error) {
	return reduce(ctx, a, opt, T(1)/2 != 0, func(p *Partial, data []T) { Add(p, data, fill) })
}

// unpackers compute the statistics of what elements of a type stand for.
var unpackers = map[string]func(context.Context, *zarr.Array, Options, *cf.Decoder) (*Partial, error){
	"int8": unpacked[int8], "int16": unpacked[int16], "int32": unpacked[int32], "int64": unpacked[int64],
	"uint8": unpacked[uint8], "uint16": unpacked[uint16], "uint32": unpacked[uint32], "uint64": unpacked[uint64],
	"float32": unpacked[float32], "float64": unpacked[float64],
}

func unpacked[T zarr.Number](ctx context.Context, a *zarr.Array, opt Options, d *cf.Decoder) (*Partial, error) {
	fill := a.FillValue()
	size := len(fill)
	return reduce(ctx, a, opt, true, func(p *Partial, data []T) {
		stored := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
		numbers := make([]float64, len(data))
		d.Floats(numbers, stored)
		Add(p, numbers, math.Inf(1))
		p.Fill = 0
		for i := 0; i < len(stored); i += size {
			if string(stored[i:i+size]) == string(fill) {
				p.Fill++
			}
		}
	})
}

// reduce joins the statistics of all blocks.
func reduce[T zarr.Number](ctx context.Context, a *zarr.Array, opt Options, floats bool, add func(p *Partial, data []T)) (*Partial, error) {
	shape, err := a.ResultShape(opt.Select)
	if err != nil {
		return nil, err
	}
	n, ok := nd.Len(shape)
	// Whether values are counted one by one: other blocks need not if one cannot.
	var lost atomic.Bool
	lost.Store((!ok || n > mostExact) && floats)
	blocks := zarr.BlockOptions{Select: opt.Select, Part: opt.Part, Of: opt.Of, Workers: opt.Workers, Memory: opt.Memory, Progress: opt.Progress}
	p, err := zarr.ReduceBlocks(ctx, a, blocks, func(_ context.Context, b *zarr.Block[T]) (*Partial, error) {
		p := &Partial{Counts: Counts{lost: lost.Load()}}
		if add(p, b.Data); p.Counts.lost {
			lost.Store(true)
		}
		p.Moments = Moments{{b.Number, 1, p.numbers(), p.Mean, p.M2}}
		return p, nil
	}, func(x, y *Partial) *Partial {
		x.Merge(y)
		return x
	})
	if err != nil {
		return nil, err
	}
	if p == nil { // of no elements
		p = &Partial{}
	}
	return p, nil
}

// countMissing counts the chunks that are not stored, of those that a selection
// takes something of, where the store can list.
func (p *Partial) countMissing(ctx context.Context, a *zarr.Array, sel zarr.Selection) error {
	g := a.Metadata().Grid
	wanted := make([]map[int]bool, len(a.Shape())) // chunks along every axis, nil for all
	count := slices.Clone(g.Count())
	axes, err := zarr.Resolve(sel, a.Shape())
	if err != nil {
		return nil // a selection by names, or one of chunks
	}
	for i, axis := range axes {
		if axis.Count == a.Shape()[i] {
			continue
		}
		wanted[i] = map[int]bool{}
		for k := range axis.Count {
			wanted[i][g.Find(i, axis.At(k))] = true
		}
		count[i] = len(wanted[i])
	}
	total, ok := nd.Len(count)
	if !ok {
		return nil
	}
stored:
	for c, err := range a.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, k := range c.Index {
			if wanted[i] != nil && !wanted[i][k] {
				continue stored
			}
		}
		total--
	}
	missing := int64(total)
	p.Missing = &missing
	return nil
}

// Value is a type in which numbers are added up: integers keep every bit.
type Value interface{ int64 | uint64 | float64 }

// Partial is the statistics of a part of the data. The zero value is that of none.
type Partial struct {
	Count int64 `json:"count"` // elements, with NaN
	NaN   int64 `json:"nan"`
	Fill  int64 `json:"fill"` // elements that have the fill value
	// Missing is the number of chunks that are not stored, nil if nobody knows.
	Missing *int64 `json:"missing_chunks,omitempty"`
	// Min and Max are numbers as text, so that 64 bits are exact, "Infinity" and
	// "-Infinity" among them; "" if there are none.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
	// MinFinite and MaxFinite are the same without infinities.
	MinFinite string `json:"min_finite,omitempty"`
	MaxFinite string `json:"max_finite,omitempty"`
	// Sum is the exact sum of integers, as text; "" for floats.
	Sum string `json:"sum,omitempty"`
	// Mean and M2, the sum of squared distances from it.
	Mean Float `json:"mean"`
	M2   Float `json:"m2"`
	// Moments are those of runs of blocks, if it is known which they are.
	Moments Moments `json:"moments,omitempty"`
	// Counts is how often each value occurs, unless there are too many different ones.
	Counts Counts `json:"counts"`
	// Buckets is how often values fall into each bucket.
	Buckets Buckets `json:"buckets"`
}

// Exact reports whether percentiles and the histogram are exact.
func (p *Partial) Exact() bool { return !p.Counts.lost && p.Counts.total == p.numbers() }

// numbers is how many elements are not NaN.
func (p *Partial) numbers() int64 { return p.Count - p.NaN }

// Add takes values up, of which those that equal fill, also by being NaN both, are
// counted as such.
func Add[T Value](p *Partial, values []T, fill T) {
	q := Partial{Count: int64(len(values))}
	var least, most T
	first := true
	var hi, lo uint64 // 128 bits of the sum
	sum, isFloat := 0.0, T(1)/2 != 0
	for _, v := range values {
		if v == fill || v != v && fill != fill {
			q.Fill++
		}
		if v != v {
			q.NaN++
			continue
		}
		if first {
			least, most, first = v, v, false
		}
		least, most = min(least, v), max(most, v)
		if isFloat {
			sum += float64(v)
			continue
		}
		high := uint64(0)
		if v < 0 {
			high = math.MaxUint64
		}
		old := lo
		lo += uint64(v)
		hi += high
		if lo < old {
			hi++
		}
	}
	n := q.numbers()
	switch {
	case p.Counts.lost:
		q.Counts.lose()
	case isFloat && len(values) > mostExact:
		q.Counts.lose()
	case isFloat:
		q.Counts = countFloats(values)
	default:
		q.Counts = countIntegers(values, least, most)
	}
	if q.Counts.lost {
		for _, v := range values {
			if v == v {
				q.Buckets.add(float64(v), 1)
			}
		}
	}
	for i, v := range q.Counts.values {
		q.Buckets.add(v, q.Counts.counts[i])
	}
	if n > 0 {
		if !isFloat {
			total := new(big.Int).Lsh(big.NewInt(int64(hi)), 64)
			total.Add(total, new(big.Int).SetUint64(lo))
			q.Sum = total.String()
			sum, _ = new(big.Float).SetInt(total).Float64()
		}
		mean := sum / float64(n)
		if isFloat && math.IsInf(sum, 0) && !math.IsInf(float64(least), 0) && !math.IsInf(float64(most), 0) {
			mean = 0 // the sum was too large, and the mean is not
			for _, v := range values {
				if v == v {
					mean += float64(v) / float64(n)
				}
			}
		}
		m2, rest := 0.0, 0.0
		for _, v := range values {
			if v == v {
				d := float64(v) - mean
				m2 += d * d
				rest += d
			}
		}
		q.Mean, q.M2 = Float(mean), Float(max(m2-rest*rest/float64(n), 0))
		if m2 != m2 {
			q.M2 = Float(m2)
		}
		q.Min, q.Max = text(least), text(most)
		q.MinFinite, q.MaxFinite = q.Min, q.Max
		if math.IsInf(float64(least), 0) || math.IsInf(float64(most), 0) {
			q.MinFinite, q.MaxFinite = finite(values)
		}
	}
	p.Merge(&q)
}

// finite gives the least and the largest of the values that are, "" if none is.
func finite[T Value](values []T) (least, most string) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v := float64(v); v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return "", ""
	}
	return text(lo), text(hi)
}

// Merge takes up the statistics of another part, of which nil is none. For floats it
// is exact but for rounding, whichever the order.
func (p *Partial) Merge(q *Partial) {
	if q == nil {
		return
	}
	n, m := float64(p.numbers()), float64(q.numbers())
	moments := p.Moments.merge(q.Moments, p.Count == 0, q.Count == 0)
	switch {
	case m == 0:
	case n == 0:
		p.Mean, p.M2, p.Sum = q.Mean, q.M2, q.Sum
	case p.Mean-p.Mean != 0 || q.Mean-q.Mean != 0: // infinities, or NaN of both
		p.Mean, p.M2, p.Sum = p.Mean+q.Mean, Float(math.NaN()), ""
	default:
		d := float64(q.Mean - p.Mean)
		p.M2 += q.M2 + Float(d*d*(n/(n+m))*m)
		p.Mean += Float(d * (m / (n + m)))
		if p.Sum != "" && q.Sum != "" {
			total := new(big.Int).Add(integer(p.Sum), integer(q.Sum))
			p.Sum = total.String()
			mean, _ := new(big.Rat).SetFrac(total, big.NewInt(p.numbers()+q.numbers())).Float64()
			p.Mean = Float(mean)
		} else {
			p.Sum = ""
		}
	}
	p.Min, p.MinFinite = first(p.Min, q.Min, -1), first(p.MinFinite, q.MinFinite, -1)
	p.Max, p.MaxFinite = first(p.Max, q.Max, 1), first(p.MaxFinite, q.MaxFinite, 1)
	switch {
	case q.Missing != nil && p.Missing != nil:
		both := *p.Missing + *q.Missing
		p.Missing = &both
	case p.Count == 0:
		p.Missing = q.Missing
	case q.Count > 0:
		p.Missing = nil
	}
	if !p.Exact() || !q.Exact() {
		p.Counts.lose()
	}
	if p.Moments = moments; p.Moments != nil {
		all := p.Moments.all()
		if p.M2 = all.M2; p.Sum == "" {
			p.Mean = all.Mean
		}
	}
	p.Count, p.NaN, p.Fill = p.Count+q.Count, p.NaN+q.NaN, p.Fill+q.Fill
	p.Counts.merge(&q.Counts)
	p.Buckets.merge(&q.Buckets)
}

// Percentile is the value that q percent of the numbers do not exceed; NaN if there
// are no numbers. It lies at the position q/100·(n-1) of the sorted numbers, between
// two of them by linear interpolation, as NumPy's does. Unless p is Exact, these two
// are known to within 1/512 of their size.
func (p *Partial) Percentile(q float64) float64 {
	n := p.numbers()
	if n == 0 || !(q >= 0 && q <= 100) {
		return math.NaN()
	}
	at := q / 100 * float64(n-1)
	k := min(int64(at), n-1)
	low := p.sorted(k)
	high, part := low, at-float64(k)
	if part > 0 && k+1 < n {
		high = p.sorted(k + 1)
	}
	switch {
	case low == high:
		return low
	case part < 0.5:
		return low + (high-low)*part
	}
	return high - (high-low)*(1-part)
}

// sorted is the k-th number in order.
func (p *Partial) sorted(k int64) float64 {
	if p.Exact() {
		return p.Counts.at(k)
	}
	v := p.Buckets.at(k)
	if p.Sum != "" {
		v = math.Trunc(v) // buckets of small integers hold just one
	}
	return min(max(v, number(p.Min)), number(p.Max))
}

// Std is the deviation of all the numbers (not of a sample of more). Squares below
// 5e-324 are none, and so one of less than 1e-160 is rounded to that.
func (p *Partial) Std() float64 {
	if p.numbers() == 0 {
		return math.NaN()
	}
	return math.Sqrt(float64(p.M2) / float64(p.numbers()))
}

// Histogram counts finite numbers in bins of equal width from the least of them to
// the largest, which is in the last one; unless p is Exact, a number counts where the
// middle of its bucket lies. It has no bins if there are no such numbers.
func (p *Partial) Histogram(bins int) (edges []float64, counts []int64) {
	if p.MinFinite == "" || bins < 1 {
		return nil, nil
	}
	lo, hi := number(p.MinFinite), number(p.MaxFinite)
	if lo == hi {
		bins = 1
	}
	edges, counts = make([]float64, bins+1), make([]int64, bins)
	for i := range edges {
		part := float64(i) / float64(bins)
		edges[i] = lo*(1-part) + hi*part
	}
	edges[bins] = hi
	all := p.Buckets.all()
	if p.Exact() {
		all = p.Counts.all()
	}
	for v, n := range all {
		if math.IsInf(v, 0) {
			continue
		}
		v = min(max(v, lo), hi)
		k, _ := slices.BinarySearchFunc(edges, v, func(edge, v float64) int {
			if edge <= v {
				return -1
			}
			return 1
		})
		counts[min(max(k-1, 0), bins-1)] += n
	}
	return edges, counts
}

// first gives the one of two numbers that is less, or larger if sign is 1, where ""
// is none.
func first(a, b string, sign int) string {
	if b != "" && (a == "" || compare(b, a) == sign) {
		return b
	}
	return a
}

func compare(a, b string) int {
	x, ok := new(big.Int).SetString(a, 10)
	y, ok2 := new(big.Int).SetString(b, 10)
	if ok && ok2 {
		return x.Cmp(y)
	}
	return cmp.Compare(number(a), number(b))
}
