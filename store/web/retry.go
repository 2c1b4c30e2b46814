package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/omnizarr/zarr/store"
)

// passing is an error that may be gone at the next try.
type passing struct {
	err   error
	after time.Duration // that the server asks to wait, 0 if it does not
}

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

// retry calls f until it succeeds or fails for good.
func (s *Store) retry(ctx context.Context, f func() error) error {
	for try := 0; ; try++ {
		err := f()
		var p *passing
		if err == nil || ctx.Err() != nil || !errors.As(err, &p) {
			return err
		}
		if try >= s.opt.Retries {
			if try > 0 {
				return fmt.Errorf("%w (tried %d times)", p.err, try+1)
			}
			return p.err
		}
		timer := time.NewTimer(s.wait(try, p.after))
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w while waiting to try again after: %v", ctx.Err(), p.err)
		case <-timer.C:
		}
	}
}

// wait gives the time to wait after a try: doubled each time, and by chance
// between half of it and all, so that clients do not come back all at once.
func (s *Store) wait(try int, after time.Duration) time.Duration {
	d := s.opt.MaxWait
	if shifted := s.opt.Wait << min(try, 20); shifted > 0 {
		d = min(d, shifted)
	}
	d = d/2 + rand.N(d/2+1)
	return min(max(d, after), s.opt.MaxWait)
}

// explainError says why no answer came, and whether it may come later.
func explainError(ctx context.Context, err error) error {
	if errors.Is(err, errDirectory) {
		return store.ErrNotExist
	}
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
		return &passing{err: errStalled}
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL, which the caller names
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	if errors.Is(err, errRedirect) || errors.As(err, &cert) || errors.As(err, &dns) && dns.IsNotFound {
		return err
	}
	return &passing{err: err}
}

// explainStatus gives the error that a status means, nil if it brings data or
// says how large the value is.
func (s *Store) explainStatus(r *http.Response) error {
	switch code := r.StatusCode; {
	case code == http.StatusOK, code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone, code == http.StatusForbidden && s.opt.ForbiddenIsMissing:
		return store.ErrNotExist
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusInternalServerError,
		code == http.StatusBadGateway, code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		return &passing{statusError(r), retryAfter(r.Header.Get("Retry-After"))}
	}
	return statusError(r)
}

func statusError(r *http.Response) error {
	return fmt.Errorf("server answers %d %s", r.StatusCode, http.StatusText(r.StatusCode))
}

// retryAfter reads a number of seconds or a date.
func retryAfter(v string) time.Duration {
	if n, err := strconv.Atoi(v); err == nil {
		return time.Duration(min(max(n, 0), 1<<20)) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(time.Until(t), 0)
	}
	return 0
}
