package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrInside says that a server outside sent to an address of this machine, or of a
// network that is not the internet's.
var ErrInside = errors.New("a server of the internet may not send to one inside")

// hops sends requests, also those that other servers sent to. One that a public server
// sent elsewhere goes to public addresses alone, whatever its name says and whoever
// allowed the name: what listens inside is not for those outside to ask.
type hops struct {
	plain http.RoundTripper
	// outside makes a transport that reaches public addresses alone, of plain.
	outside func() http.RoundTripper
	proxied func(*http.Request) bool
}

func newHops(plain http.RoundTripper) *hops {
	h := &hops{plain: plain, proxied: func(*http.Request) bool { return false }}
	h.outside = sync.OnceValue(func() http.RoundTripper { return plain })
	if t, ok := plain.(*http.Transport); ok {
		h.outside = sync.OnceValue(func() http.RoundTripper { return publicOnly(t) })
		h.proxied = func(r *http.Request) bool {
			if t.Proxy == nil {
				return false
			}
			p, err := t.Proxy(r)
			return err == nil && p != nil
		}
	}
	return h
}

// trail remembers of a request and those that it was sent on as whether one was
// answered by a public server.
type trail struct{ public atomic.Bool }

type trailKey struct{}

// onTrail is a context for a request that may be sent elsewhere.
func onTrail(ctx context.Context) context.Context {
	return context.WithValue(ctx, trailKey{}, new(trail))
}

// RoundTrip sends a request; those that have a Response come of a redirect.
func (h *hops) RoundTrip(r *http.Request) (*http.Response, error) {
	t, _ := r.Context().Value(trailKey{}).(*trail)
	if t == nil {
		return h.plain.RoundTrip(r)
	}
	host, proxied := r.URL.Hostname(), h.proxied(r)
	through := h.plain
	if r.Response != nil && t.public.Load() {
		if isInside(host) {
			return nil, &refused{fmt.Errorf("%w: it leads to %s", ErrInside, host)}
		}
		if !proxied { // else the proxy looks names up
			through = h.outside()
		}
	}
	if proxied || !isTransport(h.plain) {
		if !isInside(host) {
			t.public.Store(true)
		}
		return through.RoundTrip(r)
	}
	return through.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if at, err := netip.ParseAddrPort(c.Conn.RemoteAddr().String()); err != nil || isPublic(at.Addr()) {
			t.public.Store(true)
		}
	}})))
}

func isTransport(t http.RoundTripper) bool { _, ok := t.(*http.Transport); return ok }

// isInside reports whether a host is inside by its name alone.
func isInside(host string) bool {
	if at, err := netip.ParseAddr(host); err == nil {
		return !isPublic(at)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// inside are networks that are not the internet's, besides those that netip knows.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

// isPublic reports whether an address is one of the internet.
func isPublic(at netip.Addr) bool {
	at = at.Unmap().WithZone("")
	if !at.IsGlobalUnicast() || at.IsPrivate() {
		return false
	}
	for _, net := range inside {
		if net.Contains(at) {
			return false
		}
	}
	return true
}

// publicOnly is a transport like t, with connections of its own, that reaches public
// addresses alone.
func publicOnly(t *http.Transport) *http.Transport {
	t = t.Clone()
	t.Proxy = nil
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialTLSContext = nil
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialPublic(ctx, network, address, dial)
	}
	return t
}

// dialPublic looks a name up, and connects to those of its addresses that are public. It
// connects to what it has looked at: a name may mean something else the next time.
func dialPublic(ctx context.Context, network, address string, dial func(ctx context.Context, network, address string) (net.Conn, error)) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	list := []netip.Addr{}
	if at, err := netip.ParseAddr(host); err == nil {
		list = append(list, at)
	} else if list, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err
	}
	err = &refused{fmt.Errorf("%w: it leads to %s", ErrInside, host)}
	for _, at := range list {
		if !isPublic(at) {
			continue
		}
		var conn net.Conn
		if conn, err = dial(ctx, network, net.JoinHostPort(at.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
