package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/serve/series"
)

// SeriesInfo is what is told of samples over time.
type SeriesInfo struct {
	Samples   int            `json:"samples"`
	Channels  int            `json:"channels"`
	Names     []string       `json:"names,omitempty"` // of channels
	Rate      float64        `json:"rate,omitempty"`
	Start     Number         `json:"start"` // seconds
	End       Number         `json:"end"`
	Unit      string         `json:"unit,omitempty"`
	Zero      string         `json:"zero,omitempty"` // the date of second 0
	Axis      int            `json:"axis"`           // that of time
	Path      string         `json:"path,omitempty"` // of the array that has the samples, if it is another
	Intervals []IntervalList `json:"intervals"`
	Explicit  bool           `json:"explicit"` // every sample has a time of its own
}

// IntervalList is a table of intervals that belongs to the same file.
type IntervalList struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// samples are those that a node is, or its numbers; series.ErrNone if it has none.
func (s *server) samples(ctx context.Context, sp *spot) (*convention.Samples, error) {
	if o, ok := sp.subject.Object.(convention.Sampled); ok {
		if out, err := o.Samples(ctx); out != nil || err != nil {
			return out, err
		}
	}
	a, ok := sp.node.(*zarr.Array)
	if !ok {
		return nil, series.ErrNone
	}
	return series.Plain(ctx, a, coordinates.Also(s.kinds.Coordinates()...))
}

// series makes the samples of a node ready. A budget of 0 is the usual one.
func (s *server) series(ctx context.Context, sp *spot, budget int64) (*series.Series, error) {
	samples, err := s.samples(ctx, sp)
	if err != nil {
		return nil, err
	}
	version := ""
	if at := s.samplesPath(ctx, sp, samples); at != sp.path {
		if version, err = sp.source.Version(ctx, at); err != nil {
			return nil, err
		}
	}
	times := ""
	if samples.Times != nil {
		if times, err = s.timesKey(ctx, sp); err != nil {
			return nil, err
		}
	}
	return series.New(samples, series.Options{
		Cache: s.cache, Key: sp.key("series", version, samples.Array.Shape()), Chunks: &s.stored, TimesKey: times, Budget: budget,
	})
}

// samplesPath is where the array of samples lies, the node's own path if that is not
// known.
func (s *server) samplesPath(ctx context.Context, sp *spot, samples *convention.Samples) string {
	if samples.Target.Path == "" {
		return sp.path
	}
	to := sp.source.Link(ctx, sp.path, samples.Target)
	if to.Broken != "" || to.Source != sp.source.Name() {
		return sp.path
	}
	return to.Path
}

// intervals are the tables of intervals that belong to a node.
func (s *server) intervalLists(ctx context.Context, sp *spot) (out []IntervalList, zero string) {
	out = []IntervalList{}
	o, ok := sp.subject.Object.(convention.Timed)
	if !ok {
		return out, ""
	}
	for _, b := range o.Bands(ctx) {
		to := sp.source.Link(ctx, sp.path, convention.Target{File: ".", Path: b.Path})
		if to.Broken == "" && to.Source == sp.source.Name() {
			out = append(out, IntervalList{to.Path, b.Name, b.Rows})
		}
	}
	return out, o.Zero(ctx)
}

// mostNames is how many channels are named.
const mostNames = 4096

// seriesMember tells of samples.
func (s *server) seriesMember(ctx context.Context, sp *spot, n *Node) error {
	if !slices.Contains(n.Views, SeriesKind) {
		return nil
	}
	one, err := s.series(ctx, sp, 0)
	if errors.Is(err, series.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	samples := one.Samples()
	info := &SeriesInfo{
		Samples: one.Len(), Channels: one.Channels(), Rate: samples.Rate, Unit: samples.Unit, Axis: samples.Axis, Explicit: samples.Times != nil,
	}
	info.Intervals, info.Zero = s.intervalLists(ctx, sp)
	if samples.Zero != "" {
		info.Zero = samples.Zero
	}
	if at := s.samplesPath(ctx, sp, samples); at != sp.path {
		info.Path = at
	}
	start, end, err := one.Span(ctx)
	if err != nil {
		return err
	}
	info.Start, info.End = Number(start), Number(end)
	n.Series = info
	if samples.Names != nil && one.Channels() <= mostNames {
		info.Names, err = samples.Names(ctx)
	}
	return err
}

// mostListed is how many channels are given where none are named.
const mostListed = 64

func (s *server) serveSeries(r *request) error {
	sp, err := r.spot()
	if err != nil {
		return err
	}
	one, err := s.series(r.Context(), sp, 0)
	if err != nil {
		return sp.fail(seriesFault(err))
	}
	width, err := r.integer("width", 1600, 1, series.MaxWidth)
	if err != nil {
		return err
	}
	ask := series.Request{Width: width}
	if ask.From, err = r.number("from", math.Inf(-1)); err != nil {
		return err
	}
	if ask.To, err = r.number("to", math.Inf(1)); err != nil {
		return err
	}
	if ask.Channels, err = r.channels(one.Channels()); err != nil {
		return err
	}
	v, err := one.View(r.Context(), ask)
	if err != nil {
		return sp.fail(seriesFault(err))
	}
	head, err := v.Header()
	if err != nil {
		return err
	}
	body := v.Append(nil)
	sum := sha256.Sum256(append(head, body...))
	r.w.Header().Set("X-Series", string(head))
	if r.known(base64.RawURLEncoding.EncodeToString(sum[:12])) {
		return nil
	}
	return r.send("application/octet-stream", body)
}

// channels is the parameter of that name: numbers and ranges such as 0:16 or 0:384:4,
// with commas between them, each as selections have it.
func (r *request) channels(of int) ([]int, error) {
	text := r.text("channels")
	out := []int{}
	if text == "" {
		for c := range min(of, mostListed) {
			out = append(out, c)
		}
		return out, nil
	}
	bad := wrong("channels=%s: must be numbers below %d, or ranges such as 0:16, with commas between them", short(text), of)
	terms, err := zarr.ParseTerms(text)
	if err != nil {
		return nil, bad
	}
	for _, t := range terms { // one axis each, of which each says some positions
		axis, err := t.Axis()
		if err != nil || t.Name != "" || t.Index || t.Value == "..." {
			return nil, bad
		}
		positions, err := zarr.Resolve(zarr.Select(axis), []int{of})
		if err != nil {
			return nil, bad
		}
		if len(out)+positions[0].Count > 1<<20 {
			return nil, tooLarge("channels=%s: more than are given at once", short(text))
		}
		for k := range positions[0].Count {
			out = append(out, positions[0].At(k))
		}
	}
	return out, nil
}

// seriesFault says how errors of series are told.
func seriesFault(err error) error {
	switch {
	case errors.Is(err, series.ErrNone):
		return unsupported("%v", err)
	case errors.Is(err, series.ErrRequest):
		return wrong("%v", err)
	case errors.Is(err, series.ErrTooLarge):
		return tooLarge("%v", err)
	}
	return err
}
