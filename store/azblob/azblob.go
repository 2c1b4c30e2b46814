// Package azblob keeps values in Azure Blob Storage: azblob://CONTAINER/KEY.
//
// The account and what allows requests are found where Azure's own programs look:
// AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or
// AZURE_STORAGE_SAS_TOKEN; else Entra ID is asked, by a secret (AZURE_CLIENT_SECRET), by a
// workload identity (AZURE_FEDERATED_TOKEN_FILE) or by the managed identity of a machine.
// The URL's query may say otherwise: account, endpoint, anonymous=true for public
// containers, or a shared access signature as it is.
//
// Requests are made and signed here, by the REST API. To import the package makes
// azblob:// known to package locate.
package azblob

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/omnizarr/zarr/internal/bearer"
	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

const (
	scheme = "azblob"
	// version is that of the API.
	version = "2021-12-02"
	// large is from which size on a value is sent in blocks, and blockSize that of those.
	// Fifty thousand make a value at most.
	large     = 32 << 20
	blockSize = 16 << 20
	maxBlocks = 50_000
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

// Store is the part of a container below a prefix. Its methods may be called by several
// goroutines.
type Store struct {
	place  bucket.Place
	url    string
	id     string
	api    url.URL // the container's
	key    *sharedKey
	sas    url.Values
	tokens *bearer.Source // nil for nobody in particular, or where a key or signature is
	client *remote.Client
	large  int
	block  int

	unlisted bucket.Unlisted
	sizes    sizes
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

var members = []string{"account", "endpoint", "anonymous"}

func isMember(name string) bool { return slices.Contains(members, name) }

// Open gives the store that a URL azblob://CONTAINER/PREFIX names. The service is not
// asked anything yet.
func Open(_ context.Context, rawURL string, opt Options) (*Store, error) {
	p, err := bucket.Parse(rawURL, scheme, members, func(_ string, q url.Values) bool { return q.Has("sig") })
	if err != nil {
		return nil, store.WrapError("open", bucket.Shown(rawURL), "", err)
	}
	s := &Store{place: p, url: p.URL(), large: large, block: blockSize}
	if err := s.connect(opt); err != nil {
		return nil, store.WrapError("open", bucket.Shown(rawURL), "", err)
	}
	return s, nil
}

func (s *Store) connect(opt Options) error {
	a, err := find(s.place)
	if err != nil {
		return err
	}
	ask := remote.Options{Remote: opt.Remote, Transport: opt.Transport, Wait: opt.wait}
	switch {
	case opt.Token != nil:
		a.key, a.sas, a.tokens = nil, nil, true
		s.tokens = bearer.New(func(ctx context.Context) (bearer.Token, error) {
			value, expires, err := opt.Token(ctx)
			return bearer.Token{Value: value, Expires: expires}, err
		})
	case a.tokens:
		s.tokens = bearer.New(newFinder(ask).token)
	}
	if a.tokens || a.sas != nil {
		if err := bearer.Safe(a.endpoint.String()); err != nil {
			return err
		}
	}
	s.key, s.sas = a.key, a.sas
	s.api = *below(a.endpoint, s.place.Bucket)
	endpoint := a.endpoint.String()
	if endpoint == "https://"+a.name+".blob.core.windows.net" {
		endpoint = ""
	}
	s.id = s.place.With("account", a.name, "endpoint", endpoint, "anonymous", s.place.Query.Get("anonymous"))
	ask.Explain = s.explain
	s.client = remote.New(ask)
	return nil
}

// URL is that of the container and the prefix.
func (s *Store) URL() string { return s.url }

// Identity has the account too, and the server.
func (s *Store) Identity(key string) string { return store.JoinURL(s.id, key) }

// Concurrency is how many requests may be under way at once.
func (s *Store) Concurrency() int { return s.client.Concurrency() }

// Conditional is true: the service compares tags.
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

// anonymous reports whether requests say nothing of who makes them.
func (s *Store) anonymous() bool { return s.key == nil && s.sas == nil && s.tokens == nil }
