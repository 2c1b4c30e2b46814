package api

import (
	"math"

	"github.com/omnizarr/zarr/serve/table"
)

func (s *server) serveIntervals(r *request) error {
	sp, t, err := s.tableOf(r)
	if err != nil {
		return err
	}
	from, err := r.number("from", math.Inf(-1))
	if err != nil {
		return err
	}
	to, err := r.number("to", math.Inf(1))
	if err != nil {
		return err
	}
	limit, err := r.integer("limit", 2000, 0, table.MaxLimit)
	if err != nil {
		return err
	}
	list, err := t.Intervals(r.Context(), from, to, limit)
	if err != nil {
		return sp.fail(tableFault(err))
	}
	return r.json(list)
}
