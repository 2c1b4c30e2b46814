package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/job/copying"
)

// laid is an array of numbers that a copy lays out anew.
type laid struct {
	*stored
	to       dtype.Type
	filled   json.RawMessage
	cut, sub []int // chunks and shards, nil for those of the source
	list     json.RawMessage
}

// lays gives a dataset as the options want it. Only numbers, and what has a size
// like them, are laid out anew.
func (c *copier) lays(ctx context.Context, d *hdmf.Dataset, src *stored) (source, error) {
	o := &c.opts.Laid
	if src.scalar || src.what.typ == nil || src.what.kind != hdmf.Number {
		return src, nil
	}
	rank := len(src.array.Shape())
	l := &laid{stored: src, to: src.what.typ, filled: src.fill(), list: o.Codecs}
	if fits := (o.Chunks == nil || len(o.Chunks) == rank) && (o.Shards == nil || len(o.Shards) == rank); fits && (o.Chunks != nil || o.Shards != nil) {
		l.cut, l.sub = o.Chunks, o.Shards
		c.fitting = true
	}
	samples, err := c.isSamples(ctx, d)
	if err != nil {
		return nil, err
	}
	if o.DataType != "" && samples {
		if l.to, err = copying.TargetType(l.to, o.DataType); err == nil {
			l.filled, err = copying.FillValue(src.array, l.to)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, copying.CheckRank(zarr.ArraySpec{Shape: src.array.Shape(), Chunks: l.cut, Shards: l.sub})
}

// isSamples says whether numbers may be of another type: they are the samples of a
// series, or of something else that calls them data, and not row numbers, ids, times
// or what a series picks from another.
func (c *copier) isSamples(ctx context.Context, d *hdmf.Dataset) (bool, error) {
	t := d.Array().DataType()
	if path.Base(d.Path()) != "data" || t.Kind() == dtype.Bool || !copying.IsNumber(t) {
		return false, nil
	}
	above, err := c.src.Object(ctx, path.Dir(d.Path()))
	return err == nil && above.Type().Name != "IndexSeries", err
}

// checkOptions refuses what no file, and no array of the layout, can be.
func checkOptions(opts *Options) error {
	o := &opts.Laid
	switch {
	case opts.Layout != hdmf.V2 && opts.Layout != hdmf.V3:
		return fmt.Errorf("there is no layout %d", opts.Layout)
	case o.Shards != nil && opts.Layout == hdmf.V2:
		return errors.New("no shards in Zarr v2")
	case opts.Pickle && opts.NoPickle:
		return errPickles
	case o.Pad != "":
		return errors.New("the chunks of an HDMF file have no headers")
	}
	return nil
}

// checkFitting says that chunks are for no array at all.
func (s *set) checkFitting(copies []*copier) error {
	if o := &s.opts.Laid; (o.Chunks != nil || o.Shards != nil) && !slices.ContainsFunc(copies, func(c *copier) bool { return c.fitting }) {
		return fmt.Errorf("no array of numbers has as many axes as chunks %v, shards %v", o.Chunks, o.Shards)
	}
	return nil
}

// checkLosses refuses codecs that lose precision, unless they are allowed or what they
// made is copied as it is.
func (c *copier) checkLosses() error {
	for _, w := range c.later {
		p, ok := w.pair()
		if !ok || c.opts.Laid.Lossy || p.AsBytes() {
			continue
		}
		if losses := p.Losses(); len(losses) > 0 {
			return fmt.Errorf("%w: %s %s; allow it (--lossy) or choose other codecs (--codecs)", copying.ErrLossy, w.at, losses[0])
		}
	}
	return nil
}

func (l *laid) elem() elem {
	e := l.what
	if !dtype.Equal(e.typ, l.to) {
		e.typ, e.stored = l.to, ""
	}
	return e
}

func (l *laid) fill() json.RawMessage { return l.filled }

func (l *laid) chunks() (chunks, shards []int) {
	if l.cut == nil && l.sub == nil {
		return l.stored.chunks()
	}
	return l.cut, l.sub
}
