package api

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

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
	Picture bool     `json:"picture,omitempty"` // it has a thumbnail; a group may have one
	Problem *Problem `json:"problem,omitempty"`
}

// errNoAnswer says that a source takes its time.
var errNoAnswer = newFault(http.StatusBadGateway, Upstream, "it has not answered yet")

func (s *server) sources(r *request) error {
	all := s.set.All()
	list := make([]Source, len(all))
	var asked sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, src := range all {
		places <- struct{}{}
		asked.Go(func() {
			defer func() { <-places }()
			list[i] = s.sourceInfo(r.Context(), src)
		})
	}
	asked.Wait()
	if err := r.Context().Err(); err != nil {
		return err
	}
	return r.json(list)
}

// sourceTime is how long a source is waited for, so that one that does not answer does
// not keep others from being shown.
const sourceTime = 5 * time.Second

// sourceInfo tells of a source; one that does not open is told of with the reason.
func (s *server) sourceInfo(ctx context.Context, src *source.Source) Source {
	name := url.PathEscape(src.Name())
	out := Source{Name: src.Name(), URL: src.URL(), Zarr: "/zarr/" + name, Zarr2: "/zarr2/" + name, Files: "/files/" + name}
	ctx, cancel := context.WithTimeoutCause(ctx, sourceTime, errNoAnswer)
	defer cancel()
	sp, err := open(ctx, src, "/")
	if err != nil {
		if context.Cause(ctx) == errNoAnswer {
			err = located(errNoAnswer, src.Name(), "/")
		}
		_, p := ProblemOf(err)
		out.Problem = &p
		return out
	}
	out.Format, out.Title = s.format(ctx, sp)
	out.Picture = picture(s.views(ctx, sp)) != ""
	return out
}
