//go:build !arrays

package main

import (
	"net/http"
	"sync"
	"time"
)

func init() {
	commands["far"] = command{2, func(a []string) error { return serveFar(a[0], a[1]) }}
}

const (
	farDelay = time.Millisecond
	farRate  = 1e9 // bytes in a second
)

// serveFar serves the files below a folder as a store does that is some way off: each answer begins after a
// while, and all of them share one line.
func serveFar(listen, dir string) error {
	files, line := http.FileServer(http.Dir(dir)), &wire{}
	return http.ListenAndServe(listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(farDelay)
		files.ServeHTTP(&paced{w, line}, r)
	}))
}

// wire is what bytes of all answers go through, one after the other.
type wire struct {
	mu   sync.Mutex
	free time.Time // when all that was sent is through
}

// send waits until n bytes are through.
func (l *wire) send(n int) {
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / farRate * 1e9))
	until := l.free
	l.mu.Unlock()
	if wait := time.Until(until); wait > farDelay/2 { // shorter ones last longer than they should
		time.Sleep(wait)
	}
}

// paced is an answer that takes its time.
type paced struct {
	http.ResponseWriter
	line *wire
}

func (p *paced) Write(b []byte) (int, error) {
	p.line.send(len(b))
	return p.ResponseWriter.Write(b)
}
