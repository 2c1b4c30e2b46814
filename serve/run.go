package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"
)

// leftBehind is how many bytes requests may leave behind before the collector comes.
const leftBehind = 64 << 20

// Run answers what comes to a listener until the context ends; then those who are being
// answered are, for as long as grace lasts. certificates make it HTTPS, with HTTP/2; nil
// is plain HTTP. It closes the listener, and not the server.
func (s *Server) Run(ctx context.Context, l net.Listener, certificates []tls.Certificate, grace time.Duration) error {
	// The collector comes when the heap has doubled, which a server that sends files and has
	// little in memory would do many times a second. This is never touched, and takes no
	// memory but the room that it gives to what others leave behind.
	room := make([]byte, leftBehind)
	defer runtime.KeepAlive(room)
	limits := s.opt.Limits
	h := &http.Server{
		Handler: s,
		// Headers must come in one go: who sends them letter by letter is left.
		ReadHeaderTimeout: limits.Patience, IdleTimeout: limits.Idle, MaxHeaderBytes: limits.Header,
		ErrorLog: log.New(quietLog{s.opt.Log}, "", 0), ConnContext: withConn,
	}
	door := newDoor(l, limits.Connections)
	h.ConnState = door.watch
	listen := func() error { return h.Serve(listener{door}) }
	if certificates != nil {
		h.TLSConfig = &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12}
		listen = func() error { return h.ServeTLS(door, "", "") }
	}
	ended := make(chan error, 1)
	go func() { ended <- listen() }()
	_, _ = pageFiles() // before somebody waits for them; an error is theirs to see
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := h.Shutdown(graceful)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close() // who takes longer than that sees it
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// quietLog takes what net/http has to say of single connections, which is about clients
// and no failure of the server.
type quietLog struct{ to *slog.Logger }

func (q quietLog) Write(p []byte) (int, error) {
	if q.to != nil {
		q.to.Debug(string(p))
	}
	return len(p), nil
}
