// Package s3 keeps values in a bucket of S3, or of a server that speaks its protocol. A
// URL is s3://BUCKET/PREFIX, and may say in its query how the bucket is reached:
//
//	endpoint=URL       the server, if it is not that of AWS
//	region=NAME        of the bucket; a wrong one is found out
//	anonymous=true     no credentials, for buckets that everybody may read
//	profile=NAME       of ~/.aws/config and ~/.aws/credentials
//	style=path         the bucket in the path and not in the host: the default where
//	                   endpoint is given, else style=virtual is
//	forbidden=missing  a key that may not be read counts as missing, as servers say of
//	                   missing keys to those who may not list
//	requester=pays     for buckets whose owners let others pay for requests
//
// All else comes from the places where the tools of AWS look: the environment, profiles,
// web identity, the metadata of containers and machines. Importing the package registers
// the scheme s3 with package locate.
package s3

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

func init() {
	locate.Register("s3", func(ctx context.Context, rawURL string, opt locate.Options) (locate.Location, error) {
		return locate.Remote(ctx, rawURL, opt, func(ctx context.Context, base string) (store.Store, error) {
			return Open(ctx, base, Options{Remote: opt.Remote})
		})
	})
	locate.RegisterIdentity("s3", identify)
}

// Options says how to reach a bucket; the zero value is fine. What the query of the URL
// says comes before it, what the environment says behind.
type Options struct {
	// Remote is how much may be asked of the server.
	Remote store.Remote
	// Endpoint is the URL of the server, "" for AWS.
	Endpoint string
	// Region is that of the bucket.
	Region string
	// Anonymous makes requests without credentials.
	Anonymous bool
	// Credentials gives those to sign requests with; it is asked again when they expire.
	// nil looks in the usual places.
	Credentials func(ctx context.Context) (Credentials, error)
	// Part is the size above which values are sent in parts, and that of those parts;
	// 0 means 32 MiB. Servers want at least 5 MiB.
	Part int64
	// Wait, MaxWait and Stall are as in package web.
	Wait, MaxWait, Stall time.Duration
	// Transport makes the requests; nil means one that all stores share.
	Transport http.RoundTripper
}

// Store is a part of a bucket. Its methods may be called by several goroutines.
type Store struct {
	conf   config
	prefix string // "" or ends in "/"
	url    string
	part   int64
	client *remote.Client
	creds  *keyring // nil: anonymous
	at     atomic.Pointer[target]
	skew   atomic.Int64 // how much the server's clock is ahead of ours, in nanoseconds
	day    atomic.Pointer[signingKey]

	unlisted bucket.Unlisted
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Opener      = (*Store)(nil)
	_ store.Parallel    = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
	_ store.Streamer    = (*Store)(nil)
	_ store.Located     = (*Store)(nil)
	_ store.Hider       = (*Store)(nil)
)

// Open gives the store at s3://BUCKET/PREFIX. The server is not asked anything yet.
func Open(_ context.Context, rawURL string, opt Options) (*Store, error) {
	conf, err := configure(rawURL, opt)
	if err != nil {
		return nil, store.WrapError("open", shown(rawURL), "", err)
	}
	s := &Store{conf: conf, prefix: conf.prefix, url: shown(rawURL), part: opt.Part}
	if s.part <= 0 {
		s.part = 32 << 20
	}
	s.at.Store(conf.target(conf.region))
	if !conf.anonymous {
		s.creds = &keyring{from: opt.Credentials, busy: make(chan struct{}, 1)}
		if opt.Credentials == nil {
			s.creds.from = conf.chain()
		}
	}
	s.client = remote.New(remote.Options{
		Remote: opt.Remote, Wait: opt.Wait, MaxWait: opt.MaxWait, Stall: opt.Stall, Transport: opt.Transport, Explain: s.explain,
	})
	return s, nil
}

// shown is a URL for people: what a query may say of S3 is no secret, a user is.
func shown(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		base, _, _ := strings.Cut(rawURL, "?")
		return base
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	for name := range u.Query() {
		if !known[name] {
			u.RawQuery = ""
		}
	}
	if e, err := url.Parse(u.Query().Get("endpoint")); err != nil || e.User != nil || e.RawQuery != "" {
		u.RawQuery = ""
	}
	if u.Host == "" && u.Opaque == "" && u.Path == "" {
		return "s3://"
	}
	return strings.TrimSuffix(u.String(), "/")
}

// URL is the URL given to Open, without anything that may be secret.
func (s *Store) URL() string { return s.url }

// Identity names bucket and key, and the server if it is not AWS.
func (s *Store) Identity(key string) string { return store.JoinURL(s.conf.identity(), key) }

// identify gives the identity of what a URL names, without asking for anything.
func identify(rawURL string) string {
	conf, err := configure(rawURL, Options{})
	if err != nil {
		return rawURL
	}
	return conf.identity()
}

// Concurrency is how many requests may be under way: they mostly wait.
func (s *Store) Concurrency() int { return s.client.Concurrency() }

// Conditional is true.
func (s *Store) Conditional() bool { return true }

// Counts is what was asked of the servers so far.
type Counts = remote.Counts

// Counts tells what was asked of the server.
func (s *Store) Counts() Counts { return s.client.Counts() }

// Locate tells the URL of a value, which it asks for to see that it is there.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	if _, _, err := s.Get(ctx, key, store.Part(0, 0), nil); err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, err)
	}
	return store.JoinURL(s.url, key), 0, -1, nil
}

// check refuses keys that cannot be, and calls whose time is over.
func check(ctx context.Context, key string) error {
	if store.CheckKey(key) != nil {
		return store.ErrBadKey
	}
	if len(key) > 1024 {
		return errors.New("the key is longer than the 1024 bytes that S3 takes")
	}
	return ctx.Err()
}

// checkWrite is check for what changes something.
func (s *Store) checkWrite(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	return s.unlisted.Writable()
}
