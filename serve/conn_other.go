//go:build !linux

package serve

import "errors"

// Only on Linux are the descriptors of files at hand: there are no parts elsewhere.
func (*part) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (c *conn) sendFile(*part) (int64, error) { return 0, errors.ErrUnsupported }

// announce writes p; that more follows cannot be said everywhere.
func (c *conn) announce(p []byte) error {
	_, err := c.TCPConn.Write(p)
	return err
}
