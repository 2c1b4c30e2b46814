package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
)

// cookieName is what a browser that came with the token once is known by.
const cookieName = "omnizarr-token"

// guarded reports whether requests must say who they come from.
func (s *Server) guarded() bool { return s.opt.Token != "" || s.opt.User != "" }

// admits reports whether a request may read. By hand says that it was by a header that
// pages of others cannot have a browser send, as changes need.
func (s *Server) admits(r *http.Request) (ok, byHand bool) {
	if !s.guarded() {
		return true, false
	}
	kind, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch strings.ToLower(kind) {
	case "bearer":
		if s.opt.Token != "" && equal(strings.TrimSpace(rest), s.opt.Token) {
			return true, true
		}
	case "basic":
		user, password, _ := r.BasicAuth()
		// The token is a password as well, for clients that know nothing else.
		known := s.opt.User != "" && both(equal(user, s.opt.User), equal(password, s.opt.Password))
		if known || s.opt.Token != "" && equal(password, s.opt.Token) {
			return true, true
		}
	}
	if s.opt.Token == "" {
		return false, false
	}
	if equal(r.URL.Query().Get("token"), s.opt.Token) {
		return true, false
	}
	for _, c := range r.CookiesNamed(s.cookie(r)) {
		if equal(c.Value, s.seal()) {
			return true, false
		}
	}
	return false, false
}

// equal compares in a time that tells nothing of where the two differ, nor how long the
// secret is.
func equal(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// both is && without a short cut.
func both(a, b bool) bool { return a && b }

// seal stands for the token in cookies, so that who sees one has not the token.
func (s *Server) seal() string {
	mac := hmac.New(sha256.New, []byte(s.opt.Token))
	mac.Write([]byte("cookie"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookie is the name of the cookie: ports of one host share their cookies.
func (s *Server) cookie(r *http.Request) string {
	if _, port, ok := strings.Cut(r.Host, ":"); ok && !strings.Contains(port, ":") {
		return cookieName + "-" + port
	}
	return cookieName
}

// remember turns the token in the address of a page into a cookie, and the address into
// one without it. It reports whether it has answered.
func (s *Server) remember(w http.ResponseWriter, r *http.Request) bool {
	q := r.URL.Query()
	if s.opt.Token == "" || !q.Has("token") {
		return false
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(r), Value: s.seal(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	q.Del("token")
	// Relative, since a prefix of the address may have been cut off on the way here.
	at := r.URL.EscapedPath()
	to := "./" + at[strings.LastIndexByte(at, '/')+1:]
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusSeeOther)
	return true
}

// demand tells a client how to say who it is.
func (s *Server) demand(h http.Header) {
	if s.opt.Token != "" {
		h.Add("WWW-Authenticate", `Bearer realm="omnizarr"`)
	}
	if s.opt.User != "" {
		h.Add("WWW-Authenticate", `Basic realm="omnizarr", charset="UTF-8"`)
	}
}
