package gcs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// maxAnswer is the most that is taken of an answer that is no value.
const maxAnswer = 128 << 20

// object is the path of a value, as it is and escaped.
func (s *Store) object(name string) (path, raw string) {
	const head, mid = "/storage/v1/b/", "/o/"
	return head + s.place.Bucket + mid + name, head + url.PathEscape(s.place.Bucket) + mid + url.PathEscape(name)
}

// request makes a request of the service. The path is given as it is and escaped.
func (s *Store) request(ctx context.Context, method, path, raw, query string) (*http.Request, error) {
	u := s.api
	u.Path, u.RawPath, u.RawQuery = s.api.Path+path, s.api.EscapedPath()+raw, query
	r := (&http.Request{
		Method: method, URL: &u, Host: u.Host, Header: make(http.Header, 4), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	r.Header.Set("Accept-Encoding", "identity")
	if s.project != "" {
		r.Header.Set("X-Goog-User-Project", s.project)
	}
	if s.tokens != nil {
		token, err := s.tokens.Get(ctx)
		if err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		r.Header.Set("Authorization", bearerPrefix+token)
	}
	return r, nil
}

const bearerPrefix = "Bearer "

// body makes a request carry bytes, which can be sent again.
func body(r *http.Request, parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	r.GetBody = func() (io.ReadCloser, error) {
		readers := make([]io.Reader, len(parts))
		for i, p := range parts {
			readers[i] = bytes.NewReader(p)
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}
	r.Body, _ = r.GetBody()
	r.ContentLength = int64(n)
	if n == 0 {
		r.Body, r.GetBody = http.NoBody, nil
	}
}

// incomplete is the answer to a piece of an upload.
type incomplete struct{ header http.Header }

func (incomplete) Error() string { return "the upload is not complete" }

// denied is the answer to somebody who may not do what was asked for.
type denied struct{ error }

// explain says what a status means that is no success.
func (s *Store) explain(r *http.Request, a *remote.Answer) error {
	why, reason := told(a)
	refused := a.Status == http.StatusForbidden && !limited(reason) ||
		a.Status == http.StatusUnauthorized && s.tokens == nil
	if s.lax && refused && r.Method == http.MethodGet && strings.HasPrefix(r.URL.RawQuery, "alt=media") {
		return store.ErrNotExist
	}
	switch a.Status {
	case http.StatusPermanentRedirect:
		return incomplete{a.Header}
	case http.StatusNotFound:
		if strings.Contains(why, "bucket does not exist") {
			return errBucket
		}
	case http.StatusUnauthorized:
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), bearerPrefix); ok {
			s.tokens.Drop(token)
			return remote.Passing(saying(a, why), -1)
		}
		return denied{fmt.Errorf("%w (no credentials were sent)", saying(a, why))}
	case http.StatusForbidden:
		if limited(reason) {
			return remote.Passing(saying(a, why), remote.RetryAfter(a.Header))
		}
		return denied{saying(a, why)}
	}
	err := remote.Explain(a)
	switch {
	case remote.IsPassing(err):
		return remote.Passing(saying(a, why), remote.RetryAfter(a.Header))
	case err == store.ErrNotExist || err == store.ErrPrecondition:
		return err
	}
	return saying(a, why)
}

// limited reports whether the service means that there were too many requests.
func limited(reason string) bool {
	return reason == "rateLimitExceeded" || reason == "userRateLimitExceeded"
}

// told reads what the service says was wrong.
func told(a *remote.Answer) (message, reason string) {
	var said struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(a.Body, &said) != nil {
		// Of a value that is not there it says so in plain text.
		if text := string(a.Body); a.Status == http.StatusNotFound && len(text) < 500 {
			message = text
		}
	} else if message = said.Error.Message; len(said.Error.Errors) > 0 {
		reason = said.Error.Errors[0].Reason
	}
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	if len(message) > 300 {
		message = strings.ToValidUTF8(message[:300], "") + "…"
	}
	return message, reason
}

func saying(a *remote.Answer, why string) error {
	if why == "" {
		return remote.StatusError(a)
	}
	return fmt.Errorf("server answers %d: %s", a.Status, why)
}
