package reach

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// site is where a file or folder lies.
type site struct {
	scheme, host string // "file" has no host
	path         string // absolute and clean, with slashes; every character stands for itself
	query        string
	server       string // of a bucket, as the query of its URL says it
}

var hasScheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]+)://`)

// siteOf reads a URL in which paths are escaped, as stores have it.
func siteOf(rawURL string) (site, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme == "" || u.Opaque != "" || !strings.HasPrefix(u.Path, "/") && u.Path != "" {
		return site{}, fmt.Errorf("%s is not a URL of files", rawURL)
	}
	s := site{scheme: strings.ToLower(u.Scheme), host: strings.ToLower(u.Host), path: path.Clean("/" + u.Path), query: u.RawQuery}
	switch s.scheme {
	case "file":
		s.host, s.query = "", ""
	case "http", "https":
	default:
		s.server, s.query = plainQuery(s.query), ""
	}
	return s, nil
}

// plainQuery spells a query in one way, whatever is escaped in it and in which order its
// members are.
func plainQuery(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return query
	}
	return strings.NewReplacer("%3A", ":", "%2F", "/").Replace(q.Encode())
}

// siteOfPath is a local file or folder.
func siteOfPath(name string) (site, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return site{}, err
	}
	return site{scheme: "file", path: path.Clean("/" + filepath.ToSlash(abs))}, nil
}

// refer gives the site that a reference means in a folder. In "file://" and in
// paths every character stands for itself, as those who write manifests have it.
func (s site) refer(ref string) (site, error) {
	m := hasScheme.FindStringSubmatch(ref)
	switch {
	case strings.ContainsRune(ref, 0) || strings.Contains(ref, "::"):
		return site{}, fmt.Errorf("%q is not supported as the name of a file", ref)
	case m != nil && strings.EqualFold(m[1], "file"):
		name := ref[len(m[0]):]
		if !strings.HasPrefix(name, "/") {
			return site{}, fmt.Errorf("%q is not the URL of a local file", ref)
		}
		return site{scheme: "file", path: path.Clean(name)}, nil
	case m != nil:
		to, err := siteOf(ref)
		if to.server == "" && to.scheme == s.scheme && to.host == s.host {
			to.server = s.server // the same bucket, named without saying where
		}
		return to, err
	case strings.HasPrefix(ref, "/") || filepath.IsAbs(ref):
		return siteOfPath(ref)
	case s.scheme == "":
		return site{}, fmt.Errorf("%q has no folder that it is relative to", ref)
	}
	s.path = path.Join(s.path, ref)
	return s, nil
}

// String is a path or a URL.
func (s site) String() string {
	if s.scheme == "file" {
		return s.local()
	}
	return s.url()
}

// local is the path of a local file as the system has it.
func (s site) local() string {
	p := s.path
	if runtime.GOOS == "windows" && len(p) > 2 && p[2] == ':' {
		p = p[1:]
	}
	return filepath.FromSlash(p)
}

// url is the URL without its query, which may be secret; that of a bucket says which
// server it is on.
func (s site) url() string {
	return (&url.URL{Scheme: s.scheme, Host: s.host, Path: s.path, RawQuery: s.server}).String()
}

// up is the folder that s lies in.
func (s site) up() site {
	s.path, s.query = path.Dir(s.path), ""
	return s
}

// below gives the key of s in a store that starts at root, "" if s is root
// itself.
func (s site) below(root site) (key string, ok bool) {
	if s.scheme != root.scheme || s.host != root.host || s.server != root.server {
		return "", false
	}
	if s.path == root.path {
		return "", true
	}
	return strings.CutPrefix(s.path, strings.TrimSuffix(root.path, "/")+"/")
}

// placesOf gives the sites that a path or URL names: a path that leads through
// symbolic links as it is and without them.
func placesOf(name string) (out []site) {
	add := func(s site, err error) {
		if err == nil {
			out = append(out, s)
		}
	}
	if hasScheme.MatchString(name) {
		add(siteOf(name))
		return out
	}
	add(siteOfPath(name))
	if real, err := filepath.EvalSymlinks(name); err == nil {
		add(siteOfPath(real))
	}
	return out
}
