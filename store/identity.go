package store

import "strings"

// Identified is a store that says which it is. Two stores with the same
// identity hold the same values; the name that URL gives to people may leave
// out what tells them apart, such as a query.
type Identified interface {
	Identity() string
}

// Identity names a value: the same value has the same name whichever folder the
// store that gives it starts at.
func Identity(s Reader, key string) string {
	if b, ok := s.(*sub); ok {
		return Identity(b.s, b.prefix+key)
	}
	if i, ok := s.(Identified); ok {
		return JoinURL(i.Identity(), key)
	}
	if u, ok := s.(Unwrapper); ok {
		return Identity(u.Unwrap(), key)
	}
	return JoinURL(strings.TrimSuffix(s.URL(), "/"), key)
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
