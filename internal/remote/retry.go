package remote

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
	after time.Duration // that the server asks to wait, 0 if it does not, < 0 for at once
}

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

// Passing marks an error that may be gone at the next try, which is made after the given
// time at the earliest; 0 leaves that to the client, and a negative one is at once.
func Passing(err error, after time.Duration) error { return &passing{err, after} }

// IsPassing reports whether err was marked by Passing.
func IsPassing(err error) bool {
	var p *passing
	return errors.As(err, &p)
}

// unavailable is an error that might have passed, and was not waited for any longer.
type unavailable struct {
	err   error
	tries int
}

func (u *unavailable) Error() string {
	if u.tries == 1 {
		return u.err.Error()
	}
	return fmt.Sprintf("%v (tried %d times)", u.err, u.tries)
}

func (u *unavailable) Unwrap() []error { return []error{u.err, store.ErrUnavailable} }

// maxMends is how many times a request is made again because it was itself wrong, such as
// by its region or its credentials, which counts as no retry.
const maxMends = 3

// Retry calls f until it succeeds or fails for good: with an error that Passing did not
// mark, or too many times.
func (c *Client) Retry(ctx context.Context, f func(ctx context.Context) error) error {
	mended := 0
	var since time.Time // the first failure
	for try := 0; ; try++ {
		err := f(ctx)
		var p *passing
		if err == nil || ctx.Err() != nil || !errors.As(err, &p) {
			return err
		}
		if p.after < 0 && mended < maxMends {
			mended++
			try--
			c.counts.retries.Add(1)
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if try >= c.opt.Retries || c.opt.patience > 0 && time.Since(since) >= c.opt.patience {
			return &unavailable{p.err, try + 1}
		}
		if p.after >= 0 {
			timer := time.NewTimer(c.wait(try, p.after))
			select {
			case <-ctx.Done():
				timer.Stop()
				return fmt.Errorf("%w while waiting to try again after: %v", ctx.Err(), p.err)
			case <-timer.C:
			}
		}
		c.counts.retries.Add(1)
	}
}

// wait gives the time to wait after a try: doubled each time, and by chance
// between half of it and all, so that clients do not come back all at once.
func (c *Client) wait(try int, after time.Duration) time.Duration {
	d := c.opt.MaxWait
	if shifted := c.opt.Wait << min(try, 20); shifted > 0 {
		d = min(d, shifted)
	}
	d = d/2 + rand.N(d/2+1)
	return min(max(d, after), c.opt.MaxWait)
}

// refused is a redirect that is not followed.
type refused struct{ err error }

func (r *refused) Error() string { return r.err.Error() }

// explainError says why no answer came, and whether it may come later.
func explainError(ctx context.Context, err error) error {
	if r := (*refused)(nil); errors.As(err, &r) {
		return r.err
	}
	if cause := context.Cause(ctx); errors.Is(cause, ErrStalled) || errors.Is(cause, errSlow) || errors.Is(cause, errLong) {
		return &passing{err: cause}
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL, which the caller names
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) || errors.As(err, &dns) && dns.IsNotFound {
		return err
	}
	return &passing{err: err}
}

// Explain gives the error that a status means which is no success.
func Explain(a *Answer) error {
	switch a.Status {
	case http.StatusNotFound, http.StatusGone:
		return store.ErrNotExist
	case http.StatusPreconditionFailed:
		return store.ErrPrecondition
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &passing{StatusError(a), RetryAfter(a.Header)}
	}
	return StatusError(a)
}

// StatusError says which status a server answered with.
func StatusError(a *Answer) error {
	return fmt.Errorf("server answers %d %s", a.Status, http.StatusText(a.Status))
}

// RetryAfter is how long a server asks to wait, in seconds or until a date; 0 if it does
// not.
func RetryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil {
		return time.Duration(min(max(n, 0), 1<<20)) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(time.Until(t), 0)
	}
	return 0
}
