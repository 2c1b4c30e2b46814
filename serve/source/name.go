package source

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameOf is the last element of a URL: what a source is called unless somebody says
// otherwise.
func nameOf(rawURL string) string {
	base, _, _ := strings.Cut(rawURL, "|")
	name := ""
	if u, err := url.Parse(base); err == nil && len(u.Scheme) > 1 {
		at := strings.TrimRight(u.Path, "/")
		if u.Opaque != "" {
			at = strings.TrimRight(u.Opaque, "/")
		}
		if name = at[strings.LastIndexByte(at, '/')+1:]; name == "" {
			name = u.Hostname()
		}
	} else if abs, err := filepath.Abs(base); err == nil && filepath.Dir(abs) != abs {
		name = filepath.Base(abs)
	}
	// What stands at the front of addresses has a meaning of its own.
	name = strings.TrimLeft(name, "@")
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == utf8.RuneError || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
	if checkName(name) != nil {
		return "data"
	}
	return name
}

// checkName refuses names that are no single part of an address.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || name[0] == '@':
		return fmt.Errorf("name %q: must be a name, and not begin with @", name)
	case strings.ContainsAny(name, "/\\") || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
		return fmt.Errorf("name %q: must have no slashes and control characters", name)
	}
	return nil
}

// Shown is a URL without user, password and query, which may be secret.
func Shown(rawURL string) string {
	base, rest, piped := strings.Cut(rawURL, "|")
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
		base = u.String()
	}
	if piped {
		return base + "|" + rest
	}
	return base
}

// childURL is the URL of what lies below another under a name.
func childURL(rawURL, name string) string {
	if len(name) > 0 && !strings.Contains(rawURL, "|") {
		base, query, asked := strings.Cut(rawURL, "?")
		base = strings.TrimRight(base, "/") + "/" + url.PathEscape(name)
		if asked {
			base += "?" + query
		}
		return base
	}
	if strings.HasSuffix(rawURL, ":") {
		return rawURL + name
	}
	return strings.TrimRight(rawURL, "/") + "/" + name
}
