package hdmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Series is a group that holds samples over time, such as a TimeSeries: data, and
// when each sample was taken, either by a list of times or by a start and a rate.
type Series struct {
	// Unit is that of the data when they are scaled: see Scaled.
	Unit string
	// Conversion and Offset make data of Unit: data * Conversion + Offset.
	Conversion, Offset float64
	// Resolution is the least difference that means something, NaN if it is not
	// known.
	Resolution float64

	group    *Group
	data     *Dataset
	times    *Dataset // nil where start and rate say it
	start    float64
	rate     float64
	channels []float64 // a factor for every channel of electrical series, nil if all are 1
}

// ErrNoSeries says that a group is no time series.
var ErrNoSeries = errors.New("is no time series: it has no data with times")

// IsSeries reports whether a group looks like a time series to those who do not
// know its type: it holds data, and timestamps or a starting_time.
func IsSeries(ctx context.Context, g *Group) bool {
	if !g.holds(ctx, "data") {
		return false
	}
	return g.holds(ctx, "timestamps") || g.holds(ctx, "starting_time")
}

// holds reports whether the group has a member or a link of a name.
func (g *Group) holds(ctx context.Context, name string) bool {
	return g.link(name) != nil || g.has(ctx, name)
}

// OpenSeries gives the time series that a group is. Data and times may be links, to
// other files too; times may be those of another series. It reads no data.
func OpenSeries(ctx context.Context, g *Group) (*Series, error) {
	s := &Series{group: g, Conversion: 1, Resolution: math.NaN()}
	err := s.open(ctx)
	if err != nil {
		return nil, g.file.failed("open series", g.path, err)
	}
	return s, nil
}

func (s *Series) open(ctx context.Context) error {
	d, err := s.group.dataset(ctx, "data")
	if err != nil {
		return err
	}
	if d.Scalar() || len(d.Shape()) == 0 {
		return errors.New("its data are a single value")
	}
	s.data = d
	s.Unit = text(d.attrs().Raw("unit"))
	for name, to := range map[string]*float64{"conversion": &s.Conversion, "offset": &s.Offset, "resolution": &s.Resolution} {
		if raw := d.attrs().Raw(name); raw != nil && !strictjson.IsNull(raw) {
			if *to, err = jsonNumber(raw); err != nil {
				return strictjson.At("data."+name, err)
			}
		}
	}
	if s.Resolution == -1 { // what writers put where they do not know it
		s.Resolution = math.NaN()
	}
	if err := s.openTimes(ctx); err != nil {
		return err
	}
	return s.openChannels(ctx)
}

// openTimes finds the list of times, or the start and the rate.
func (s *Series) openTimes(ctx context.Context) error {
	times, err := s.group.timestamps(ctx)
	if err == nil {
		if len(times.Shape()) != 1 || times.DType().Kind != Number {
			return errors.New("its timestamps are no list of numbers")
		}
		s.times = times
		return nil
	}
	if !errors.Is(err, zarr.ErrNoNode) {
		return err
	}
	start, err := s.group.dataset(ctx, "starting_time")
	if errors.Is(err, zarr.ErrNoNode) {
		return ErrNoSeries
	}
	if err != nil {
		return err
	}
	v, err := start.Single(ctx)
	if err != nil {
		return fmt.Errorf("starting_time: %w", err)
	}
	if s.start, err = v.Float(0); err != nil {
		return fmt.Errorf("starting_time: %w", err)
	}
	raw := start.attrs().Raw("rate")
	if raw == nil || strictjson.IsNull(raw) {
		return errors.New("starting_time has no rate")
	}
	if s.rate, err = jsonNumber(raw); err != nil {
		return strictjson.At("starting_time.rate", err)
	}
	if !(s.rate > 0) || math.IsInf(s.rate, 0) {
		return fmt.Errorf("a rate of %v samples per second", s.rate)
	}
	return nil
}

// timestamps finds the list of times, also where it is that of another series.
func (g *Group) timestamps(ctx context.Context) (*Dataset, error) {
	for range maxLinks {
		o, err := g.find(ctx, "timestamps", new(int))
		if err != nil {
			return nil, err
		}
		switch o := o.(type) {
		case *Dataset:
			return o, nil
		case *Group:
			g = o
		}
	}
	return nil, ErrLinks
}

// dataset finds a dataset below the group, through links.
func (g *Group) dataset(ctx context.Context, name string) (*Dataset, error) {
	o, err := g.find(ctx, name, new(int))
	if err != nil {
		return nil, err
	}
	d, ok := o.(*Dataset)
	if !ok {
		return nil, fmt.Errorf("%s is a group", name)
	}
	return d, nil
}

// maxChannels bounds the factors of channels.
const maxChannels = 1 << 20

// openChannels reads the factor of every channel, where there are such.
func (s *Series) openChannels(ctx context.Context) error {
	d, err := s.group.dataset(ctx, "channel_conversion")
	if errors.Is(err, zarr.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	shape := s.data.Shape()
	if len(d.Shape()) != 1 || len(shape) < 2 || d.Shape()[0] != shape[1] || shape[1] > maxChannels {
		return fmt.Errorf("channel_conversion of shape %v for data of shape %v", d.Shape(), shape)
	}
	v, err := d.Read(ctx, zarr.All())
	if err == nil {
		s.channels, err = v.Floats()
	}
	return err
}

// Group is the group that the series is.
func (s *Series) Group() *Group { return s.group }

// Data are the samples along the first axis as they are stored.
func (s *Series) Data() *Dataset { return s.data }

// Timestamps is the list of times, nil where start and rate say them.
func (s *Series) Timestamps() *Dataset { return s.times }

// Len is the number of samples.
func (s *Series) Len() int { return s.data.Shape()[0] }

// Rate is the number of samples in a second; ok is false where times are listed.
func (s *Series) Rate() (rate float64, ok bool) { return s.rate, s.times == nil }

// Times gives the times of the samples from start up to, not including, stop, in
// seconds.
func (s *Series) Times(ctx context.Context, start, stop int) ([]float64, error) {
	if start < 0 || stop < start || stop > s.length() {
		return nil, s.failed(fmt.Errorf("times of samples %d to %d of %d", start, stop, s.length()))
	}
	if s.times != nil {
		v, err := s.times.Read(ctx, zarr.Select(zarr.Span(start, stop)))
		if err != nil {
			return nil, err
		}
		return v.Floats()
	}
	out := make([]float64, stop-start)
	for i := range out {
		out[i] = s.start + float64(start+i)/s.rate
	}
	return out, nil
}

// length is the number of times.
func (s *Series) length() int {
	if s.times != nil {
		return s.times.Shape()[0]
	}
	return s.Len()
}

func (s *Series) failed(err error) error {
	return s.group.file.failed("read series", s.group.path, err)
}

// time is when a sample was taken.
func (s *Series) time(ctx context.Context, i int) (float64, error) {
	t, err := s.Times(ctx, i, i+1)
	if err != nil {
		return 0, err
	}
	return t[0], nil
}

// Span is when the first and the last sample were taken. There must be one.
func (s *Series) Span(ctx context.Context) (first, last float64, err error) {
	if s.length() == 0 {
		return 0, 0, s.failed(errors.New("has no samples"))
	}
	if first, err = s.time(ctx, 0); err == nil {
		last, err = s.time(ctx, s.length()-1)
	}
	return first, last, err
}

// Duration is how long the series is in seconds: from the first sample to the last,
// and the time of one more where there is a rate.
func (s *Series) Duration(ctx context.Context) (float64, error) {
	if s.times == nil {
		return float64(s.Len()) / s.rate, nil
	}
	if s.length() == 0 {
		return 0, nil
	}
	first, last, err := s.Span(ctx)
	return last - first, err
}

// At finds the last sample that was taken at a time or before, -1 if there is none,
// as for NaN.
// Where times are listed they must ascend; few of them are read.
func (s *Series) At(ctx context.Context, time float64) (int, error) {
	n := s.length()
	if math.IsNaN(time) {
		return -1, nil
	}
	if s.times == nil {
		i := math.Floor((time - s.start) * s.rate)
		// A product may round below the sample that it means.
		if next := i + 1; s.start+next/s.rate <= time {
			i = next
		}
		if !(i >= 0) { // before the start, or the start is no time
			return -1, nil
		}
		return int(min(i, float64(n-1))), nil
	}
	// Most of the way by single times, each in a chunk of its own; then all that
	// is left in one read.
	low, high := 0, n // times[low-1] <= time < times[high]
	for grain := s.times.grain(); high-low > grain; {
		mid := low + (high-low)/2
		t, err := s.time(ctx, mid)
		if err != nil {
			return 0, err
		}
		if t <= time {
			low = mid + 1
		} else {
			high = mid
		}
	}
	list, err := s.Times(ctx, low, high)
	if err != nil {
		return 0, err
	}
	return low + sort.Search(len(list), func(i int) bool { return list[i] > time }) - 1, nil
}

// Scaled reads the samples from start up to, not including, stop in Unit: with the
// factor, that of the channel, and the offset.
func (s *Series) Scaled(ctx context.Context, start, stop int) ([]float64, []int, error) {
	if start < 0 || stop < start || stop > s.Len() {
		return nil, nil, s.failed(fmt.Errorf("samples %d to %d of %d", start, stop, s.Len()))
	}
	v, err := s.data.Read(ctx, s.data.span(start, stop-start))
	if err != nil {
		return nil, nil, err
	}
	out, err := v.Floats()
	if err != nil {
		return nil, nil, s.failed(fmt.Errorf("data: %w", err))
	}
	if s.channels == nil {
		for i, x := range out {
			out[i] = x*s.Conversion + s.Offset
		}
		return out, v.Shape, nil
	}
	each := 1
	for _, n := range v.Shape[2:] {
		each *= n
	}
	for i, x := range out {
		out[i] = x*s.Conversion*s.channels[i/each%len(s.channels)] + s.Offset
	}
	return out, v.Shape, nil
}
