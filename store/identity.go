package store

import (
	"net/url"
	"path"
	"strings"

	"github.com/omnizarr/zarr/internal/anon"
)

// Identified is a store that says which value it gives for a key, or which
// folder: see Identity. The name that URL gives to people may leave out what
// tells stores apart, such as a query, or lead through symbolic links.
type Identified interface {
	// Identity names what lies at key, "" for the store itself, whether or not
	// there is something.
	Identity(key string) string
}

// Identity names a value or a folder, "" for all of a store: the same one has
// the same name whichever folder the store that gives it starts at, and whatever
// links lead there. Locks, caches and Overlap go by it. It may look at the disk:
// who needs many names below a folder asks for that of the folder.
//
// A store that is not Identified and no Unwrapper is like no other, also not like
// one of the same URL, and its names are good as long as Keep is kept.
func Identity(s Reader, key string) string {
	switch s := s.(type) {
	case *sub:
		return Identity(s.s, strings.TrimSuffix(s.prefix+key, "/"))
	case readOnly:
		return Identity(s.s, key)
	case Identified:
		return s.Identity(key)
	case Unwrapper:
		return Identity(s.Unwrap(), key)
	}
	at := JoinURL(strings.TrimSuffix(s.URL(), "/"), key)
	name := anon.Of(s)
	if name == nil {
		return at
	}
	if scheme, rest, ok := strings.Cut(at, "://"); ok { // as a user, so that Overlap compares the places
		return scheme + "://" + name.String() + "@" + rest
	}
	return name.String() + "@" + at
}

// Keep gives something that keeps the identities in a store the same while it is
// kept, where the store does not say who it is.
func Keep(s Reader) any {
	switch s := s.(type) {
	case *sub:
		return Keep(s.s)
	case readOnly:
		return Keep(s.s)
	case Identified:
		return nil
	case Unwrapper:
		return Keep(s.Unwrap())
	}
	return anon.Of(s)
}

// Overlap reports whether what two identities name is the same place, or one
// lies in the other: whether writing to one may change the other. An archive or
// another file that holds values is a folder in this.
func Overlap(a, b string) bool {
	a, b = folderOf(a), folderOf(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// folderOf spells an identity such that those of what lies in it begin with it.
func folderOf(identity string) string {
	u, err := url.Parse(identity)
	if err != nil || u.Host == "" && u.Scheme != "file" {
		return strings.TrimSuffix(identity, "/") + "/"
	}
	// On a server, who asks and how does not make another place.
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	if scheme != "http" && scheme != "https" { // a bucket may be on any server, or in any account
		q := u.Query()
		host += " " + q.Get("account") + " " + q.Get("endpoint")
	}
	return scheme + "://" + host + strings.TrimSuffix(path.Clean("/"+u.Path), "/") + "/"
}

// Tagged is an object that knows the tag of the value that it holds open, before
// anything was read.
type Tagged interface {
	Tag() string
}

// Tag is the ETag of the value that an object holds, "" if it is not known yet.
func Tag(o Object) string {
	if t, ok := o.(Tagged); ok {
		return t.Tag()
	}
	return ""
}

// Near is a store, or an object, of which a range costs about as much as a copy,
// such as a local file: reading it piece by piece through a small buffer is
// best. Others answer each range after a while, and are asked for few large
// ones.
type Near interface {
	Near() bool
}

// IsNear reports whether v is Near.
func IsNear(v any) bool {
	n, ok := As[Near](v)
	return ok && n.Near()
}
