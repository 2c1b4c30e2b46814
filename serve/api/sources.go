package api

import (
	"context"
	"net/url"

	"github.com/omnizarr/zarr/serve/source"
)

// Source is one that is served.
type Source struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Zarr    string   `json:"zarr"`  // where it is as Zarr v3
	Zarr2   string   `json:"zarr2"` // and as Zarr v2
	Files   string   `json:"files"` // and as it is stored
	Format  string   `json:"format,omitempty"`
	Title   string   `json:"title,omitempty"`
	Problem *Problem `json:"problem,omitempty"`
}

func (s *server) sources(r *request) error {
	list := []Source{}
	for _, src := range s.set.All() {
		list = append(list, s.sourceInfo(r.Context(), src))
	}
	return r.json(list)
}

// sourceInfo tells of a source; one that does not open is told of with the reason.
func (s *server) sourceInfo(ctx context.Context, src *source.Source) Source {
	name := url.PathEscape(src.Name())
	out := Source{Name: src.Name(), URL: src.URL(), Zarr: "/zarr/" + name, Zarr2: "/zarr2/" + name, Files: "/files/" + name}
	sp, err := open(ctx, src, "/")
	if err != nil {
		_, p := ProblemOf(err)
		out.Problem = &p
		return out
	}
	out.Format, out.Title = s.format(ctx, sp)
	return out
}
