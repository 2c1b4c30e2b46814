// Package web reads values from an HTTP or HTTPS server: a key is a path below
// the URL of the store. Parts are asked for as ranges, and where the server
// ignores them what comes before is skipped, up to a limit. Requests that fail
// for reasons that may pass are tried again.
//
// A web store is read-only and cannot list its keys.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// Options says how to talk to the server; the zero value is fine.
type Options struct {
	// Remote is how much may be asked of the server.
	Remote store.Remote
	// Header is added to each request, for example to authorize it.
	Header http.Header
	// ForbiddenIsMissing takes status 403 for a missing key, as hosts like S3
	// give it to clients that may not list.
	ForbiddenIsMissing bool
	// Retries is how many times a request is tried again; 0 means Remote.Retries,
	// and a negative number never.
	Retries int
	// Wait is about how long to wait before the first retry, 0 meaning 200 ms;
	// each further wait is twice as long.
	Wait time.Duration
	// MaxWait bounds every wait, also one that the server asks for; 0 means
	// 20 s.
	MaxWait time.Duration
	// Stall is how long a server may send nothing before the request counts as
	// failed; 0 means 60 s.
	Stall time.Duration
	// Transport makes the requests; nil means one that all stores share.
	Transport http.RoundTripper
	// Allow are URLs: redirects may lead to what is at and below them, besides to the
	// server of the store itself.
	Allow []string
	// Follow is asked before a redirect is followed, and its error refuses it, in place
	// of what Allow says.
	Follow func(to *url.URL) error
}

// Store is the part of a server below a URL. Its methods may be called by
// several goroutines.
type Store struct {
	base   url.URL
	url    string // without secrets
	opt    Options
	client *remote.Client
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Parallel = (*Store)(nil)
)

// Open gives the store below base, an http or https URL. Its query, if any, is
// part of each request. The server is not asked anything yet.
func Open(base string, opt Options) (*Store, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("open web store: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, store.WrapError("open", u.Redacted(), "", errors.New("not an http or https URL"))
	}
	u.Fragment, u.RawFragment = "", ""
	s := &Store{base: *u, opt: opt}
	u.RawQuery, u.ForceQuery = "", false
	s.url = u.Redacted()
	opt.Remote.Retries = cmp.Or(opt.Retries, opt.Remote.Retries)
	s.client = remote.New(remote.Options{
		Remote: opt.Remote, Wait: opt.Wait, MaxWait: opt.MaxWait, Stall: opt.Stall,
		Transport: opt.Transport, Redirect: s.checkRedirect, Explain: s.explain,
	})
	return s, nil
}

// URL is the URL given to Open, without password and query, which may be
// secret.
func (s *Store) URL() string { return s.url }

// Identity is the whole URL.
func (s *Store) Identity(key string) string { return store.JoinURL(s.base.String(), key) }

// Concurrency is how many requests may be under way: they mostly wait.
func (s *Store) Concurrency() int { return s.client.Concurrency() }

// keyURL gives the URL of a key, in which every character stands for itself.
func (s *Store) keyURL(key string) *url.URL {
	u := s.base
	var path strings.Builder
	path.WriteString(strings.TrimSuffix(u.EscapedPath(), "/"))
	for name := range strings.SplitSeq(key, "/") {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(name))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + key
	u.RawPath = path.String()
	return &u
}

// List gives ErrNoList.
func (s *Store) List(_ context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = store.ErrNoList
		}
		yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
	}
}

// Put gives ErrReadOnly.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.url, key, store.ErrReadOnly)
}

// Delete gives ErrReadOnly.
func (s *Store) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.url, key, store.ErrReadOnly)
}
