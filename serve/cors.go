package serve

import (
	"maps"
	"net/http"
	"slices"
)

// exposed are the headers of answers that pages of other origins may read.
const exposed = "Content-Range, Content-Length, Content-Encoding, Accept-Ranges, ETag, Last-Modified, X-Shape, X-Data-Type, X-Series, X-Exact, Retry-After"

// always are the headers that all answers have, whoever asks.
func always(origins []string) http.Header {
	h := http.Header{"X-Content-Type-Options": {"nosniff"}}
	switch {
	case slices.Contains(origins, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", exposed)
	case len(origins) > 0:
		h.Set("Vary", "Origin")
	}
	return h
}

// allow says which pages of others may read the answer, whatever it is: browsers tell
// nothing of an answer without, not even that something is missing.
func (s *Server) allow(h http.Header, r *http.Request) {
	maps.Copy(h, s.always)
	if origin := r.Header.Get("Origin"); origin != "" && h["Access-Control-Allow-Origin"] == nil && slices.Contains(s.opt.Origins, origin) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", exposed)
	}
}

// preflight answers what a browser asks before it asks.
func (s *Server) preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	methods := s.methods()
	h.Set("Allow", methods)
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Range, If-None-Match, If-Match, If-Range, If-Modified-Since, Authorization, Content-Type, Accept, Cache-Control")
		h.Set("Access-Control-Max-Age", "86400")
		if r.Header.Get("Access-Control-Request-Private-Network") != "" {
			h.Set("Access-Control-Allow-Private-Network", "true")
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) methods() string {
	if s.opt.Write {
		return "GET, HEAD, OPTIONS, PUT, DELETE"
	}
	return "GET, HEAD, OPTIONS"
}
