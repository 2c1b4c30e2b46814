// Package gcs keeps values in Google Cloud Storage, by its JSON API: gs://BUCKET/KEY.
//
// Who asks is found where Google's own programs look: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, that of "gcloud auth application-default login",
// the metadata server of a machine at Google. STORAGE_EMULATOR_HOST names a server to
// try things with, which gets no credentials. The URL's query may say otherwise:
// endpoint, anonymous=true for public buckets, userProject for buckets whose reader pays,
// forbidden=missing where a value that may not be read counts as missing, as the service
// says of missing ones to those who may not list.
//
// The tag of a value is its generation. To import the package makes gs:// known to
// package locate.
package gcs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/omnizarr/zarr/internal/bearer"
	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

const (
	scheme = "gs"
	google = "https://storage.googleapis.com"
	// large is from which size on a value is sent in pieces.
	large = 32 << 20
	// pieceSize is the size of those; a multiple of 256 KiB, as the service demands.
	pieceSize = 16 << 20
)

func init() {
	locate.Register(scheme, func(ctx context.Context, rawURL string, opt locate.Options) (locate.Location, error) {
		return locate.Remote(ctx, rawURL, opt, func(ctx context.Context, base string) (store.Store, error) {
			return Open(ctx, base, Options{Remote: opt.Remote})
		})
	})
	locate.RegisterIdentity(scheme, func(rawURL string) string {
		s, err := Open(context.Background(), rawURL, Options{})
		if err != nil {
			return rawURL
		}
		return s.Identity("")
	})
}

// Options says how to talk to the service; the zero value is fine.
type Options struct {
	// Remote bounds what is asked of the service.
	Remote store.Remote
	// Transport makes the requests; nil means one that all stores share.
	Transport http.RoundTripper
	// Token gives what requests are allowed by, instead of what is found in the
	// environment.
	Token func(ctx context.Context) (token string, expires time.Time, err error)

	wait time.Duration // before the first retry, for tests
}

// Store is the part of a bucket below a prefix. Its methods may be called by several
// goroutines.
type Store struct {
	place   bucket.Place
	url     string
	id      string
	api     url.URL // the server's
	project string  // that pays
	lax     bool    // what may not be read counts as missing
	client  *remote.Client
	tokens  *bearer.Source // nil for nobody in particular
	large   int
	piece   int

	unlisted bucket.Unlisted
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Opener      = (*Store)(nil)
	_ store.Parallel    = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
	_ store.Identified  = (*Store)(nil)
	_ store.Located     = (*Store)(nil)
	_ store.Streamer    = (*Store)(nil)
)

// Open gives the store that a URL gs://BUCKET/PREFIX names. The service is not asked
// anything yet.
func Open(_ context.Context, rawURL string, opt Options) (*Store, error) {
	p, err := bucket.Parse(rawURL, scheme, []string{"endpoint", "anonymous", "userProject", "forbidden"}, nil)
	if err != nil {
		return nil, store.WrapError("open", bucket.Shown(rawURL), "", err)
	}
	s := &Store{place: p, url: p.URL(), project: p.Query.Get("userProject"), large: large, piece: pieceSize}
	if err := s.connect(opt); err != nil {
		return nil, store.WrapError("open", bucket.Shown(rawURL), "", err)
	}
	return s, nil
}

func (s *Store) connect(opt Options) error {
	anonymous, err := s.place.Flag("anonymous")
	if err != nil {
		return err
	}
	forbidden := s.place.Query.Get("forbidden")
	if s.lax = forbidden == "missing"; !s.lax && forbidden != "" {
		return errors.New("forbidden in the URL can be missing, and nothing else")
	}
	endpoint := s.place.Query.Get("endpoint")
	if endpoint == "" {
		endpoint = os.Getenv("STORAGE_EMULATOR_HOST")
		anonymous = anonymous || endpoint != ""
	}
	if endpoint == "" {
		endpoint = google
	}
	u, err := bucket.Endpoint(endpoint)
	if err != nil {
		return err
	}
	// A server without encryption is one to try things with: nothing secret goes there.
	anonymous = anonymous || u.Scheme == "http" && opt.Token == nil
	if opt.Token != nil {
		if err := bearer.Safe(u.String()); err != nil {
			return err
		}
	}
	s.api = *u
	shown := u.String()
	if shown == google {
		shown = ""
	}
	s.id = s.place.With("endpoint", shown, "anonymous", s.place.Query.Get("anonymous"), "userProject", s.project)
	ask := remote.Options{Remote: opt.Remote, Transport: opt.Transport, Wait: opt.wait}
	switch {
	case opt.Token != nil:
		s.tokens = bearer.New(func(ctx context.Context) (bearer.Token, error) {
			value, expires, err := opt.Token(ctx)
			return bearer.Token{Value: value, Expires: expires}, err
		})
	case !anonymous:
		s.tokens = bearer.New(newFinder(ask).token)
	}
	ask.Explain, ask.Tag = s.explain, generation
	s.client = remote.New(ask)
	return nil
}

// generation is the tag of an answer.
func generation(h http.Header) string { return h.Get("X-Goog-Generation") }

// URL is that of the bucket and the prefix.
func (s *Store) URL() string { return s.url }

// Identity has the server too.
func (s *Store) Identity(key string) string { return store.JoinURL(s.id, key) }

// Concurrency is how many requests may be under way at once.
func (s *Store) Concurrency() int { return s.client.Concurrency() }

// Conditional is true: the service compares generations.
func (s *Store) Conditional() bool { return true }

// Locate tells the URL of a value, which it asks for to see that it is there.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	if _, _, err := s.Get(ctx, key, store.Part(0, 0), nil); err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, err)
	}
	return store.JoinURL(s.url, key), 0, -1, nil
}

func check(ctx context.Context, key string) error {
	if store.CheckKey(key) != nil {
		return store.ErrBadKey
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

var errBucket = errors.New("there is no such bucket")
