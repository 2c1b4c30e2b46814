package serve

import (
	"net"
	"net/http"
	"sync"
)

// door lets in as many connections as may be open at once.
type door struct {
	net.Listener
	inside chan struct{} // one for each
	shut   chan struct{}
	once   sync.Once
}

func newDoor(l net.Listener, most int) *door {
	return &door{Listener: l, inside: make(chan struct{}, most), shut: make(chan struct{})}
}

// Accept waits until there is room, and then for somebody to come.
func (d *door) Accept() (net.Conn, error) {
	select {
	case d.inside <- struct{}{}:
	case <-d.shut:
		return nil, net.ErrClosed
	}
	c, err := d.Listener.Accept()
	if err != nil {
		<-d.inside
	}
	return c, err
}

// watch makes room when a connection has ended.
func (d *door) watch(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		<-d.inside
	}
}

// Close lets nobody in any more.
func (d *door) Close() error {
	d.once.Do(func() { close(d.shut) })
	return d.Listener.Close()
}
