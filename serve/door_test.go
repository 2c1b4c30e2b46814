package serve_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr/serve"
)

// counted is a listener that knows how many of its connections were open at once.
type counted struct {
	net.Listener
	mu         sync.Mutex
	open, most int
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	l.most = max(l.most, l.open)
	return &countedConn{Conn: c, l: l}, nil
}

type countedConn struct {
	net.Conn
	l    *counted
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		c.l.open--
	})
	return c.Conn.Close()
}

// Clients that say nothing, or a letter now and then, hold up others only until patience with them
// ends, and are never more than there is room for.
func TestConnectionsAreBounded(t *testing.T) {
	s, err := serve.New(serve.Options{Limits: serve.Limits{Connections: 3, Patience: 30 * time.Millisecond, Idle: 30 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &counted{Listener: tcp}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l, nil, time.Minute) }()
	var clients []net.Conn
	for _, begin := range []string{"", "G", "GET /healthz HTTP/1.1\r\nHost: local", "", "GET ", "", "", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"} {
		c, err := net.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c)
		io.WriteString(c, begin)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + tcp.Addr().String() + "/healthz") // it waits for its turn, without end
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 {
		t.Error(r.Status)
	}
	for _, c := range clients {
		c.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if l.most > 3 {
		t.Errorf("%d connections at once", l.most)
	}
}

// Secrets are compared by a function that takes as long wherever they differ, and by nothing else.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	text, err := os.ReadFile("auth.go")
	if err != nil {
		t.Fatal(err)
	}
	source := string(text)
	if !strings.Contains(source, "return subtle.ConstantTimeCompare(") {
		t.Error("equal does not use crypto/subtle")
	}
	for _, secret := range []string{"s.opt.Token", "s.opt.Password", "s.opt.User", "s.seal()"} {
		for line := range strings.Lines(source) {
			for _, wrong := range []string{"== " + secret, secret + " ==", "!= " + secret} {
				if strings.Contains(line, wrong) && !strings.Contains(line, secret+` == ""`) {
					t.Errorf("a comparison that ends early: %s", strings.TrimSpace(line))
				}
			}
		}
	}
}
