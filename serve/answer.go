package serve

import (
	"io"
	"net/http"
	"time"
)

// answer is a ResponseWriter that remembers what was answered, and gives a client a while
// for each piece of it: one that takes nothing any more is left. It lets the kernel copy
// files as the writer inside does.
type answer struct {
	http.ResponseWriter
	conn    *conn // nil where it is not one of Run's
	wait    time.Duration
	status  int
	bytes   int64
	waiting int64 // bytes since the clock was set
	until   time.Time
	idle    time.Time // since when nothing is being sent
}

// patienceFor is how many bytes are sent before a client gets more time.
const patienceFor = 1 << 20

func (a *answer) WriteHeader(status int) {
	if a.status == 0 || a.status < 200 {
		a.status = status
		a.patience(patienceFor)
		a.idle = time.Now()
	}
	a.ResponseWriter.WriteHeader(status)
}

// patience sets the clock when as much as n bytes were sent since.
func (a *answer) patience(n int64) {
	if a.waiting += n; a.waiting >= patienceFor {
		a.waiting = 0
		a.setClock(time.Now().Add(a.wait))
	}
}

func (a *answer) setClock(until time.Time) {
	a.until = until
	// A writer of tests has no clock.
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(until)
}

// resume gives a client the time that it took to make what it is sent now, as lines of a table
// that is read slowly.
func (a *answer) resume() {
	if gap := time.Since(a.idle); gap > a.wait/8 {
		a.setClock(a.until.Add(gap))
	}
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	a.resume()
	defer func() { a.idle = time.Now() }()
	for sent := 0; ; {
		part := p[sent:min(sent+patienceFor, len(p))]
		a.patience(int64(len(part)))
		n, err := a.ResponseWriter.Write(part)
		a.bytes += int64(n)
		if sent += n; err != nil || sent >= len(p) {
			return sent, err
		}
	}
}

// ReadFrom is how net/http has the kernel send a file.
func (a *answer) ReadFrom(r io.Reader) (int64, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	size := int64(patienceFor)
	switch r := r.(type) {
	case *io.LimitedReader:
		size = r.N
	case *part:
		size = r.n
	}
	a.patience(size)
	n, err := io.Copy(a.ResponseWriter, r)
	a.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
