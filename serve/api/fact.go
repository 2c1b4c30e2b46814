package api

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/words"
)

// fact is the one thing that is said of a node of a kind in a line of a tree, "" if that
// would cost more than a look at its documents.
func (s *server) fact(ctx context.Context, sp *spot, k Kind) string {
	if a, ok := sp.node.(*zarr.Array); ok {
		if k == TableKind {
			return counted(a.Shape()[0], "row")
		}
		return words.Times(a.Shape())
	}
	switch k {
	case ImageKind:
		if m := s.multiscales(sp.node); m != nil {
			return words.Counted(len(m.Levels), "level")
		}
	case TableKind, SpikesKind, SeriesKind:
		return s.rowsFact(ctx, sp, k)
	}
	return ""
}

// rowsFact counts the rows of a table, the units of spikes, or tells how a series is
// sampled.
func (s *server) rowsFact(ctx context.Context, sp *spot, k Kind) string {
	if o, ok := sp.subject.Object.(convention.Sampled); ok && k == SeriesKind {
		samples, err := o.Samples(ctx)
		switch {
		case err != nil || samples == nil:
			return ""
		case samples.Rate > 0:
			return rateWords(samples.Rate)
		}
		return counted(samples.Array.Shape()[samples.Axis], "sample")
	}
	t, ok := s.kinds.Table(sp.subject)
	if !ok {
		return ""
	}
	set, err := t.Rows(ctx, "", false)
	if err != nil {
		return ""
	}
	noun := map[Kind]string{TableKind: "row", SpikesKind: "unit", SeriesKind: "sample"}[k]
	return counted(set.Rows.Count, noun)
}

// rateWords is how often something happens in a second.
func rateWords(rate float64) string {
	unit := "Hz"
	switch {
	case rate >= 1e6:
		rate, unit = rate/1e6, "MHz"
	case rate >= 1e3:
		rate, unit = rate/1e3, "kHz"
	}
	return fmt.Sprintf("%.4g %s", rate, unit)
}

// counted is a number of things, thousands apart.
func counted(n int, noun string) string {
	text := words.Grouped(int64(n)) + " " + noun
	if n != 1 {
		text += "s"
	}
	return text
}
