package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// elsewhere is a connection that seems to lead to an address.
type elsewhere struct {
	net.Conn
	at net.Addr
}

func (c elsewhere) RemoteAddr() net.Addr { return c.at }

// dialer records which addresses are asked for. One of them is that of a server of the
// test, all others are refused: nothing is sent to them.
type dialer struct {
	public, server string
	mu             sync.Mutex
	asked          []string
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	d.asked = append(d.asked, address)
	d.mu.Unlock()
	if address != d.public {
		return nil, errors.New("refused by the test")
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, d.server)
	if err != nil {
		return nil, err
	}
	at, err := netip.ParseAddrPort(address)
	return elsewhere{conn, net.TCPAddrFromAddrPort(at)}, err
}

// TestRedirectsInside has a public server that sends to addresses of all kinds. Those
// inside are never connected to, though every redirect is allowed.
func TestRedirectsInside(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		io.WriteString(w, "value")
	}))
	defer server.Close()
	const public = "203.0.113.7:80"
	for _, c := range []struct {
		from, to string
		inside   bool
		dials    string // the address that is asked for, "" for none
	}{
		{public, "http://127.0.0.1/x", true, ""}, {public, "http://localhost:8080/", true, ""}, {public, "http://a.localhost./", true, ""},
		{public, "http://169.254.169.254/latest/meta-data/", true, ""}, {public, "http://10.1.2.3/", true, ""},
		{public, "http://172.16.0.1/", true, ""}, {public, "http://192.168.0.1/", true, ""}, {public, "http://100.100.0.1/", true, ""},
		{public, "http://0.0.0.0/", true, ""}, {public, "http://[::1]/", true, ""}, {public, "http://[fe80::1]/", true, ""},
		{public, "http://[fd00::1]/", true, ""}, {public, "http://[::ffff:127.0.0.1]/", true, ""}, {public, "http://[64:ff9b::7f00:1]/", true, ""},
		{public, "http://224.0.0.1/", true, ""}, {public, "http://255.255.255.255/", true, ""},
		{public, "http://198.51.100.1/", false, "198.51.100.1:80"}, {public, "http://[2001:db8::1]/", false, "[2001:db8::1]:80"},
		// From inside it may go on inside.
		{"10.0.0.1:80", "http://10.0.0.2/", false, "10.0.0.2:80"},
		{"127.0.0.1:80", "http://127.0.0.2/", false, "127.0.0.2:80"},
		// Two steps are no way round it.
		{public, "http://203.0.113.7/?to=http://127.0.0.1/", true, public},
	} {
		d := &dialer{public: c.from, server: server.Listener.Addr().String()}
		transport := &http.Transport{DialContext: d.dial}
		client := New(Options{
			Remote: store.Remote{Retries: -1}, Transport: transport,
			Redirect: func(*http.Request, []*http.Request) error { return nil },
		})
		_, err := client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.from+"/?to="+c.to, nil)
		}, 100)
		transport.CloseIdleConnections()
		if err == nil || errors.Is(err, ErrInside) != c.inside {
			t.Errorf("to %s: %v", c.to, err)
		}
		if got := strings.Join(d.asked[1:], " "); got != c.dials {
			t.Errorf("to %s: connected to %q, want %q", c.to, got, c.dials)
		}
	}
}

// TestNamesThatMeanInside has names that are looked up when they are connected to.
func TestNamesThatMeanInside(t *testing.T) {
	d := &dialer{}
	_, err := dialPublic(ctx, "tcp", "localhost:80", d.dial)
	if err == nil || !strings.Contains(err.Error(), ErrInside.Error()) || len(d.asked) > 0 {
		t.Errorf("%v, connected to %q", err, d.asked)
	}
}
