package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/store"
)

// Problem is what is told of an error: as the answer to a request, or among what else is
// known of a node.
type Problem struct {
	Error  string `json:"error"` // one plain line
	Kind   string `json:"kind"`
	Source string `json:"source,omitempty"`
	Path   string `json:"path,omitempty"`
	Chunk  string `json:"chunk,omitempty"` // its key
	Codec  string `json:"codec,omitempty"`
	Hint   string `json:"hint,omitempty"` // what to do about it
}

// The kinds of problems.
const (
	WrongRequest = "wrong_request"
	Unauthorized = "unauthorized"
	Forbidden    = "forbidden"
	NotFound     = "not_found"
	Unfinished   = "unfinished"
	UnknownCodec = "unknown_codec"
	Unsupported  = "unsupported"
	TooLarge     = "too_large"
	Damaged      = "damaged"
	Upstream     = "upstream"
	Busy         = "busy"
	Internal     = "internal"
)

// ErrBusy says that too much work is going on.
var ErrBusy = errors.New("too much is asked of the server at once: try again")

// statusGone is what servers note for clients that have gone before the answer.
const statusGone = 499

// fault is an error that knows how it is told.
type fault struct {
	status  int
	problem Problem
}

func (f *fault) Error() string { return f.problem.Error }

func newFault(status int, kind, format string, args ...any) *fault {
	return &fault{status, Problem{Error: fmt.Sprintf(format, args...), Kind: kind}}
}

// wrong is an error of the request.
func wrong(format string, args ...any) *fault {
	return newFault(http.StatusBadRequest, WrongRequest, format, args...)
}

// notFound says that there is no such thing.
func notFound(format string, args ...any) *fault {
	return newFault(http.StatusNotFound, NotFound, format, args...)
}

// unsupported says that a node is not of the kind that is asked for.
func unsupported(format string, args ...any) *fault {
	return newFault(http.StatusUnprocessableEntity, Unsupported, format, args...)
}

// tooLarge says that too much is asked for.
func tooLarge(format string, args ...any) *fault {
	return newFault(http.StatusRequestEntityTooLarge, TooLarge, format, args...)
}

// hint adds what to do about it.
func (f *fault) hint(format string, args ...any) *fault {
	f.problem.Hint = fmt.Sprintf(format, args...)
	return f
}

// placed is an error of a node.
type placed struct {
	error
	source, path string
}

func (p *placed) Unwrap() error { return p.error }

// located says which node an error is about, unless it does.
func located(err error, source, path string) error {
	var known *placed
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &placed{err, source, path}
}

// kinds are how errors are told, by what they are. The first that fits counts.
var faults = []struct {
	is     error
	status int
	kind   string
	hint   string
}{
	{ErrBusy, http.StatusServiceUnavailable, Busy, ""},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, Busy, "it took longer than the server allows: ask for less"},
	{context.Canceled, statusGone, Busy, ""},
	{zarr.ErrUnfinished, http.StatusConflict, Unfinished, "it is being written, or was by somebody who did not end"},
	{zarr.ErrNotAllowed, http.StatusForbidden, Forbidden, "start the server with --allow and the folder or URL"},
	{fs.ErrPermission, http.StatusForbidden, Forbidden, "the server may not read it"},
	{zarr.ErrCodec, http.StatusUnprocessableEntity, UnknownCodec, ""},
	{zarr.ErrPath, http.StatusBadRequest, WrongRequest, ""},
	{zarr.ErrSelection, http.StatusBadRequest, WrongRequest, ""},
	{zarr.ErrRange, http.StatusBadRequest, WrongRequest, ""},
	{zarr.ErrData, http.StatusBadGateway, Damaged, ""},
	{zarr.ErrMissing, http.StatusBadGateway, Damaged, ""},
	{store.ErrRange, http.StatusBadGateway, Damaged, ""},
	{store.ErrChanged, http.StatusBadGateway, Upstream, "ask again"},
	{zarr.ErrTooLarge, http.StatusRequestEntityTooLarge, TooLarge, ""},
	{store.ErrTooLarge, http.StatusRequestEntityTooLarge, TooLarge, ""},
	{zarr.ErrNoNode, http.StatusNotFound, NotFound, ""},
	{fs.ErrNotExist, http.StatusNotFound, NotFound, ""},
	{zarr.ErrDataType, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrType, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrNotArray, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrNotGroup, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrFormat, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrScheme, http.StatusUnprocessableEntity, Unsupported, ""},
	{store.ErrNoList, http.StatusUnprocessableEntity, Unsupported, "the store cannot list what it has: consolidated metadata would help"},
	{errors.ErrUnsupported, http.StatusUnprocessableEntity, Unsupported, ""},
	{zarr.ErrReadOnly, http.StatusForbidden, Forbidden, ""},
}

// ProblemOf tells an error: the status of the answer, and its body.
func ProblemOf(err error) (status int, p Problem) {
	p = Problem{Error: words.OneLine(err.Error()), Kind: Internal}
	status = http.StatusInternalServerError
	var f *fault
	if errors.As(err, &f) {
		status, p = f.status, f.problem
		p.Error = words.OneLine(p.Error)
	} else {
		status, p.Kind, p.Hint = classify(err)
	}
	var at *placed
	if errors.As(err, &at) {
		p.Source, p.Path = at.source, at.path
	}
	var node *zarr.Error
	if errors.As(err, &node) {
		p.Chunk = node.Key
	}
	var coded *codec.Error
	if errors.As(err, &coded) {
		p.Codec = coded.Codec
	}
	return status, p
}

// Requests can be long, and errors repeat them: of a text that is longer the beginning stays,
// and the end, which says why.
const headTold, tailTold = 400, 200

func cut(text string) string {
	if len(text) <= headTold+tailTold {
		return text
	}
	head, tail := headTold, len(text)-tailTold
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + " … " + text[tail:]
}

// classify finds the kind of an error.
func classify(err error) (status int, kind, hint string) {
	for _, f := range faults {
		if errors.Is(err, f.is) {
			return f.status, f.kind, f.hint
		}
	}
	// What else goes wrong with a node is the fault of what is stored, or of who has it.
	var node *zarr.Error
	var value *store.KeyError
	url := ""
	switch {
	case errors.As(err, &node):
		url = node.URL
	case errors.As(err, &value):
		url = value.URL
	default:
		return http.StatusInternalServerError, Internal, ""
	}
	if strings.Contains(url, "http://") || strings.Contains(url, "https://") {
		return http.StatusBadGateway, Upstream, ""
	}
	return http.StatusBadGateway, Damaged, ""
}
