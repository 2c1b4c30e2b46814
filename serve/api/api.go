// Package api is what programs, and the viewer among them, ask a server about the
// nodes that it serves, below /api: what they are, what lies below them, parts of
// their elements, pictures, tables and series. Answers are JSON unless they are
// elements. /api/openapi.json describes all of it.
package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/serve/fresh"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/source"
)

// Options are what a server gives the API to work with; the zero value is fine.
type Options struct {
	// Cache keeps what is costly to make. Without one nothing is kept.
	Cache *kept.Cache
	// Log is told of answers that are the server's fault.
	Log *slog.Logger
	// Begin waits for a place among the work that may go on at once, and gives what ends
	// it; ErrBusy if there is none. Without it there is no bound.
	Begin func(ctx context.Context) (end func(), err error)
}

// server answers.
type server struct {
	set   *source.Set
	kinds kind.List
	opt   Options
	cache *kept.Cache

	images images
	stored fresh.Chunks
}

// route is an address below /api/ and what answers it.
type route struct {
	name   string
	answer func(s *server, r *request) error
}

// routes are all that there are.
func routes() []route {
	return []route{
		{"sources", (*server).sources},
		{"node", (*server).node},
		{"tile", (*server).tile},
		{"stats", (*server).stats},
		{"thumbnail", (*server).thumbnail},
		{"children", (*server).children},
		{"search", (*server).search},
		{"slice", (*server).slice},
		{"position", (*server).position},
		{"chunks", (*server).chunks},
		{"openapi.json", (*server).openapi},
		{"series", (*server).serveSeries},
		{"spikes", (*server).serveSpikes},
		{"intervals", (*server).serveIntervals},
		{"rows", (*server).serveRows},
	}
}

// New gives the API of a set of sources, for addresses that begin with /api/.
func New(set *source.Set, o Options) http.Handler {
	s := &server{set: set, kinds: set.Kinds(), opt: o, cache: o.Cache}
	if s.cache == nil {
		s.cache = &kept.Cache{}
	}
	known := map[string]route{}
	for _, r := range routes() {
		known["/api/"+r.name] = r
	}
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := &request{Request: hr, w: w, server: s}
		if err := s.serve(known, r); err != nil {
			r.fail(err)
		}
	})
}

func (s *server) serve(known map[string]route, r *request) error {
	to, ok := known[r.URL.Path]
	if !ok {
		return notFound("there is no %s: /api/openapi.json tells what there is", r.URL.Path)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		r.w.Header().Set("Allow", "GET, HEAD")
		return &fault{http.StatusMethodNotAllowed, Problem{Kind: WrongRequest, Error: "the API answers GET and HEAD alone"}}
	}
	if err := r.parse(); err != nil {
		return err
	}
	if s.opt.Begin != nil {
		end, err := s.opt.Begin(r.Context())
		if err != nil {
			return err
		}
		defer end()
	}
	return to.answer(s, r)
}
