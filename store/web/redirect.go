package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/omnizarr/zarr/store"
)

var errRedirect = errors.New("redirect refused")

// checkRedirect follows redirects on the same server, and to where the user allows. One
// that just adds a slash is how servers say that a folder, and so no value, lies there.
// Another server learns nothing that authorizes requests to this one: neither headers
// nor, by way of where the request came from, its query.
func (s *Store) checkRedirect(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer")
	if r.URL.Host != s.base.Host {
		for name := range s.opt.Header {
			r.Header.Del(name)
		}
	}
	last := via[len(via)-1].URL
	switch {
	case r.URL.Scheme != "http" && r.URL.Scheme != "https":
		return fmt.Errorf("%w: its scheme is %q", errRedirect, r.URL.Scheme)
	case r.URL.Scheme == "http" && last.Scheme == "https":
		return fmt.Errorf("%w: from https to http", errRedirect)
	case len(via) >= 10:
		return fmt.Errorf("%w: there were 10 before", errRedirect)
	case r.URL.Host == last.Host && r.URL.Path == last.Path+"/":
		return store.ErrNotExist
	}
	follow := s.follow
	if s.opt.Follow != nil {
		follow = s.opt.Follow
	}
	if err := follow(r.URL); err != nil {
		return fmt.Errorf("%w: %w", errRedirect, err)
	}
	return nil
}

// follow says where redirects may lead.
func (s *Store) follow(to *url.URL) error {
	if isOrigin(&s.base, to) {
		return nil
	}
	for _, allowed := range s.opt.Allow {
		if at, err := url.Parse(allowed); err == nil && isOrigin(at, to) && isBelow(at.Path, to.Path) {
			return nil
		}
	}
	server := url.URL{Scheme: to.Scheme, Host: to.Host}
	return fmt.Errorf("it leads to another server, which needs leave (--allow %s)", server.String())
}

// isOrigin reports whether two URLs are of one server; one that goes on from http to
// https, each at the port that it mostly has, is the same.
func isOrigin(at, to *url.URL) bool {
	if !strings.EqualFold(at.Hostname(), to.Hostname()) {
		return false
	}
	return at.Scheme == to.Scheme && port(at) == port(to) || at.Scheme == "http" && port(at) == "80" && to.Scheme == "https" && port(to) == "443"
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// isBelow reports whether a path is root or lies below it.
func isBelow(root, at string) bool {
	root, at = path.Join("/", root), path.Join("/", at)
	return root == "/" || at == root || strings.HasPrefix(at, root+"/")
}
