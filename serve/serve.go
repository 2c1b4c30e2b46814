// Package serve shows hierarchies of any format over HTTP: as plain Zarr, which every
// client of Zarr reads, as the files that they are, and through an API and a page that
// show what is in them.
//
// Addresses are /zarr/NAME/KEY (Zarr v3), /zarr2/NAME/KEY (Zarr v2), /files/NAME/KEY (as
// stored), /api/, /view/, /healthz and /metrics. A handler for one node takes a line, see
// Handler; a Server has many sources.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
)

// Options say how a server behaves; the zero value is one that anybody may read from, and
// nobody write to.
type Options struct {
	// Open are for all nodes.
	Open []zarr.Option
	// Kinds are the formats and conventions that are known beyond reading them; nil: all
	// that come along.
	Kinds kind.List
	// Cache is how many bytes of what is made for clients stay in memory; 0: 256 MiB,
	// negative: none.
	Cache int64
	// CacheDir is a folder in which more of it stays, up to CacheDisk bytes; 0: 8 GiB.
	CacheDir  string
	CacheDisk int64
	// Origins are those whose pages may read what is served; nil: all. One that is no
	// origin, such as "none", lets none.
	Origins []string
	// Hosts are the names that requests may be made to; nil: any.
	Hosts []string
	// Token is what clients must show; User and Password are another way to. Without
	// them everybody may read.
	Token          string
	User, Password string
	// Write lets clients that have shown the token change sources that are Zarr.
	Write bool
	// MaxAge is how long clients may keep what they got without asking again.
	MaxAge time.Duration
	// Limits are of what clients may ask for.
	Limits Limits
	// Log is told of failures, and with AccessLog of every request; nil: nothing.
	Log       *slog.Logger
	AccessLog bool
}

// Limits bound what a server takes on. Zero stands for what is said behind each.
type Limits struct {
	// Connections are those that may be open at once: 4096. Who comes then waits until one
	// ends, as one does whose client is silent.
	Connections int
	Requests    int           // answered at once: 1024
	Work        int           // of those that must decode, read or fetch: 8 for each processor, at least 32
	Queue       time.Duration // that others wait before they are told to come later: 20 s
	Ranges      int           // in one request: 64
	Header      int           // bytes: 64 KiB
	Body        int64         // bytes of a value that is put: 256 MiB
	Patience    time.Duration // with a client that sends or takes nothing: 30 s
	Idle        time.Duration // with one that asks for nothing: 2 min
}

func orElse[T int | int64 | time.Duration](v, other T) T {
	if v == 0 {
		return other
	}
	return v
}

func (l Limits) filled() Limits {
	return Limits{
		Connections: orElse(l.Connections, 4096), Requests: orElse(l.Requests, 1024), Work: orElse(l.Work, max(32, 8*runtime.GOMAXPROCS(0))), Queue: orElse(l.Queue, 20*time.Second),
		Ranges: orElse(l.Ranges, 64), Header: orElse(l.Header, 64<<10), Body: orElse(l.Body, 256<<20),
		Patience: orElse(l.Patience, 30*time.Second), Idle: orElse(l.Idle, 2*time.Minute),
	}
}

// Where sources are, by their names: as Zarr of either version, and as they are stored.
const (
	Path3     = "/zarr"
	Path2     = "/zarr2"
	PathFiles = "/files"
)

// Server is a handler of all that it serves.
type Server struct {
	opt     Options
	sources *source.Set
	cache   *kept.Cache
	api     http.Handler
	all     *gate // of requests
	work    *gate // of what takes memory and processors
	count   metrics
	always  http.Header // of all answers

	changing locks.Table // keys that are being changed

	mu      sync.Mutex
	urls    map[*source.Source]string // as they were given
	open    map[*source.Source]store.Store
	views   map[target]*plain.Store
	closers []func() error
}

// New gives a server without sources.
func New(o Options) (*Server, error) {
	o.Limits = o.Limits.filled()
	if o.Origins == nil {
		o.Origins = []string{"*"}
	}
	if o.Kinds == nil {
		o.Kinds = std.Kinds()
	}
	s := &Server{opt: o, urls: map[*source.Source]string{}, open: map[*source.Source]store.Store{}, views: map[target]*plain.Store{}, sources: source.NewSet(source.Options{Open: o.Open, Kinds: o.Kinds})}
	if o.Write && !s.guarded() {
		return nil, errors.New("a server that may be written to needs a token, or a user and a password")
	}
	if o.User == "" && o.Password != "" {
		return nil, errors.New("a password needs the name of a user")
	}
	s.always = always(o.Origins)
	s.all = newGate(o.Limits.Requests, o.Limits.Queue)
	s.work = newGate(o.Limits.Work, o.Limits.Queue)
	var err error
	if s.cache, err = kept.New(max(orElse(o.Cache, 256<<20), 0), o.CacheDir, orElse(o.CacheDisk, 8<<30)); err != nil {
		return nil, err
	}
	s.api = api.New(s.sources, api.Options{Cache: s.cache, Log: o.Log, Begin: s.work.enter})
	return s, nil
}

// Handler serves one node, to everybody: http.ListenAndServe(addr, serve.Handler(node)).
// Its name is the last element of its URL. The node stays the caller's, and must stay open.
// New has more to choose from.
func Handler(n zarr.Node) http.Handler {
	s, err := New(Options{})
	if err == nil {
		err = s.AddNode("", n)
	}
	if err != nil { // there is no node
		return http.NotFoundHandler()
	}
	return s
}

// AddNode serves a node that is open, and stays so; it is the caller's. The name "" stands
// for the last element of its URL.
func (s *Server) AddNode(name string, n zarr.Node) error {
	_, err := s.sources.AddNode(name, n)
	return err
}

// Add serves what a URL names; the name "" stands for its last element. It is opened when
// it is first asked for.
func (s *Server) Add(name, url string) (*source.Source, error) {
	src, err := s.sources.Add(name, url)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.urls[src] = url
	return src, nil
}

// Close gives up all that is open. Nobody may be served any more.
func (s *Server) Close() error {
	err := errors.Join(s.cache.Close(), s.sources.Close())
	for _, c := range s.closers {
		err = errors.Join(err, c())
	}
	return err
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	a := &answer{ResponseWriter: w, wait: s.opt.Limits.Patience}
	a.conn, _ = r.Context().Value(connKey{}).(*conn)
	if r.Body != nil && r.Body != http.NoBody {
		// Before it answers, and behind that, net/http reads what the request still has, for as
		// long as it takes to come. A writer of tests has no clock.
		_ = http.NewResponseController(w).SetReadDeadline(began.Add(s.opt.Limits.Patience))
	}
	if strings.HasPrefix(r.URL.Path, "//") { // who puts a slash behind the address of the server
		r = withPath(r, "/"+strings.TrimLeft(r.URL.Path, "/"))
	}
	at := route(r.URL.Path)
	s.count.inFlight.Add(1)
	defer func() {
		s.count.inFlight.Add(-1)
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				s.logFailure(r, "panic", p)
			}
			if a.status != 0 {
				s.finish(r, a, at, began)
				panic(http.ErrAbortHandler) // so that the client sees that it has not got all
			}
			s.fail(a, r, refuse(http.StatusInternalServerError, api.Internal, "internal error, please report it"))
		}
		s.finish(r, a, at, began)
	}()
	if err := s.serve(a, r, at); err != nil {
		s.fail(a, r, err)
	}
}

func (s *Server) finish(r *http.Request, a *answer, at string, began time.Time) {
	took := time.Since(began)
	s.count.done(at, a.status, a.bytes, took)
	s.logAccess(r, a, took)
}

// withPath is a request for another address.
func withPath(r *http.Request, path string) *http.Request {
	out, u := new(http.Request), *r.URL
	*out = *r
	u.Path = path
	if u.RawPath != "" {
		u.RawPath = "/" + strings.TrimLeft(u.RawPath, "/")
	}
	out.URL = &u
	return out
}

// route names the kind of an address, of which there are few, for metrics.
func route(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "zarr", "zarr2", "files", "api", "view", "assets", "healthz", "metrics":
		return "/" + first
	case "":
		return "/"
	}
	return "other"
}

// serve answers, or says why not.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, at string) error {
	s.allow(w.Header(), r)
	if !s.knows(r.Host) {
		return refuse(http.StatusForbidden, api.Forbidden, fmt.Sprintf("this server is not %q: it was started for other names, --host adds one", r.Host))
	}
	if r.Method == http.MethodOptions {
		s.preflight(w, r)
		return nil
	}
	changes := r.Method == http.MethodPut || r.Method == http.MethodDelete
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !(changes && s.opt.Write) {
		w.Header().Set("Allow", s.methods())
		return refuse(http.StatusMethodNotAllowed, api.WrongRequest, "the method "+r.Method+" is not allowed here")
	}
	if at == "/healthz" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		s.sendText(w, r, "ok\n")
		return nil
	}
	ok, byHand := s.admits(r)
	if !ok || changes && !byHand {
		s.demand(w.Header())
		return refuse(http.StatusUnauthorized, api.Unauthorized, "this needs the token that the server was started with: open the address that it printed, or send it as Authorization: Bearer")
	}
	if (at == "/" || at == "/view") && s.remember(w, r) {
		return nil
	}
	if at == "/metrics" {
		s.sendMetrics(w, r)
		return nil
	}
	leave, err := s.all.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	switch at {
	case Path3, Path2, PathFiles:
		return s.serveKey(w, r, at)
	}
	if changes {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		return refuse(http.StatusMethodNotAllowed, api.WrongRequest, "the method "+r.Method+" is not allowed here")
	}
	switch at {
	case "/api":
		s.api.ServeHTTP(w, r)
		return nil
	case "/", "/view", "/assets":
		return s.sendPage(w, r, at)
	}
	return nothing()
}

// serveKey answers for a key of a source, in one of its forms.
func (s *Server) serveKey(w http.ResponseWriter, r *http.Request, form string) error {
	t, err := parseTarget(form, r)
	if err != nil {
		return err
	}
	if t.name == "" {
		return s.listSources(w, r, t)
	}
	src, ok := s.sources.Find(t.name)
	if !ok {
		return refuse(http.StatusNotFound, api.NotFound, fmt.Sprintf("there is no source %q", t.name))
	}
	if r.Method == http.MethodPut || r.Method == http.MethodDelete {
		return s.change(w, r, src, t)
	}
	ctx, end := source.Holding(r.Context())
	defer end()
	from, err := s.view(ctx, src, t)
	if err != nil {
		return err
	}
	if t.key == "" && !t.folder {
		toFolder(w, r)
		return nil
	}
	if t.folder {
		return s.sendListing(w, r, from, prefixOf(t.key))
	}
	err = s.sendValue(ctx, w, r, from, t.key)
	if err == nil || !missing(err) {
		return err
	}
	leave, busy := s.work.enter(ctx) // a folder of chunks may be listed for it
	if busy != nil {
		return busy
	}
	defer leave()
	if isFolder(ctx, from, t.key) {
		toFolder(w, r)
		return nil
	}
	return err
}

// missing reports whether there is no value, also where a link would lead out of the
// source to one.
func missing(err error) bool { return errors.Is(err, store.ErrNotExist) }

// prefixOf is a key as listings take it.
func prefixOf(key string) string {
	if key == "" {
		return ""
	}
	return key + "/"
}

// isFolder reports whether something lies below a key.
func isFolder(ctx context.Context, from store.Reader, key string) bool {
	for _, err := range from.List(store.NamesOnly(ctx), prefixOf(key), "/") {
		return err == nil
	}
	return false
}

// Headers that many answers have, whose values are shared: nobody writes into them.
var (
	noCache      = []string{"no-cache"}
	acceptRanges = []string{"bytes"}
)

// cacheFor says how long an answer may be kept, and by what it is known.
func (s *Server) cacheFor(h http.Header, tag string) {
	if tag != "" {
		h.Set("ETag", tag)
	}
	switch {
	case s.opt.MaxAge <= 0:
		h["Cache-Control"] = noCache // ask whether it is still so
	case s.guarded():
		h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", int(s.opt.MaxAge.Seconds())))
	default:
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(s.opt.MaxAge.Seconds())))
	}
}

// sendText answers with a text that was made for the request.
func (s *Server) sendText(w http.ResponseWriter, r *http.Request, text string) {
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(text)) // who has gone needs no words
	}
}
