package faulty

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// instead answers a request whose fault keeps it from the server.
func (p *Plan) instead(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	status := 0
	switch fault {
	case Error:
		status = http.StatusInternalServerError
	case Busy:
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", cmp.Or(p.RetryAfter, "1"))
	case Slower:
		status = http.StatusTooManyRequests
	case Expired:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>`)
		return true
	case Misdirected:
		w.Header().Set("Location", "http://127.0.0.1:1"+r.URL.RequestURI())
		status = http.StatusTemporaryRedirect
	case Lost:
		reset(w)
		return true
	case Silent:
		io.Copy(io.Discard, r.Body) // else the server does not see that the client goes
		<-r.Context().Done()
		return true
	default:
		return false
	}
	w.WriteHeader(status)
	return true
}

// reset breaks the connection, so that the client sees that it was reset.
func reset(w http.ResponseWriter) { hangUp(w, true) }

func hangUp(w http.ResponseWriter, hard bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && hard {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// writer is an answer with a fault.
type writer struct {
	http.ResponseWriter
	r         *http.Request
	fault     Fault
	bandwidth int

	begun bool
	gone  bool
	left  int64 // bytes until a body ends that is cut, -1 for no end
}

// errGone is for the server behind, which need not go on.
var errGone = errors.New("faulty: the connection was broken")

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) WriteHeader(status int) {
	if w.begun || status < 200 {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.begun, w.left = true, -1
	if w.fault == Unanswered {
		w.hangUp(true)
		return
	}
	h := w.Header()
	length, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	switch w.fault {
	case Cut, Short:
		if w.left = 0; length > 0 {
			w.left = length / 2
		}
		if length == 0 || w.r.Method == http.MethodHead { // there is nothing to cut
			w.hangUp(w.fault == Cut)
			return
		}
	case Less:
		// Only where Content-Range tells better: nobody can know of a whole value that lacks its end.
		if length > 0 && h.Get("Content-Range") != "" {
			w.left = length / 2
			h.Set("Content-Length", strconv.FormatInt(w.left, 10))
		}
	case More:
		if length >= 0 {
			h.Set("Content-Length", strconv.FormatInt(length+1, 10))
		}
	case Elsewhere:
		if v := h.Get("Content-Range"); v != "" {
			h.Set("Content-Range", further(v))
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// further is a Content-Range that lies one byte further on.
func further(v string) string {
	var first, last, size int64
	if n, _ := fmt.Sscanf(v, "bytes %d-%d/%d", &first, &last, &size); n < 3 {
		return v
	}
	return fmt.Sprintf("bytes %d-%d/%d", first+1, last+1, size)
}

func (w *writer) hangUp(hard bool) {
	w.gone = true
	hangUp(w.ResponseWriter, hard)
}

func (w *writer) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.gone {
		return 0, errGone
	}
	all := len(p)
	last := w.left >= 0 && int64(all) >= w.left
	if last {
		p = p[:w.left]
	}
	if w.left >= 0 {
		w.left -= int64(len(p))
	}
	if err := w.send(p); err != nil {
		return 0, err
	}
	if last && (w.fault == Cut || w.fault == Short) {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
		w.hangUp(w.fault == Cut)
		return 0, errGone
	}
	return all, nil // and what lies behind the end is swallowed
}

// send writes a piece at the speed of the line.
func (w *writer) send(p []byte) error {
	piece, pause := len(p), time.Duration(0)
	switch {
	case w.fault == Trickle:
		piece, pause = 64, time.Millisecond
	case w.bandwidth > 0:
		const slice = 10 * time.Millisecond
		piece = max(w.bandwidth/int(time.Second/slice), 1)
		pause = slice
	}
	for len(p) > 0 {
		n, err := w.ResponseWriter.Write(p[:min(piece, len(p))])
		if err != nil {
			return err
		}
		p = p[n:]
		if pause > 0 {
			_ = http.NewResponseController(w.ResponseWriter).Flush()
			if !sleep(w.r, pause) {
				return w.r.Context().Err()
			}
		}
	}
	return nil
}

// Flush is for those who ask for it by type.
func (w *writer) Flush() {
	if !w.gone {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
	}
}

// Hijack is refused: the faults need the connection.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, errors.ErrUnsupported
}

// ReadFrom lets copies go through Write.
func (w *writer) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, r, nil)
}
