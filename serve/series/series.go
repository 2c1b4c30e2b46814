// Package series makes samples over time ready to be drawn, however many there are: of
// a span of time and a width in pixels it gives the least and the greatest sample for
// every pixel, or the samples themselves where these are few. The extremes of blocks of
// samples are found once, part by part, and kept, so that what was seen before is there
// in no time. Where much is to be read before everything is known, an answer has what
// could be read so far, and the next one more.
package series

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/fresh"
	"github.com/omnizarr/zarr/serve/kept"
)

// ErrNone says that something is no series of numbers.
var ErrNone = errors.New("is no series of numbers")

// ErrTooLarge says that more is asked for than is given at once.
var ErrTooLarge = errors.New("more than is given at once")

// ErrRequest says that what is asked for makes no sense.
var ErrRequest = errors.New("wrong request")

// Options say how a series is read.
type Options struct {
	// Cache keeps what was found out; nil keeps nothing. Key is a name for the samples
	// that changes when they do.
	Cache *kept.Cache
	Key   string
	// Chunks looks at the chunks that samples lie in, so that what is kept goes by them; nil
	// is one of the series' own. TimesKey is a name for the list of times, if there is one,
	// that changes when it does.
	Chunks   *fresh.Chunks
	TimesKey string
	// Budget is how many bytes of samples are read for one answer, 256 MiB if it is 0.
	Budget int64
}

// defaultBudget is read in some tenths of a second.
const defaultBudget = 256 << 20

// Series is samples over time. Its methods may be called by several goroutines.
type Series struct {
	array    *zarr.Array
	axis     int
	channels int
	samples  convention.Samples
	clock    clock
	kernel   kernel
	decode   func(dst []float64, elems []byte) // nil where the kernel takes elements as they are
	key      string
	timesKey string
	cache    *kept.Cache
	chunks   *fresh.Chunks
	budget   int64
	data     *pyramid
	times    *pyramid // nil without a list of times
}

// mostChannels is how many channels a series may have.
const mostChannels = 1 << 20

// New makes samples ready. None are read.
func New(s *convention.Samples, o Options) (*Series, error) {
	if s == nil || s.Array == nil {
		return nil, ErrNone
	}
	a := s.Array
	shape := a.Shape()
	fail := func(format string, args ...any) (*Series, error) {
		return nil, &zarr.Error{Op: "draw", URL: a.URL(), Err: fmt.Errorf(format+": %w", append(args, ErrNone)...)}
	}
	if len(shape) == 0 || len(shape) > 2 && s.Axis != 0 || s.Axis < 0 || s.Axis >= len(shape) {
		return fail("a shape of %v", shape)
	}
	out := &Series{array: a, axis: s.Axis, samples: *s, key: o.Key, timesKey: o.Key + " " + o.TimesKey, cache: o.Cache, chunks: o.Chunks, budget: o.Budget}
	if out.chunks == nil {
		out.chunks = &fresh.Chunks{}
	}
	if out.cache == nil {
		out.cache = &kept.Cache{}
	}
	if out.budget == 0 {
		out.budget = defaultBudget
	}
	var ok bool
	if out.channels, ok = nd.Len(append(shape[:s.Axis:s.Axis], shape[s.Axis+1:]...)); !ok || out.channels > mostChannels {
		return fail("%v has too many channels", shape)
	}
	if s.Factors != nil && len(s.Factors) != out.channels {
		return fail("%d factors for %d channels", len(s.Factors), out.channels)
	}
	t := a.DataType()
	d, packed := cf.Of(a)
	if out.kernel, ok = kernels[t.Name()]; !ok || packed {
		out.kernel = kernels["float64"]
		out.decode = func(dst []float64, elems []byte) { dtype.Floats(t, dst, elems) }
		if packed {
			out.decode = d.Floats
		}
	}
	switch k := t.Kind(); {
	case packed && d.Kind() != cf.Times, k == dtype.Bool, k == dtype.Int, k == dtype.Uint, k == dtype.Float:
	default:
		return fail("elements of %s", t.Name())
	}
	out.clock = clock{n: shape[s.Axis], start: s.Start, rate: s.Rate, line: s.Times, key: out.timesKey, cache: out.cache}
	if s.Times != nil {
		out.clock.n = min(out.clock.n, s.Times.Len)
	} else if !(s.Rate > 0) || math.IsInf(s.Rate, 0) || math.IsNaN(s.Start) || math.IsInf(s.Start, 0) {
		return fail("a rate of %v from %v on", s.Rate, s.Start)
	}
	out.data = out.arrayPyramid()
	if s.Times != nil {
		out.times = out.timePyramid()
	}
	if bytes := float64(out.data.coarse) * float64(out.data.group) * float64(out.data.bytes); bytes > mostPart {
		return fail("%d channels that are read together", out.data.group)
	}
	return out, nil
}

// Len is how many samples every channel has, and a time for each.
func (s *Series) Len() int { return s.clock.n }

// Channels is how many there are.
func (s *Series) Channels() int { return s.channels }

// Samples are what the series was made of.
func (s *Series) Samples() *convention.Samples { return &s.samples }

// Span is when it begins and ends, in seconds: the end is that of the last sample, which
// lasts where there is a rate.
func (s *Series) Span(ctx context.Context) (start, end float64, err error) {
	if s.clock.n == 0 {
		return s.samples.Start, s.samples.Start, nil
	}
	if s.times == nil {
		return s.clock.start, s.clock.start + float64(s.clock.n)/s.clock.rate, nil
	}
	if start, err = s.clock.time(ctx, 0); err == nil {
		end, err = s.clock.time(ctx, s.clock.n-1)
	}
	return start, end, err
}

// Plain gives the numbers of any array of one or two axes as samples: a sample in every
// second, unless one of the axes has times. The axis of time is that which has them, or
// is called so, or else the first.
func Plain(ctx context.Context, a *zarr.Array, opts ...coordinates.Option) (*convention.Samples, error) {
	if a == nil {
		return nil, ErrNone
	}
	shape := a.Shape()
	if len(shape) == 0 || len(shape) > 2 {
		return nil, &zarr.Error{Op: "draw", URL: a.URL(), Err: fmt.Errorf("a shape of %v: %w", shape, ErrNone)}
	}
	out := &convention.Samples{Array: a, Scale: 1, Rate: 1}
	if d, ok := cf.Of(a); ok {
		out.Unit = d.Unit()
	}
	for i, name := range a.DimensionNames() {
		if name == "time" || name == "t" {
			out.Axis = i
		}
	}
	axes, err := coordinates.Of(ctx, a, opts...)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	for _, axis := range axes { // without any where they cannot be read
		l := axis.Line
		if l == nil || l.Len != shape[axis.Dim] || l.Len == 0 {
			continue
		}
		if l.Times != nil {
			if line, zero, err := seconds(ctx, l); err == nil {
				out.Axis, out.Times, out.Zero, out.Rate = axis.Dim, line, zero, 0
				break
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if l.Numbers != nil && axis.Name == "time" && (axis.Unit == "s" || axis.Unit == "second" || axis.Unit == "seconds") {
			out.Axis, out.Times, out.Rate = axis.Dim, l, 0
			break
		}
	}
	return out, nil
}

// seconds are times as numbers that count from the first.
func seconds(ctx context.Context, l *coordinates.Line) (*coordinates.Line, string, error) {
	ends, err := l.Times(ctx, 0, 1)
	if err != nil {
		return nil, "", err
	}
	last, err := l.Times(ctx, l.Len-1, l.Len)
	if err != nil {
		return nil, "", err
	}
	first := ends[0]
	if first.IsNaT() || last[0].IsNaT() || last[0].Compare(first) < 0 {
		return nil, "", errors.New("times do not ascend")
	}
	return &coordinates.Line{Len: l.Len, Numbers: func(ctx context.Context, start, stop int) ([]float64, error) {
		list, err := l.Times(ctx, start, stop)
		out := make([]float64, len(list))
		for i, t := range list {
			if out[i] = t.Sub(first); t.IsNaT() {
				out[i] = math.NaN()
			}
		}
		return out, err
	}}, first.String(), nil
}
