package serve

import (
	"io"

	"golang.org/x/sys/unix"
)

// announce writes what more follows at once.
func (c *conn) announce(p []byte) error {
	var failed error
	err := c.raw.Write(func(fd uintptr) bool {
		for len(p) > 0 {
			n, err := unix.SendmsgN(int(fd), p, nil, nil, unix.MSG_MORE|unix.MSG_NOSIGNAL)
			switch err {
			case nil:
				p = p[n:]
			case unix.EINTR:
			case unix.EAGAIN:
				return false
			default:
				failed = err
				return true
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return err
}

// Read is for writers that do not know how a part is sent.
func (p *part) Read(b []byte) (int, error) {
	if p.n == 0 {
		return 0, io.EOF
	}
	n, err := unix.Pread(int(p.fd), b[:min(int64(len(b)), p.n)], p.off)
	if n <= 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	n = max(n, 0)
	p.off, p.n = p.off+int64(n), p.n-int64(n)
	return n, err
}

// sendFile has the kernel send a part of a file.
func (c *conn) sendFile(p *part) (sent int64, err error) {
	var failed error
	err = c.raw.Write(func(fd uintptr) bool {
		for sent < p.n {
			off := p.off + sent
			n, err := unix.Sendfile(int(fd), int(p.fd), &off, int(p.n-sent))
			switch {
			case err == nil && n == 0:
				return true // the file has become shorter
			case err == nil:
				sent += int64(n)
			case err == unix.EINTR:
			case err == unix.EAGAIN:
				return false
			default:
				failed = err
				return true
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return sent, err
}
