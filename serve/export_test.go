package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// Accept takes a connection as Run does.
func Accept(l net.Listener) (net.Conn, error) { return listener{l}.Accept() }

// Hold has what is written next wait, and gives what waits.
func Hold(c net.Conn, header string) string {
	own := c.(*conn)
	own.wait = true
	_, _ = own.Write([]byte(header))
	return string(own.held)
}

// SendPart sends a part of a file as an answer does.
func SendPart(c net.Conn, fd uintptr, off, n int64) error {
	return (&answer{ResponseWriter: sender{httptest.NewRecorder(), c.(*conn)}}).sendPart(fd, span{off, n})
}

// sender is a writer that sends files by a connection, as that of net/http.
type sender struct {
	*httptest.ResponseRecorder
	*conn
}

func (s sender) Write(p []byte) (int, error) { return s.conn.Write(p) }

// Patient is the writer of answers to a client that has so much time.
func Patient(w http.ResponseWriter, wait time.Duration) http.ResponseWriter {
	return &answer{ResponseWriter: w, wait: wait}
}
