package hdmf

import (
	"context"
	"errors"
	"fmt"
	"math"

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
	if g == nil || !g.holds(ctx, "data") {
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
	if g == nil {
		return nil, ErrNoSeries
	}
	s := &Series{group: g, Conversion: 1, Resolution: math.NaN()}
	err := s.open(ctx)
	if err != nil {
		return nil, g.file.failed("open series", g.path, err)
	}
	return s, nil
}

func (s *Series) open(ctx context.Context) error {
	d, err := s.group.dataset(ctx, "data")
	if errors.Is(err, zarr.ErrNoNode) && !s.group.holds(ctx, "data") {
		return ErrNoSeries
	}
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

// Factors are those of the channels, nil if all are 1. The slice must not be changed.
func (s *Series) Factors() []float64 { return s.channels }

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
