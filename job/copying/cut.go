package copying

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/job"
)

// cuts says what of each array is copied, by path: of one array what the text selects,
// and of those in a hierarchy what it selects along the dimensions that they have.
// Arrays that are copied whole are not in it.
func cuts(ctx context.Context, src zarr.Node, arrays map[string]*zarr.Array, opts Options) (map[string][]zarr.Positions, error) {
	out := map[string][]zarr.Positions{}
	if strings.TrimSpace(opts.Slice) == "" {
		return out, nil
	}
	fail := func(err error) error { return &zarr.Error{Op: "select from", URL: src.URL(), Err: err} }
	terms, err := zarr.ParseTerms(opts.Slice)
	if err != nil {
		return nil, fail(err)
	}
	_, alone := src.(*zarr.Array)
	if !alone && terms[0].Name == "" {
		return nil, fail(fmt.Errorf("the slice %q of a hierarchy must name dimensions, as in time=0:10", opts.Slice))
	}
	known := map[string]bool{}
	for _, path := range job.Paths(arrays) {
		a, text := arrays[path], opts.Slice
		if !alone {
			dims := a.DimensionNames()
			var own []string
			for _, t := range terms {
				if !slices.Contains(dims, t.Name) {
					continue
				}
				known[t.Name] = true
				at := ""
				if t.Index {
					at = "@"
				}
				own = append(own, t.Name+"="+at+t.Value)
			}
			if len(own) == 0 {
				continue
			}
			text = strings.Join(own, ",")
		}
		sel, err := coordinates.Select(ctx, a, text, opts.Coordinates...)
		if err != nil {
			return nil, err
		}
		if out[path], err = zarr.Resolve(sel, a.Shape()); err != nil {
			return nil, &zarr.Error{Op: "select from", URL: a.URL(), Err: err}
		}
	}
	for _, t := range terms {
		if !alone && !known[t.Name] {
			return nil, fail(fmt.Errorf("no array has a dimension %q", t.Name))
		}
	}
	return out, nil
}

// shapeOf is the shape of what is cut out.
func shapeOf(cut []zarr.Positions) []int {
	shape := []int{}
	for _, p := range cut {
		if p.Along >= 0 {
			shape = append(shape, p.Count)
		}
	}
	return shape
}
