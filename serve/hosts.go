package serve

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// knows reports whether a request is meant for this server by the name that it was made
// to. A page of somebody else can have its own name lead to a server on loopback; a
// request by such a name is refused. Without Hosts every name is taken.
func (s *Server) knows(host string) bool {
	if len(s.opt.Hosts) == 0 {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	return slices.ContainsFunc(s.opt.Hosts, func(known string) bool {
		if known == Loopback {
			ip, err := netip.ParseAddr(name)
			return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && ip.Unmap().IsLoopback()
		}
		return known == "*" || strings.EqualFold(strings.Trim(known, "[]"), name)
	})
}

// Loopback stands among Hosts for all names of this machine to itself: localhost,
// 127.0.0.1, ::1.
const Loopback = "loopback"

// IsLoopback reports whether an address, as that of a listener, is reached from this
// machine alone.
func IsLoopback(addr net.Addr) bool {
	if a, ok := addr.(*net.TCPAddr); ok {
		return a.IP.IsLoopback()
	}
	return addr.Network() == "unix"
}
