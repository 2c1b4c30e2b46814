package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
)

// tag is the ETag of a value in the form that HTTP has, "" if there is none. What stores
// on web servers give is that already; letters that it must not have are hashed away.
func tag(info store.Info) string {
	t := info.ETag
	if t == "" {
		return ""
	}
	weak := strings.HasPrefix(t, "W/")
	bare := strings.Trim(strings.TrimPrefix(t, "W/"), `"`)
	for _, c := range []byte(bare) {
		if c <= ' ' || c == '"' || c == ',' || c == '\\' || c >= 0x7f {
			sum := sha256.Sum256([]byte(bare))
			bare = hex.EncodeToString(sum[:12])
			break
		}
	}
	if weak {
		return `W/"` + bare + `"`
	}
	return `"` + bare + `"`
}

// packed is the ETag of the same value compressed.
func packed(tag string) string {
	if bare, ok := strings.CutSuffix(tag, `"`); ok {
		return bare + `-gzip"`
	}
	return tag
}

// named reports whether a list of ETags has one, by the strong comparison or the weak.
func named(list, tag string, weak bool) bool {
	if tag == "" || !weak && strings.HasPrefix(tag, "W/") {
		return false
	}
	for t := range strings.SplitSeq(list, ",") {
		t = strings.TrimSpace(t)
		if weak {
			t = strings.TrimPrefix(t, "W/")
		}
		bare := strings.TrimPrefix(tag, "W/")
		if t == bare || weak && t == packed(bare) {
			return true
		}
	}
	return false
}

// matches reports whether a list of ETags, as of If-Match, has that of a value, compressed
// or not: either is of the same version. Parts are of one of them, and are compared by named.
func matches(list, tag string) bool {
	return list == "*" || named(list, tag, false) || named(list, packed(tag), false)
}

// noTime is when a value was changed of which that is not known.
var noTime time.Time

// conditional reports whether an answer depends on what the value is now.
func conditional(h http.Header) bool {
	for _, name := range []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"} {
		if h[name] != nil {
			return true
		}
	}
	return false
}

// unmet gives the status that the conditions of a request for a value that is there end
// in: 304 or 412, 0 to go on.
func unmet(h http.Header, tag string, modified time.Time) int {
	if list := h.Get("If-Match"); list != "" {
		if !matches(list, tag) {
			return http.StatusPreconditionFailed
		}
	} else if t, ok := timeOf(h, "If-Unmodified-Since"); ok && !modified.IsZero() && modified.Truncate(time.Second).After(t) {
		return http.StatusPreconditionFailed
	}
	if list := h.Get("If-None-Match"); list != "" {
		if list == "*" || named(list, tag, true) {
			return http.StatusNotModified
		}
	} else if t, ok := timeOf(h, "If-Modified-Since"); ok && !modified.IsZero() && !modified.Truncate(time.Second).After(t) {
		return http.StatusNotModified
	}
	return 0
}

// timeOf reads a header that holds a time.
func timeOf(h http.Header, name string) (time.Time, bool) {
	text := h.Get(name)
	if text == "" {
		return noTime, false
	}
	t, err := http.ParseTime(text)
	return t, err == nil
}

// sameAsBefore reports whether a part can be given to who has another part already.
func sameAsBefore(ifRange, tag string, modified time.Time) bool {
	if ifRange == "" {
		return true
	}
	if strings.HasPrefix(ifRange, `"`) || strings.HasPrefix(ifRange, "W/") {
		return named(ifRange, tag, false)
	}
	t, err := http.ParseTime(ifRange)
	return err == nil && !modified.IsZero() && modified.Truncate(time.Second).Equal(t)
}
