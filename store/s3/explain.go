package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// said is what a server says of an error.
type said struct {
	XMLName               xml.Name `xml:"Error"`
	Code, Message, Region string
}

var (
	errNoUpload = errors.New("the upload is not known any more")
	errNoBatch  = errors.New("the server does not know this request")
)

// explain gives the error that an answer means. What can be mended here is, and the
// request is made again: another region, new credentials, another clock.
func (s *Store) explain(r *http.Request, a *remote.Answer) error {
	var e said
	_ = xml.Unmarshal(a.Body, &e) // an answer to HEAD has none, and others may have no XML
	if err := s.mended(r, a, e); err != nil {
		return err
	}
	switch {
	case a.Status == http.StatusNotFound && e.Code == "NoSuchBucket":
		return fmt.Errorf("there is no bucket %q at %s", s.conf.bucket, s.at.Load().host)
	case a.Status == http.StatusNotFound && e.Code == "NoSuchUpload":
		return errNoUpload
	case a.Status == http.StatusNotFound && r.Method == http.MethodPut && r.Header.Get("If-Match") != "":
		return store.ErrPrecondition
	case a.Status == http.StatusNotFound:
		return store.ErrNotExist
	case a.Status == http.StatusPreconditionFailed && r.Method == http.MethodGet:
		return store.ErrChanged
	case a.Status == http.StatusPreconditionFailed:
		return store.ErrPrecondition
	case a.Status == http.StatusNotImplemented, a.Status == http.StatusMethodNotAllowed:
		return fmt.Errorf("%w: %w", errNoBatch, failure(a, e))
	case a.Status == http.StatusForbidden && s.conf.missing && r.Method == http.MethodGet && (e.Code == "AccessDenied" || e.Code == ""):
		return store.ErrNotExist
	case a.Status == http.StatusConflict && e.Code == "ConditionalRequestConflict":
		return remote.Passing(failure(a, e), 0)
	}
	switch e.Code {
	case "RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable", "OperationAborted", "Throttling", "ThrottlingException":
		return remote.Passing(failure(a, e), remote.RetryAfter(a.Header))
	case "AccessDenied":
		return &denied{s.hint(r, failure(a, e))}
	case "":
		return remote.Explain(a)
	}
	if err := remote.Explain(a); remote.IsPassing(err) {
		return remote.Passing(failure(a, e), remote.RetryAfter(a.Header))
	}
	return failure(a, e)
}

// denied is what may not be done.
type denied struct{ error }

func (d *denied) Unwrap() error { return d.error }

// hint adds to a refusal what it may come of.
func (s *Store) hint(r *http.Request, err error) error {
	if s.creds == nil {
		err = fmt.Errorf("%w (asked for without credentials)", err)
	}
	if r.Method == http.MethodGet && r.URL.RawQuery == "" {
		err = fmt.Errorf("%w (or the key is missing and listing is not allowed: forbidden=missing in the URL's query takes it so)", err)
	}
	return err
}

// failure is what a server says, in one line.
func failure(a *remote.Answer, e said) error {
	if e.Code == "" {
		return remote.StatusError(a)
	}
	return fmt.Errorf("server answers %d %s: %s", a.Status, e.Code, oneLine(e.Message))
}

// oneLine makes a message of a server one short line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}

// mended is not nil where the same request may succeed now.
func (s *Store) mended(r *http.Request, a *remote.Answer, e said) error {
	if region := a.Header.Get("X-Amz-Bucket-Region"); region != "" {
		e.Region = region
	}
	if e.Region != "" && isBucket(e.Region) && s.moved(r, e.Region) && a.Status/100 != 2 {
		return remote.Passing(failure(a, e), -1)
	}
	switch e.Code {
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired":
		if s.creds == nil {
			return nil
		}
		id := ""
		if _, v, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
			id, _, _ = strings.Cut(v, "/")
		}
		if s.creds.renew(r.Context(), id, r.Header.Get("X-Amz-Security-Token")) {
			return remote.Passing(failure(a, e), -1)
		}
		return fmt.Errorf("%w: get new credentials", failure(a, e))
	case "RequestTimeTooSkewed":
		theirs, err := http.ParseTime(a.Header.Get("Date"))
		if err != nil {
			return nil
		}
		skew := time.Until(theirs)
		if old := time.Duration(s.skew.Swap(int64(skew))); (skew - old).Abs() < time.Minute {
			return fmt.Errorf("%w: set the clock of this machine", failure(a, e))
		}
		return remote.Passing(failure(a, e), -1)
	}
	return nil
}

// moved looks for the bucket in another region, and reports whether a request went
// elsewhere than there.
func (s *Store) moved(r *http.Request, region string) bool {
	to := s.at.Load()
	if to.region != region {
		to = s.conf.target(region)
		s.at.Store(to)
	}
	if s.creds == nil {
		return r.URL.Host != to.host
	}
	return !strings.Contains(r.Header.Get("Authorization"), "/"+region+"/s3/aws4_request")
}
