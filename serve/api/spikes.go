package api

import (
	"context"
	"slices"

	"github.com/omnizarr/zarr/serve/table"
)

// SpikesInfo is what is told of a table of units and their spikes.
type SpikesInfo struct {
	Units     int            `json:"units"`
	Spikes    int            `json:"spikes"`
	Start     float64        `json:"start"` // seconds
	End       float64        `json:"end"`
	Zero      string         `json:"zero,omitempty"` // the date of second 0
	Order     []string       `json:"order"`          // columns that units can be sorted by
	Intervals []IntervalList `json:"intervals"`
}

// spikesMember tells of spikes.
func (s *server) spikesMember(ctx context.Context, sp *spot, n *Node) error {
	if !slices.Contains(n.Views, SpikesKind) {
		return nil
	}
	t, err := s.table(ctx, sp)
	if err != nil {
		return err
	}
	info, err := t.EventsInfo(ctx)
	if err != nil {
		return err
	}
	n.Spikes = &SpikesInfo{Units: info.Rows, Spikes: info.Count, Start: info.Start, End: info.End, Order: info.Order}
	n.Spikes.Intervals, n.Spikes.Zero = s.intervalLists(ctx, sp)
	return nil
}

func (s *server) serveSpikes(r *request) error {
	sp, t, err := s.tableOf(r)
	if err != nil {
		return err
	}
	info, err := t.EventsInfo(r.Context())
	if err != nil {
		return sp.fail(tableFault(err))
	}
	q := table.EventsQuery{Sort: r.text("sort")}
	if q.From, err = r.number("from", info.Start); err != nil {
		return err
	}
	if q.To, err = r.number("to", info.End); err != nil {
		return err
	}
	if q.Width, err = r.integer("width", 1600, 1, 1<<14); err != nil {
		return err
	}
	if q.Offset, err = r.integer("offset", 0, 0, 1<<62); err != nil {
		return err
	}
	if q.Limit, err = r.integer("limit", 500, 0, 5000); err != nil {
		return err
	}
	events, err := t.Events(r.Context(), q)
	if err != nil {
		return sp.fail(tableFault(err))
	}
	return r.json(events)
}
