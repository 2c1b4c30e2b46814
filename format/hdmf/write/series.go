package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
)

// AppendSamples adds samples to a time series: data along the first axis of its
// data, and a time for each if the series has timestamps; nil for a series that
// has a rate. It is an error if there are not as many times as samples already.
func (e *Editor) AppendSamples(ctx context.Context, at string, data Data, times []float64) error {
	defer e.lock()()
	o, err := e.own(ctx, at)
	if err != nil {
		return e.failed(at, err)
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return e.failed(at, errors.New("is a dataset, not a time series"))
	}
	s, err := e.openSamples(ctx, g)
	if err == nil {
		err = s.check(data, times)
	}
	if err != nil {
		return e.failed(at, err)
	}
	if err := e.extend(ctx, s.data, s.length, data); err != nil || s.times == nil {
		return e.fail(at, err)
	}
	return e.fail(at, e.extend(ctx, s.times, s.length, Numbers(times)))
}

// samples is a time series that is added to.
type samples struct {
	data, times *hdmf.Dataset // times is nil if there is a rate
	length      int
}

func (e *Editor) openSamples(ctx context.Context, g *hdmf.Group) (*samples, error) {
	s := &samples{}
	for m, err := range g.Members(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Name != "data" && m.Name != "timestamps" {
			continue
		}
		if m.Link != nil {
			return nil, fmt.Errorf("%s is a link to %s; samples are added where they are", m.Name, m.Link.Reference)
		}
		d, ok := m.Object.(*hdmf.Dataset)
		if !ok || d.Scalar() {
			return nil, fmt.Errorf("%s is no list", m.Name)
		}
		if err := e.untaken(d); err != nil {
			return nil, err
		}
		if m.Name == "data" {
			s.data = d
		} else {
			s.times = d
		}
	}
	if s.data == nil {
		return nil, errors.New("has no data, so it is no time series")
	}
	s.length = s.data.Shape()[0]
	if s.times == nil {
		return s, nil
	}
	if n := s.times.Shape()[0]; n != s.length {
		return nil, fmt.Errorf("data has %d samples, timestamps %d", s.length, n)
	}
	return s, nil
}

func (s *samples) check(data Data, times []float64) error {
	if err := fits(s.data, data); err != nil {
		return err
	}
	switch n := data.dims[0]; {
	case s.times == nil && times != nil:
		return errors.New("has a rate, and takes no times")
	case s.times != nil && len(times) != n:
		return fmt.Errorf("%d times for %d samples", len(times), n)
	case s.times != nil:
		return fits(s.times, Numbers(times))
	}
	return nil
}
