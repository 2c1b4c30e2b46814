package serve_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve"
)

// pipes is a listener of connections in memory, which have a clock that a test can move.
type pipes struct {
	come chan net.Conn
	end  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.end); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// A client that takes little at a time, but never stops, gets all of a value, however long that
// takes.
func TestSlowButSteady(t *testing.T) {
	dir := folder(t)
	const size = 12 << 20
	if err := os.WriteFile(filepath.Join(dir, "big"), make([]byte, size), 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "a"), zarr.ArraySpec{Shape: []int{size}, Chunks: []int{size}, DataType: "uint8"})
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.All(), bytes.Repeat([]byte{1}, size))
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := serve.New(serve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Add("", dir); err != nil {
			t.Fatal(err)
		}
		l := pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: s}
		go server.Serve(l)
		for _, at := range []string{"/files/data.zarr/big", "/zarr/@codecs=none/data.zarr/a/c/0"} {
			client, far := net.Pipe()
			l.come <- far
			io.WriteString(client, "GET "+at+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			got, part := 0, make([]byte, 64<<10)
			for {
				n, err := client.Read(part)
				if got += n; err != nil {
					break
				}
				time.Sleep(time.Duration(n) * time.Second / (100 << 10)) // 100 KiB a second
			}
			if got < size {
				t.Errorf("%s: %d bytes of %d came", at, got, size)
			}
			client.Close()
		}
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Patience is with a client that takes nothing, and not with what it is sent, which may take long
// to make.
func TestSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w = serve.Patient(w, 30*time.Second)
			for range 3 {
				io.WriteString(w, strings.Repeat("x", 10000)) // more than waits for others
				time.Sleep(20 * time.Second)
			}
		})}
		go server.Serve(l)
		client, far := net.Pipe()
		l.come <- far
		io.WriteString(client, "GET / HTTP/1.0\r\n\r\n")
		if text, _ := io.ReadAll(client); strings.Count(string(text), "x") < 30000 {
			t.Errorf("%d bytes came", len(text))
		}
		client.Close()
		server.Close()
	})
}
