package azblob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

const (
	// maxAnswer is the most that is taken of an answer that is no value.
	maxAnswer    = 128 << 20
	bearerPrefix = "Bearer "
)

var errContainer = errors.New("there is no such container")

// ask is a request before it is signed.
type ask struct {
	method string
	name   string // of the value, "" for the container
	query  url.Values
	header http.Header
	body   []byte
}

// request makes and signs a request.
func (s *Store) request(ctx context.Context, q ask) (*http.Request, error) {
	u := s.api
	if q.name != "" {
		u.Path, u.RawPath = s.api.Path+"/"+q.name, s.api.EscapedPath()+"/"+escape(q.name)
	}
	query := q.query
	if s.sas != nil {
		query = url.Values{}
		for _, from := range []url.Values{s.sas, q.query} {
			for name, values := range from {
				query[name] = values
			}
		}
	}
	u.RawQuery = query.Encode()
	r := (&http.Request{
		Method: q.method, URL: &u, Host: u.Host, Header: make(http.Header, 8), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	for name, values := range q.header {
		r.Header[name] = values
	}
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("X-Ms-Version", version)
	r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
	if q.method == http.MethodPut {
		r.Body = http.NoBody
	}
	if len(q.body) > 0 {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(q.body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(q.body))
	}
	switch {
	case s.key != nil:
		s.key.sign(r)
	case s.tokens != nil:
		token, err := s.tokens.Get(ctx)
		if err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		r.Header.Set("Authorization", bearerPrefix+token)
	}
	return r, nil
}

// escape spells a name in a path: every character but the slash stands for itself.
func escape(name string) string {
	return strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
}

// do makes a request whose answer is small.
func (s *Store) do(ctx context.Context, q ask) (*remote.Answer, error) {
	return s.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) { return s.request(ctx, q) }, maxAnswer)
}

// refusal is an answer of the service that means something to who asked.
type refusal struct {
	code string
	err  error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// denied is the code of what may not be done without credentials.
const denied = "denied"

func isCode(err error, code string) bool {
	var r *refusal
	return errors.As(err, &r) && r.code == code
}

// explain says what a status means that is no success.
func (s *Store) explain(r *http.Request, a *remote.Answer) error {
	code := a.Header.Get("X-Ms-Error-Code")
	why := saying(a, code)
	switch code {
	case "ContainerNotFound":
		return errContainer
	case "BlobAlreadyExists", "ConditionNotMet", "TargetConditionNotMet":
		return store.ErrPrecondition
	case "ContainerBeingDeleted", "ServerBusy", "OperationTimedOut", "InternalError":
		return remote.Passing(why, remote.RetryAfter(a.Header))
	case "InvalidBlockList", "InvalidBlobOrBlock", "DirectoryIsNotEmpty":
		return &refusal{code, why}
	}
	if a.Status == http.StatusUnauthorized || code == "InvalidAuthenticationInfo" || code == "AuthenticationFailed" {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), bearerPrefix); ok {
			s.tokens.Drop(token)
			return remote.Passing(why, -1)
		}
	}
	err := remote.Explain(a)
	switch {
	case remote.IsPassing(err):
		return remote.Passing(why, remote.RetryAfter(a.Header))
	case err == store.ErrNotExist || err == store.ErrPrecondition:
		return err
	case s.anonymous() && (a.Status == http.StatusForbidden || a.Status == http.StatusUnauthorized || code == "PublicAccessNotPermitted"):
		return &refusal{denied, fmt.Errorf("%w (no credentials were sent)", why)}
	}
	return why
}

// saying is what the service says was wrong: by its code, and the first line of its words.
func saying(a *remote.Answer, code string) error {
	if code == "" {
		return remote.StatusError(a)
	}
	_, text, _ := strings.Cut(string(a.Body), "<Message>")
	text, _, ok := strings.Cut(text, "</Message>")
	if !ok {
		return fmt.Errorf("server answers %d %s", a.Status, code)
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return fmt.Errorf("server answers %d %s: %s", a.Status, code, strings.TrimSpace(text))
}
