package api

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/serve/tiles"
)

// Stats is how the numbers of an image are spread.
type Stats struct {
	Level       int               `json:"level"`
	Exact       bool              `json:"exact"` // else some of them were looked at
	Count       int64             `json:"count"`
	Missing     int64             `json:"missing"`
	Min         *Number           `json:"min"` // null if there are no numbers
	Max         *Number           `json:"max"`
	Percentiles map[string]Number `json:"percentiles"`
	Histogram   Histogram         `json:"histogram"`
}

// Histogram has 256 bins of equal width.
type Histogram struct {
	From   Number  `json:"from"`
	To     Number  `json:"to"`
	Counts []int64 `json:"counts"`
}

// stats tells how the numbers of a channel are spread: quickly by the coarsest level, or
// all of them.
func (s *server) stats(r *request) error {
	sp, img, done, err := s.imageOf(r)
	if err != nil {
		return err
	}
	defer done()
	most := 0
	if img.Channel >= 0 {
		most = img.Levels[0].Shape()[img.Channel] - 1
	}
	channel, err := r.integer("channel", 0, 0, max(most, 0))
	if err != nil {
		return err
	}
	at, err := r.place(img)
	if err != nil {
		return err
	}
	all, tags := r.has("all"), ""
	if all {
		at = nil
		tags, err = img.AllTags(r.Context())
	} else {
		tags, err = img.CoarseTags(r.Context(), at)
	}
	if err != nil {
		return sp.fail(err)
	}
	if r.unchanged(sp, tags) {
		return nil
	}
	body, err := s.cache.Get(r.Context(), sp.key("stats", channel, at, all, tags), func(ctx context.Context) ([]byte, error) {
		var st *tiles.Stats
		var err error
		if all {
			st, err = tiles.All(ctx, img, channel)
		} else {
			st, err = tiles.Of(ctx, img, at, channel)
		}
		if err != nil {
			return nil, err
		}
		return strictjson.Marshal(told(st), false)
	})
	if err != nil {
		return sp.fail(err)
	}
	return r.send("application/json", json.RawMessage(body))
}

// told is what is told of statistics.
func told(st *tiles.Stats) Stats {
	out := Stats{
		Level: st.Level, Exact: st.Exact, Count: st.Count, Missing: st.Missing,
		Percentiles: map[string]Number{}, Histogram: Histogram{Number(st.From), Number(st.To), st.Counts},
	}
	if st.Min == st.Min {
		low, high := Number(st.Min), Number(st.Max)
		out.Min, out.Max = &low, &high
		for k, name := range tiles.Percentiles {
			out.Percentiles[name] = Number(st.Percentiles[k])
		}
	}
	return out
}
