package series

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/par"
)

// Request is what is to be drawn.
type Request struct {
	From, To float64 // seconds
	Width    int     // pixels
	Channels []int   // their numbers; nil is all
}

// The modes of a view.
const (
	Envelope = "envelope" // the least and the greatest sample of every bin
	Plainly  = "samples"  // the samples
)

// View is what there is to draw.
type View struct {
	Mode     string  `json:"mode"`
	First    int     `json:"first"`    // the number of the first sample
	Step     int     `json:"step"`     // samples in a bin; about, where times are listed
	Bins     int     `json:"bins"`     // how many, or samples
	Channels []int   `json:"channels"` // their numbers
	T0       float64 `json:"t0"`       // when the first bin begins, in seconds
	DT       float64 `json:"dt"`       // how long a bin is
	Listed   bool    `json:"times"`    // whether there is a time for every sample
	// Exact says that all samples were looked at. If not, Covered is the part that was,
	// and the next answer to the same request has more.
	Exact   bool    `json:"exact"`
	Covered float64 `json:"covered"`
	// Ordered is false where listed times do not ascend.
	Ordered bool `json:"ordered"`

	Times  []float64 `json:"-"` // of samples, where they are listed
	Values []float32 `json:"-"` // [channels][bins][2], or [channels][bins]
}

// Header is what the view says besides its numbers, as JSON.
func (v *View) Header() ([]byte, error) { return json.Marshal(v) }

// Append appends the numbers, little-endian: times, then values.
func (v *View) Append(dst []byte) []byte {
	dst = append(dst, numeric.Bytes(v.Times)...)
	return append(dst, numeric.Bytes(v.Values)...)
}

const (
	// MaxWidth is how many pixels a request may have.
	MaxWidth = 1 << 14
	// maxValues is how many values a view may have.
	maxValues = 4 << 20
	// perPixel is how many samples for every pixel are given as such.
	perPixel = 2
)

// View gives what there is to draw. It reads only the chunks that it needs.
func (s *Series) View(ctx context.Context, r Request) (*View, error) {
	if s.array == nil {
		return nil, ErrNone
	}
	if r.Width < 1 || r.Width > MaxWidth || math.IsNaN(r.From) || math.IsNaN(r.To) || r.To < r.From {
		return nil, fmt.Errorf("%w: from %v to %v in a width of %d, which may be 1 to %d", ErrRequest, r.From, r.To, r.Width, MaxWidth)
	}
	if r.Channels == nil {
		r.Channels = make([]int, min(s.channels, maxValues+1))
		for i := range r.Channels {
			r.Channels[i] = i
		}
	}
	for _, c := range r.Channels {
		if c < 0 || c >= s.channels {
			return nil, fmt.Errorf("%w: channel %d of %d", ErrRequest, c, s.channels)
		}
	}
	if n := 2 * (r.Width + 1) * len(r.Channels); n > maxValues || len(r.Channels) > maxValues {
		return nil, fmt.Errorf("%d channels in a width of %d: %w, ask for fewer", len(r.Channels), r.Width, ErrTooLarge)
	}
	start, err := s.clock.first(ctx, r.From, false)
	if err != nil {
		return nil, err
	}
	stop, err := s.clock.first(ctx, r.To, true)
	if err != nil {
		return nil, err
	}
	stop = max(stop, start)
	v := &View{First: start, Step: 1, Channels: r.Channels, Exact: true, Covered: 1, Ordered: true}
	d := &drawing{Series: s, view: v, request: r}
	d.budget.left.Store(s.budget)
	if stop-start <= perPixel*r.Width {
		return v, d.samples(ctx, max(start-1, 0), min(stop+1, s.clock.n))
	}
	return v, d.envelope(ctx, start, stop)
}

// drawing is a view that is being made.
type drawing struct {
	*Series
	view    *View
	request Request
	budget  budget

	mu        [64]sync.Mutex // of the values of channels, by their place
	unordered atomic.Bool
}

// around is the channels from the least to the greatest that is wanted, which are read.
func (d *drawing) around() (from, to int) {
	if len(d.array.Shape()) > 2 {
		return 0, d.channels
	}
	if len(d.request.Channels) == 0 {
		return 0, 0
	}
	return slices.Min(d.request.Channels), slices.Max(d.request.Channels) + 1
}

// scale makes values of a channel those of its unit.
func (s *Series) scale(channel int) (factor, offset float64) {
	factor = s.samples.Scale
	if s.samples.Factors != nil {
		factor *= s.samples.Factors[channel]
	}
	return factor, s.samples.Offset
}

// samples gives samples as they are, and one more on either side.
func (d *drawing) samples(ctx context.Context, start, stop int) error {
	v := d.view
	v.Mode, v.First, v.Bins, v.DT = Plainly, start, stop-start, 1
	v.Values = make([]float32, len(v.Channels)*v.Bins)
	if d.times != nil {
		list, err := d.clock.times(ctx, start, stop)
		if err != nil {
			return err
		}
		v.Listed, v.Times = true, list
		if len(list) > 0 {
			v.T0 = list[0]
		}
		if n := len(list); n > 1 {
			v.DT = (list[n-1] - list[0]) / float64(n-1)
		}
		v.Ordered = slices.IsSorted(list)
	} else {
		v.T0, v.DT = d.clock.start+float64(start)/d.clock.rate, 1/d.clock.rate
	}
	from, to := d.around()
	if stop == start || from == to {
		return nil
	}
	return d.pieces(ctx, start, stop, from, to, func(at int, elems []byte, l layout) error {
		var list []float64
		if d.decode != nil { // which has made numbers of 64 bits of them
			list = numeric.Slice[float64](elems)
		} else {
			list = make([]float64, l.rows*l.channels)
			dtype.Floats(d.array.DataType(), list, elems)
		}
		for k, c := range v.Channels {
			factor, offset := d.scale(c)
			out := v.Values[k*v.Bins+at-start:]
			for i := range l.rows {
				out[i] = float32(list[i*l.row+(c-from)*l.channel]*factor + offset)
			}
		}
		return nil
	})
}

// pieces reads samples piece by piece, as the kernel wants them.
func (d *drawing) pieces(ctx context.Context, start, stop, from, to int, f func(at int, elems []byte, l layout) error) error {
	rows := max(1, partBytes/d.data.bytes/(to-from))
	return d.each(ctx, (stop-start+rows-1)/rows, int64(rows*(to-from)*d.data.bytes), func(i int) error {
		at := start + i*rows
		elems, l, err := d.readBytes(ctx, at, min(at+rows, stop), from, to)
		if err != nil {
			return err
		}
		return f(at, elems, l)
	})
}

// inFlight is how many bytes are held by parts that are read at once.
const inFlight = 512 << 20

// each does so many things, some of them at once.
func (d *drawing) each(ctx context.Context, n int, weight int64, f func(i int) error) error {
	return par.NewLimiter(runtime.GOMAXPROCS(0)-1, inFlight).Run(ctx, n, weight, f)
}

// envelope gives the extremes of bins.
func (d *drawing) envelope(ctx context.Context, start, stop int) error {
	v, width := d.view, d.request.Width
	v.Mode, v.Step = Envelope, (stop-start+width-1)/width
	block := 1
	switch {
	case v.Step >= d.data.coarse:
		block = d.data.coarse
	case v.Step >= d.data.fine:
		block = d.data.fine
	}
	if d.times == nil {
		v.Step = (v.Step + block - 1) / block * block
		v.First = start / v.Step * v.Step
		v.Bins = (stop - v.First + v.Step - 1) / v.Step
		v.T0, v.DT = d.clock.start+float64(v.First)/d.clock.rate, float64(v.Step)/d.clock.rate
		start, stop = v.First, min(v.First+v.Bins*v.Step, d.clock.n)
	} else {
		v.Bins, v.T0 = width, max(d.request.From, -math.MaxFloat64)
		first, last, err := d.ends(ctx, start, stop)
		if err != nil {
			return err
		}
		// What was asked for may be longer than what there is.
		v.T0 = max(v.T0, first)
		v.DT = (min(d.request.To, last) - v.T0) / float64(width)
		if !(v.DT > 0) { // all at one time, or in no order
			v.DT = 1 / float64(width)
		}
	}
	v.Values = make([]float32, len(v.Channels)*v.Bins*2)
	for i := range v.Values {
		v.Values[i] = float32(math.NaN())
	}
	if len(v.Channels) == 0 {
		return nil
	}
	var err error
	if block == 1 {
		err = d.direct(ctx, start, stop)
	} else {
		err = d.blocks(ctx, start, stop, block)
	}
	v.Ordered = !d.unordered.Load()
	return err
}

// ends are the times of the first and of the last sample.
func (d *drawing) ends(ctx context.Context, start, stop int) (first, last float64, err error) {
	if first, err = d.clock.time(ctx, start); err == nil {
		last, err = d.clock.time(ctx, stop-1)
	}
	return first, last, err
}

// bin is the one that a time belongs to, -1 if there is none.
func (v *View) bin(time float64) int {
	at := math.Floor((time - v.T0) / v.DT)
	switch {
	case at == float64(v.Bins) && time <= v.T0+float64(v.Bins)*v.DT*(1+1e-12):
		return v.Bins - 1
	case !(at >= 0) || at >= float64(v.Bins):
		return -1
	}
	return int(at)
}

// add widens a bin of a channel by extremes, which are scaled.
func (v *View) add(channel, bin int, low, high, factor, offset float64) {
	l, h := float32(low*factor+offset), float32(high*factor+offset)
	if factor < 0 {
		l, h = h, l
	}
	at := (channel*v.Bins + bin) * 2
	v.Values[at], v.Values[at+1] = widen(v.Values[at], v.Values[at+1], l, h)
}

// direct looks at every sample.
func (d *drawing) direct(ctx context.Context, start, stop int) error {
	v := d.view
	from, to := d.around()
	return d.pieces(ctx, start, stop, from, to, func(at int, elems []byte, l layout) error {
		bin := func(i int) int { return (at + i - v.First) / v.Step }
		if d.times != nil {
			list, err := d.clock.times(ctx, at, at+l.rows)
			if err != nil {
				return err
			}
			if !slices.IsSorted(list) {
				d.unordered.Store(true)
			}
			bin = func(i int) int { return v.bin(list[i]) }
		}
		raw := make([]byte, l.channels*d.kernel.size())
		pairs, size := d.kernel.pairs(raw), len(elems)/(l.rows*l.channels)
		for i := 0; i < l.rows; {
			n, in := 1, bin(i)
			for i+n < l.rows && bin(i+n) == in {
				n++
			}
			if in >= 0 {
				run := l
				run.rows, run.block = n, n
				d.kernel.run(raw, elems[i*l.row*size:], run)
				for k, c := range v.Channels {
					low, high := pairs.at(c - from)
					d.add(k, in, low, high)
				}
			}
			i += n
		}
		return nil
	})
}

// add widens a bin of a channel.
func (d *drawing) add(k, bin int, low, high float64) {
	factor, offset := d.scale(d.view.Channels[k])
	mu := &d.mu[k%len(d.mu)]
	mu.Lock()
	defer mu.Unlock() // also of a panic, which others would wait behind
	d.view.add(k, bin, low, high, factor, offset)
}

// blocks joins the extremes of blocks. What is too much to be read now is left out,
// evenly.
func (d *drawing) blocks(ctx context.Context, start, stop, block int) error {
	v, p := d.view, d.data
	first, last := start/p.part, (stop-1)/p.part
	wanted := map[int][]int{} // places in the view by groups of channels
	for k, c := range v.Channels {
		wanted[c/p.group] = append(wanted[c/p.group], k)
	}
	var groups []int
	for g := range wanted {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	all := float64(last-first+1) * float64(len(groups))
	parts := spread(last-first+1, max(mostParts/len(groups), 1))
	var seen, missed atomic.Int64
	failed := make(chan error, 1)
	weight := int64(p.part) * int64(p.group) * int64(p.bytes)
	err := d.each(ctx, len(parts)*len(groups), weight, func(i int) error {
		if missed.Load() >= mostMissed {
			return errLater // so are all that follow
		}
		e := extent{first + parts[i/len(groups)], groups[i%len(groups)]}
		err := d.addPart(ctx, e, start, stop, block, wanted[e.group])
		switch {
		case err == nil:
			seen.Add(1)
		case errors.Is(err, errLater):
			missed.Add(1)
			return nil
		default:
			select {
			case failed <- err:
			default:
			}
		}
		return err
	})
	if errors.Is(err, errLater) {
		err = nil
		select {
		case err = <-failed: // of a part that was under way
		default:
		}
	}
	if seen := float64(seen.Load()); seen < all {
		v.Exact, v.Covered = false, seen/all
	}
	return err
}

const (
	// mostParts is how many parts an answer is made of: about 8 TiB of samples.
	mostParts = 1 << 20
	// mostMissed is how many parts that have to be left for later are looked for, since each
	// may be kept. Those that the same request found before come first.
	mostMissed = 4096
)

// spread is the numbers below n, in an order in which any first of them lie evenly; no more
// than so many.
func spread(n, most int) []int {
	shift := 64 - bits.Len(uint(n-1))
	if n < 2 {
		return []int{0}[:n]
	}
	out := make([]int, 0, min(n, most))
	for i := uint64(0); len(out) < cap(out); i++ {
		if k := bits.Reverse64(i) >> shift; k < uint64(n) {
			out = append(out, int(k))
		}
	}
	return out
}

// addPart adds the blocks of a part to the channels that are wanted of it.
func (d *drawing) addPart(ctx context.Context, e extent, start, stop, block int, wanted []int) error {
	v, p := d.view, d.data
	coarse := block == p.coarse
	begin, end, from, _ := p.cut(e)
	blocks := (end - begin + block - 1) / block
	first, last := (max(start, begin)-begin)/block, (min(stop, end)-begin+block-1)/block
	var bins [][2]int // that a block belongs to
	if d.times != nil {
		raw, err := d.times.get(ctx, extent{part: e.part}, coarse, &d.budget)
		if err != nil {
			return err
		}
		times := d.times.kernel.pairs(raw)
		bins = make([][2]int, blocks)
		before := math.Inf(-1)
		for b := first; b < last; b++ {
			from, to := times.at(b)
			bins[b] = [2]int{v.bin(from), v.bin(to)}
			if from < before {
				d.unordered.Store(true)
			}
			before = to
		}
	}
	raw, err := p.get(ctx, e, coarse, &d.budget)
	if err != nil {
		return err
	}
	if bins == nil { // only now: most parts may be left for later
		bins = make([][2]int, blocks)
		for b := first; b < last; b++ {
			at := (begin + b*block - v.First) / v.Step
			bins[b] = [2]int{at, at}
		}
	}
	pairs := p.kernel.pairs(raw)
	for _, k := range wanted {
		c := v.Channels[k] - from
		low, high := pairs.at(c*blocks + first)
		in := bins[first]
		for b := first + 1; b < last; b++ {
			l, h := pairs.at(c*blocks + b)
			if bins[b] == in {
				low, high = widen(low, high, l, h)
				continue
			}
			d.addBoth(k, in, low, high)
			in, low, high = bins[b], l, h
		}
		d.addBoth(k, in, low, high)
	}
	return nil
}

// addBoth widens one bin, or two.
func (d *drawing) addBoth(k int, bins [2]int, low, high float64) {
	for i, bin := range bins {
		if bin >= 0 && (i == 0 || bin != bins[0]) {
			d.add(k, bin, low, high)
		}
	}
}
