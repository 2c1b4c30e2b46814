package request

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/stats"
)

// Stats asks for the statistics of an array, or of all arrays of numbers below a group.
type Stats struct {
	Open
	URL   string `json:"url"`
	Slice string `json:"slice,omitempty"`
	// Items is how many a job has; the default is 64.
	Items int `json:"items,omitempty"`
}

// Measured is the statistics of one array.
type Measured struct {
	Path   string         `json:"path"`
	Chunks int            `json:"chunks"` // in its grid
	Stats  *stats.Partial `json:"stats"`
}

// Statistics are those of what a URL names: of an array, or of those below a group.
type Statistics struct {
	Group  bool       `json:"group"`
	Arrays []Measured `json:"arrays"`
	Broken []string   `json:"broken,omitempty"` // what could not be read
}

// Spec is the statistics as a job that may be sent to other processes; its result is a
// Statistics.
func (s Stats) Spec() (spread.Spec, error) { return spread.NewSpec("stats", s) }

// Subject opens what is asked for.
func (s Stats) Subject(ctx context.Context, kinds kind.List) (*convention.Subject, error) {
	return s.Find(ctx, kinds, s.URL)
}

// Run computes the statistics of a part, of is 0 for all.
func (s Stats) Run(ctx context.Context, kinds kind.List, of *convention.Subject, part, parts int, progress func(job.Progress)) (out Statistics, err error) {
	one := func(path string, a *zarr.Array, slice string) error {
		sel, err := coordinates.Select(ctx, a, slice, coordinates.Also(kinds.Coordinates()...))
		if err != nil {
			return err
		}
		if _, err := a.ResultShape(sel); err != nil {
			return err
		}
		opt := stats.Options{Select: sel, Stored: s.Plain, Workers: s.Workers, Part: part, Of: parts}
		if progress != nil {
			opt.Progress = func(done, total int) {
				progress(job.Progress{Path: a.Path(), Done: int64(done), Total: int64(total)})
			}
		}
		p, err := stats.Of(ctx, a, opt)
		chunks, _ := nd.Len(a.Metadata().Grid.Count())
		if err == nil {
			out.Arrays = append(out.Arrays, Measured{path, chunks, p})
		}
		return err
	}
	if a, ok := of.Node.(*zarr.Array); ok {
		return out, one("/", a, s.Slice)
	}
	if s.Slice != "" {
		return out, kind.Usagef("--slice is for an array, %s is a group", s.URL)
	}
	out.Group = true
	entries, broken := convention.Below(ctx, of)
	for _, e := range entries {
		if a, ok := e.Node.(*zarr.Array); ok && stats.Can(a.DataType()) {
			if err := one(e.Path, a, ""); err != nil {
				broken = append(broken, err)
			}
		}
	}
	for _, err := range broken {
		if part <= 1 {
			out.Broken = append(out.Broken, err.Error())
		}
	}
	if len(out.Arrays) == 0 && len(broken) == 0 {
		err = &zarr.Error{Op: "compute statistics of", URL: of.Node.URL(), Err: errors.New("is a group without arrays of numbers")}
	}
	return out, errors.Join(err, ctx.Err())
}

// Part computes the statistics of a part, for MergeStats.
func (s Stats) Part(ctx context.Context, kinds kind.List, of *convention.Subject, part, parts int, progress func(job.Progress)) (Part, error) {
	all, err := s.Run(ctx, kinds, of, part, parts, progress)
	if err != nil {
		return Part{}, err
	}
	found, err := json.Marshal(all)
	return Part{"stats", s.URL, part, parts, digest(s.URL, s.Slice, s.Plain, s.Resolved, s.NoConsolidated, job.Metadata(of.Node)), found}, err
}

// MergeStats joins the statistics of all parts. One that is there twice counts once.
func MergeStats(parts []Part) (all Statistics, err error) {
	if parts, err = whole(parts); err != nil {
		return all, err
	}
	at := map[string]int{}
	for i, p := range parts {
		var found Statistics
		if err := strictjson.Unmarshal(p.Found, &found); err != nil {
			return all, err
		}
		if i == 0 {
			all.Group = found.Group
		}
		all.Broken = append(all.Broken, found.Broken...)
		for _, m := range found.Arrays {
			k, known := at[m.Path]
			if !known {
				at[m.Path] = len(all.Arrays)
				all.Arrays = append(all.Arrays, m)
				continue
			}
			all.Arrays[k].Stats.Merge(m.Stats)
		}
	}
	return all, nil
}

func init() {
	spread.Register("stats", func(ctx context.Context, request json.RawMessage) (spread.Job, error) {
		var s Stats
		if err := strictjson.Unmarshal(request, &s); err != nil {
			return nil, err
		}
		return openParts(ctx, s.Open, s.Items, s.Subject, s.Part, func(parts []Part) (any, error) { return MergeStats(parts) })
	})
}
