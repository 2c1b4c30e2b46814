package serve

import (
	"context"
	"io"
	"net"
	"net/http"
	"syscall"
)

// conn is a connection on which the header of an answer can wait for what follows it. Sent by
// itself it costs a packet, and wakes a client that can do nothing with it yet.
type conn struct {
	*net.TCPConn
	raw  syscall.RawConn // nil where more cannot be announced
	wait bool            // the next that is written is to wait
	held []byte
}

// listener makes each connection a conn.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		raw, err := tcp.SyscallConn()
		if err != nil {
			return nil, err
		}
		return &conn{TCPConn: tcp, raw: raw}, nil
	}
	return c, err
}

// connKey finds the connection of a request in its context.
type connKey struct{}

// withConn is the context of the requests of a connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// Write sends what was waiting along.
func (c *conn) Write(p []byte) (int, error) {
	if c.wait {
		c.wait = false
		c.held = append(c.held, p...)
		return len(p), nil
	}
	if len(c.held) == 0 {
		return c.TCPConn.Write(p)
	}
	both := net.Buffers{c.held, p}
	n, err := both.WriteTo(c.TCPConn)
	n = max(n-int64(len(c.held)), 0)
	c.held = c.held[:0]
	return int(n), err
}

// described is an object that knows the descriptor of its file.
type described interface{ Descriptor() (uintptr, bool) }

// part is the n bytes of a file from off on, which the kernel sends.
type part struct {
	fd  uintptr
	off int64
	n   int64
}

// sendPart has the kernel send a part of a file, behind the header.
func (a *answer) sendPart(fd uintptr, s span) error {
	for s.n > 0 {
		n, err := a.ReadFrom(&part{fd, s.off, min(s.n, patienceFor)})
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF // the file has become shorter
		}
		if err != nil {
			return err
		}
		s.off, s.n = s.off+n, s.n-n
	}
	return nil
}

// ReadFrom has the kernel send a file, behind what was waiting.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if len(c.held) > 0 {
		err := c.announce(c.held)
		c.held = c.held[:0]
		if err != nil {
			return 0, err
		}
	}
	if p, ok := r.(*part); ok {
		return c.sendFile(p)
	}
	return c.TCPConn.ReadFrom(r)
}

// begin writes the header of an answer, and where more follows has it wait for that, which
// the caller is about to write.
func begin(w http.ResponseWriter, status int, more bool) {
	w.WriteHeader(status)
	a, ok := w.(*answer)
	if !ok || a.conn == nil || !more {
		return
	}
	if f, ok := a.ResponseWriter.(http.Flusher); ok {
		a.conn.wait = true
		f.Flush()
		a.conn.wait = false
	}
}
