package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/store"
)

// statusError is an error of the protocol itself, with the status that it has.
type statusError struct {
	status int
	kind   string
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func refuse(status int, kind, text string) error {
	return &statusError{status, kind, errors.New(text)}
}

// problem is what an error is told as.
type problem struct {
	Error string `json:"error"`
	Kind  string `json:"kind"`
	Hint  string `json:"hint,omitempty"`
}

// explain gives the status of an error, and the words for it.
func explain(err error) (int, problem) {
	var known *statusError
	p := problem{Error: words.OneLine(err.Error())}
	switch {
	case errors.As(err, &known):
		p.Kind = known.kind
		return known.status, p
	case errors.Is(err, errBusy):
		p.Kind = "busy"
		return http.StatusServiceUnavailable, p
	case errors.Is(err, store.ErrNotExist), errors.Is(err, store.ErrBadKey):
		p.Kind = "not_found"
		return http.StatusNotFound, p
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p.Kind = "busy"
		return http.StatusServiceUnavailable, p
	}
	p.Kind = "upstream"
	return http.StatusBadGateway, p
}

// fail answers with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, p := explain(err)
	h := w.Header()
	h.Set("Content-Type", typeJSON)
	h.Set("Cache-Control", "no-cache")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	text, err := json.Marshal(p)
	if err != nil { // of three strings
		text = []byte("{}")
	}
	text = append(text, '\n')
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // who has gone needs no words
	}
}
