// Package faulty stands between a client and a server of HTTP and makes what goes wrong
// between them: latency, narrow lines, servers that are busy or broken, connections that
// break before, in and after an answer, answers that lie about themselves, credentials
// that have expired. What goes wrong is decided by a plan, and the same in each run. It
// counts what passes.
package faulty

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Fault is what goes wrong with a request.
type Fault int

const (
	// None lets a request pass.
	None        Fault = iota
	Error             // 500, the server has not seen the request
	Busy              // 503 with Retry-After of a second
	Slower            // 429
	Lost              // the connection is reset, the server has not seen the request
	Unanswered        // the connection is reset, after the server has done what was asked
	Cut               // the connection is reset in the middle of the body
	Short             // the connection is closed in the middle of the body
	Less              // a body of half the length, which the header says too
	More              // a header that says more than the body has
	Elsewhere         // a Content-Range that lies one byte further on
	Expired           // 403 with the code ExpiredToken
	Trickle           // a body that comes a few bytes at a time
	Silent            // no answer, until the client goes
	Misdirected       // 307 to a server that does not answer
	Whole             // the whole value, though a range of it was asked for
	faults
)

var names = [faults]string{
	"none", "500", "503", "429", "lost request", "lost answer", "reset in the body", "short body", "wrong length, less", "wrong length, more",
	"wrong Content-Range", "expired credentials", "trickle", "silence", "redirect", "ignored range",
}

// String says what goes wrong, in a few words.
func (f Fault) String() string { return names[f] }

// All are the faults there are.
func All() []Fault {
	var all []Fault
	for f := None + 1; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

// Passing are the faults that a client can get over by asking again at once.
func Passing() []Fault { return []Fault{Error, Slower, Lost, Cut, Short, Less, More, Elsewhere} }

// Plan says what goes wrong. The zero value lets everything pass.
type Plan struct {
	// Fault is the fault of a request that was made n times before, by method, URL and
	// range.
	Fault func(r *http.Request, n int) Fault
	// Latency is how long each answer takes to begin.
	Latency time.Duration
	// Bandwidth is how many bytes of an answer go in a second, 0 for no limit.
	Bandwidth int
	// RetryAfter is what a server that is Busy says, "" for a second.
	RetryAfter string
}

// Some lets one request in `in` go wrong, with one of the faults, as seed has it: each
// request for itself, so that the order in which many come does not matter.
func Some(seed uint64, in uint64, faults ...Fault) func(*http.Request, int) Fault {
	return func(r *http.Request, n int) Fault {
		h := mix(seed ^ identity(r) ^ mix(uint64(n)))
		if h%in != 0 {
			return None
		}
		return faults[h/in%uint64(len(faults))]
	}
}

// First gives the first requests of each kind these faults in turn, and lets all later
// ones pass.
func First(faults ...Fault) func(*http.Request, int) Fault {
	return func(_ *http.Request, n int) Fault {
		if n < len(faults) {
			return faults[n]
		}
		return None
	}
}

// Named gives each request the fault whose number stands behind "fault-" in its URL, the
// first time that it is made.
func Named() func(*http.Request, int) Fault {
	return func(r *http.Request, n int) Fault {
		plain, _ := url.PathUnescape(r.URL.RequestURI())
		_, name, ok := strings.Cut(plain, "fault-")
		var f Fault
		if _, err := fmt.Sscan(name, (*int)(&f)); !ok || n > 0 || err != nil || f < 0 || f >= faults {
			return None
		}
		return f
	}
}

// Only keeps to requests of a method.
func Only(method string, f func(*http.Request, int) Fault) func(*http.Request, int) Fault {
	return func(r *http.Request, n int) Fault {
		if r.Method != method {
			return None
		}
		return f(r, n)
	}
}

// identity is a number that equal requests have in common.
func identity(r *http.Request) uint64 {
	h := uint64(14695981039346656037)
	for _, s := range [...]string{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Range")} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}

// mix spreads the bits of a number over all.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Proxy is a handler with faults before another. Its methods may be called while it
// serves.
type Proxy struct {
	next http.Handler
	plan atomic.Pointer[Plan]

	mu    sync.Mutex
	times map[uint64]int // that a request was made, by its identity
	log   []string

	requests, now, most atomic.Int64
	counts              [faults]atomic.Int64
}

// New puts a plan before a handler, which may be To.
func New(next http.Handler, p Plan) *Proxy {
	f := &Proxy{next: next, times: map[uint64]int{}}
	f.Plan(p)
	return f
}

// Serve is New before a server that runs, such as that of cloudtest, for as long as a
// test does. It gives the URL that stands for the server's.
func Serve(t testing.TB, server string, p Plan) (*Proxy, string) {
	up := To(server)
	f := New(up, p)
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.Close()
		up.Close()
	})
	return f, s.URL
}

// Plan replaces the plan; what was counted so far stays.
func (f *Proxy) Plan(p Plan) { f.plan.Store(&p) }

// Requests is how many were made, since the start or the last Reset.
func (f *Proxy) Requests() int { return int(f.requests.Load()) }

// Most is how many were under way at once at most.
func (f *Proxy) Most() int { return int(f.most.Load()) }

// Count is how many requests had a fault.
func (f *Proxy) Count(fault Fault) int { return int(f.counts[fault].Load()) }

// Faults is how many requests had any.
func (f *Proxy) Faults() int {
	n := 0
	for fault := None + 1; fault < faults; fault++ {
		n += f.Count(fault)
	}
	return n
}

// Log gives the requests since the last Reset, the first thousand, as
// "GET /bucket/key bytes=0-99".
func (f *Proxy) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.log...)
}

// Reset begins counting anew, and the log.
func (f *Proxy) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.times)
	f.log = make([]string, 0, 1000)
	f.requests.Store(0)
	f.most.Store(f.now.Load())
	for i := range f.counts {
		f.counts[i].Store(0)
	}
}

// note counts a request and says how often it was made before.
func (f *Proxy) note(r *http.Request) int {
	f.requests.Add(1)
	id := identity(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.times[id]
	f.times[id]++
	if len(f.log) < cap(f.log) {
		f.log = append(f.log, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Range")))
	}
	return n
}

// ServeHTTP passes a request on, with what the plan makes of it.
func (f *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := f.note(r)
	now := f.now.Add(1)
	defer f.now.Add(-1)
	for most := f.most.Load(); now > most && !f.most.CompareAndSwap(most, now); most = f.most.Load() {
	}
	plan := f.plan.Load()
	fault := None
	if plan.Fault != nil {
		fault = plan.Fault(r, n)
	}
	f.counts[fault].Add(1)
	if plan.Latency > 0 && !sleep(r, plan.Latency) {
		return
	}
	if fault == Whole {
		r.Header.Del("Range")
	}
	if !plan.instead(w, r, fault) {
		through := &writer{ResponseWriter: w, r: r, fault: fault, bandwidth: plan.Bandwidth}
		f.next.ServeHTTP(through, r)
		if !through.begun {
			through.WriteHeader(http.StatusOK) // as the server does
		}
	}
}

// sleep waits, and says whether the client is still there then.
func sleep(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// To passes requests on to a server, as they are: signatures stay right.
func To(server string) *Upstream {
	target, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	u := &Upstream{transport: &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024, DisableCompression: true}}
	u.proxy = httputil.ReverseProxy{
		Transport: u.transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host },
		// Sessions that the server names by its own address are reached through here too.
		ModifyResponse: func(resp *http.Response) error {
			if rest, ok := strings.CutPrefix(resp.Header.Get("Location"), server+"/"); ok {
				resp.Header.Set("Location", "http://"+resp.Request.Host+"/"+rest)
			}
			return nil
		},
		BufferPool: pool{},
		ErrorLog:   log.New(io.Discard, "", 0),
	}
	return u
}

// Upstream is a handler that is another server.
type Upstream struct {
	proxy     httputil.ReverseProxy
	transport *http.Transport
}

// ServeHTTP passes a request on to the other server.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) { u.proxy.ServeHTTP(w, r) }

// Close gives up connections that are not in use.
func (u *Upstream) Close() { u.transport.CloseIdleConnections() }

// pool lends the buffers of copies.
type pool struct{}

type buffer [32 << 10]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func (pool) Get() []byte  { return buffers.Get().(*buffer)[:] }
func (pool) Put(b []byte) { buffers.Put((*buffer)(b)) }
