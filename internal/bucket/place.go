// Package bucket is what stores in the buckets of clouds have in common: the URLs that
// name them, values held open over several requests, values sent in pieces, listings that
// come page by page.
package bucket

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// Place is what a URL names: scheme://bucket/prefix?query.
type Place struct {
	Scheme, Bucket string
	Prefix         string // "" or a key with "/" at its end
	Query          url.Values
	plain          url.Values // those of its members that are no secrets
}

// Parse takes a URL apart. Its query may have the given members, and those that accept
// takes, which may be secret; nil takes none.
func Parse(rawURL, scheme string, members []string, accept func(name string, q url.Values) bool) (Place, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Place{}, errors.New("not a URL") // the error of Parse shows it, with its secrets
	}
	p := Place{Scheme: scheme, Bucket: u.Host}
	prefix := strings.Trim(u.Path, "/")
	switch {
	case u.Scheme != scheme || u.Opaque != "":
		return Place{}, fmt.Errorf("not a URL of the form %s://BUCKET/KEY", scheme)
	case u.User != nil:
		return Place{}, errors.New("a user and a password in the URL mean nothing here")
	case u.Fragment != "":
		return Place{}, errors.New(`"#" in a key is written "%23" in a URL`)
	case u.Host == "":
		return Place{}, fmt.Errorf("no bucket is named, as in %s://BUCKET/KEY", scheme)
	case prefix != "" && store.CheckKey(prefix) != nil:
		return Place{}, fmt.Errorf("%q: %w", prefix, store.ErrBadKey)
	case prefix != "":
		p.Prefix = prefix + "/"
	}
	if p.Query, err = url.ParseQuery(u.RawQuery); err != nil {
		return Place{}, errors.New("the query of the URL cannot be read")
	}
	p.plain = url.Values{}
	for name, v := range p.Query {
		if slices.Contains(members, name) {
			p.plain[name] = v
		} else if accept == nil || !accept(name, p.Query) {
			return Place{}, fmt.Errorf("the query of the URL has %q, known are %s", name, strings.Join(members, ", "))
		}
	}
	return p, nil
}

// URL names the place, with what its URL said besides and is no secret, so that it can be
// used again.
func (p Place) URL() string { return p.with(p.plain) }

// With is the URL of a place with the given members of a query, name and value by turns,
// of which those that are "" are left out.
func (p Place) With(members ...string) string {
	q := url.Values{}
	for i := 0; i < len(members); i += 2 {
		q.Set(members[i], members[i+1])
	}
	return p.with(q)
}

func (p Place) with(q url.Values) string {
	at := store.JoinURL(p.Scheme+"://"+p.Bucket, strings.TrimSuffix(p.Prefix, "/"))
	mark := "?"
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if v := q.Get(name); v != "" {
			// Slashes and colons are as good in a query, and easier to read.
			at += mark + name + "=" + strings.NewReplacer("%3A", ":", "%2F", "/").Replace(url.QueryEscape(v))
			mark = "&"
		}
	}
	return at
}

// Flag is a member of the query that is true or false.
func (p Place) Flag(name string) (bool, error) {
	switch v := p.Query.Get(name); v {
	case "", "false", "0", "no":
		return false, nil
	case "true", "1", "yes":
		return true, nil
	default:
		return false, fmt.Errorf("%s=%s in the URL: neither true nor false", name, v)
	}
}

// Endpoint checks the URL of a server, and takes the slash from its end.
func Endpoint(rawURL string) (*url.URL, error) {
	if !strings.Contains(rawURL, "://") {
		rawURL = "http://" + rawURL
	}
	u, err := url.Parse(strings.TrimRight(rawURL, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the endpoint is no http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the endpoint has more than scheme, host and path")
	}
	return u, nil
}

// Shown is a URL that could not be read, without what may be secret in it.
func Shown(rawURL string) string {
	base, _, _ := strings.Cut(rawURL, "?")
	if scheme, rest, ok := strings.Cut(base, "://"); ok {
		return scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
	}
	return base
}
