package serve

import (
	"log/slog"
	"net/http"
	"time"
)

// logAccess tells of an answer. Addresses are told without their query, which may hold a
// token; what is in it that matters is on the page.
func (s *Server) logAccess(r *http.Request, a *answer, took time.Duration) {
	if s.opt.Log == nil || !s.opt.AccessLog {
		return
	}
	s.opt.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()), slog.Int("status", a.status),
		slog.Int64("bytes", a.bytes), slog.Duration("took", took), slog.String("from", r.RemoteAddr),
		slog.String("range", r.Header.Get("Range")), slog.String("agent", r.UserAgent()))
}

// logFailure tells of what is wrong with the server, not with a request.
func (s *Server) logFailure(r *http.Request, text string, what any) {
	if s.opt.Log != nil {
		s.opt.Log.LogAttrs(r.Context(), slog.LevelError, text,
			slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()), slog.Any("error", what))
	}
}
