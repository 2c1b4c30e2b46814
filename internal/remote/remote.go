// Package remote asks servers for values over HTTP: with retries that wait, with a
// second request where the first one lingers, within bounds of how many requests are
// under way and how many are made, and straight into the caller's memory. Nothing that a
// server says is believed: an answer is what was asked for, or it is an error.
//
// The stores web, s3, gcs and azblob differ in how a request is made and in what an
// answer's status means; all else is here.
package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/omnizarr/zarr/store"
)

// Options says how to talk to a server; the zero value is fine.
type Options struct {
	// Remote is what the user of a store may set.
	store.Remote
	// Wait is about how long to wait before the first retry, 0 meaning 200 ms;
	// each further wait is twice as long.
	Wait time.Duration
	// MaxWait bounds every wait, also one that the server asks for; 0 means
	// 20 s.
	MaxWait time.Duration
	// Stall is how long a server may send nothing, or take nothing, before the request
	// counts as failed; 0 means 60 s.
	Stall time.Duration
	// Transport makes the requests; nil means one that all share.
	Transport http.RoundTripper
	// Redirect is asked before a redirect is followed; what it returns is the error of
	// the request. nil follows none: a redirect is an answer like others. One that leads
	// from a public server to an address that is not is never followed: ErrInside.
	Redirect func(r *http.Request, via []*http.Request) error
	// Explain gives the error that an answer means whose status is no success, and
	// marks with Passing what may be gone at the next try. nil means Explain.
	Explain func(r *http.Request, a *Answer) error
	// Tag gives the tag of a value by the header of an answer; nil means ETag.
	Tag func(http.Header) string

	patience time.Duration // how long after the first failure a try may begin, 0 for ever
}

// What holds where store.Remote says nothing. Servers that ask to slow down mostly mean
// half a minute.
const (
	retries  = 8
	patience = time.Minute
	minRate  = 1 << 10
	timeout  = 15 * time.Minute
)

func (o *Options) setDefaults() {
	if o.Retries == 0 {
		o.Retries, o.patience = retries, patience
	}
	if o.Wait <= 0 {
		o.Wait = 200 * time.Millisecond
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 20 * time.Second
	}
	if o.Stall <= 0 {
		o.Stall = time.Minute
	}
	if o.MinRate == 0 {
		o.MinRate = minRate
	}
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	if o.Transport == nil {
		o.Transport = transport()
	}
	if o.Tag == nil {
		o.Tag = func(h http.Header) string { return h.Get("ETag") }
	}
	if o.Explain == nil {
		o.Explain = func(_ *http.Request, a *Answer) error { return Explain(a) }
	}
}

// transport is made once, so that all stores share its connections. It leaves
// bodies as they are sent: values are bytes, and their lengths are checked.
var transport = sync.OnceValue(func() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		WriteBufferSize:       64 << 10,
	}
})

// Client makes requests. Its methods may be called by several goroutines.
type Client struct {
	opt    Options
	follow *http.Client  // nil if redirects are not followed
	slots  chan struct{} // one for each request under way
	counts counts
	seen   latencies
}

// New gives a client. It holds nothing that would have to be closed.
func New(opt Options) *Client {
	opt.setDefaults()
	c := &Client{opt: opt, slots: make(chan struct{}, opt.InFlight())}
	if opt.Redirect != nil {
		c.follow = &http.Client{Transport: newHops(opt.Transport), CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if err := opt.Redirect(r, via); err != nil {
				return &refused{err}
			}
			return nil
		}}
	}
	return c
}

// Concurrency is how many requests may be under way at once.
func (c *Client) Concurrency() int { return cap(c.slots) }

// roundTrip sends a request.
func (c *Client) roundTrip(r *http.Request) (*http.Response, error) {
	if c.follow != nil {
		return c.follow.Do(r.WithContext(onTrail(r.Context())))
	}
	return c.opt.Transport.RoundTrip(r)
}

// enter waits for leave to make a request.
func (c *Client) enter(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
	default:
		select {
		case c.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.admit()
}

// admit counts a request that has its place, which it gives back on an error.
func (c *Client) admit() error {
	if err := c.opt.Budget.Take(); err != nil {
		c.leave()
		return err
	}
	c.counts.requests.Add(1)
	return nil
}

func (c *Client) leave() { <-c.slots }
