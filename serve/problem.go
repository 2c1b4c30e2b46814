package serve

import (
	"errors"
	"net/http"
	"syscall"

	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

// fault is an error of the protocol itself, with the status that it has.
type fault struct {
	status int
	api.Problem
}

func (f *fault) Error() string { return f.Problem.Error }

func refuse(status int, kind, text string) error {
	return &fault{status, api.Problem{Kind: kind, Error: text}}
}

// nothing is the answer where nothing can be.
func nothing() error {
	return refuse(http.StatusNotFound, api.NotFound, "there is nothing at this address")
}

// explain gives the status of an error, and the words for it.
func explain(err error) (int, api.Problem) {
	var known *fault
	switch {
	case errors.As(err, &known):
		return known.status, known.Problem
	case errors.Is(err, store.ErrBadKey), errors.Is(err, file.ErrLeadsOut), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		// What lies outside is not there, nor what is a link to itself or can have no such name.
		return explain(nothing())
	}
	return api.ProblemOf(err)
}

// fail answers with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, p := explain(err)
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.logFailure(r, "answer", p.Error)
	}
	forgetValue(w.Header())
	api.WriteProblem(w, r.Method, status, p)
}
