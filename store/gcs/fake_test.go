package gcs

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr/store"
)

// fake is a server of one bucket, b, which keeps to what the service promises of uploads,
// and does wrong what a test asks for.
type fake struct {
	mu       sync.Mutex
	values   map[string]*value
	sessions map[string]*session
	made     int64 // generations, and sessions
	log      []string
	// wrong is asked before each request; it may answer itself, and says so.
	wrong func(w http.ResponseWriter, r *http.Request) bool
	// after is asked when a request was done: what it says is sent instead of the answer.
	after func(r *http.Request) int
	// half is asked how much of a piece is kept, when the connection is cut in it.
	half func(piece int) (keep int, cut bool)
	// perPage is how many names a page of a listing has.
	perPage int
}

type value struct {
	data       []byte
	generation int64
	metadata   map[string]string
}

type session struct {
	name     string
	match    string
	metadata map[string]string
	data     []byte
	done     *value
	pieces   int
}

func (f *fake) open(t *testing.T, opt Options) *Store {
	t.Helper()
	f.values, f.sessions = map[string]*value{}, map[string]*session{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	opt.Transport, opt.wait = transport, time.Nanosecond
	s, err := Open(t.Context(), "gs://b/in?endpoint="+server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.large, s.piece = 1<<20, 512<<10
	return s
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Range"))
	if f.wrong != nil && f.wrong(w, r) {
		return
	}
	rec := httptest.NewRecorder()
	f.answer(rec, r)
	if f.after != nil {
		if code := f.after(r); code == -1 {
			panic(http.ErrAbortHandler)
		} else if code != 0 {
			w.WriteHeader(code)
			return
		}
	}
	for name, v := range rec.Header() {
		w.Header()[name] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name, of := strings.CutPrefix(r.URL.Path, "/storage/v1/b/b/o/")
	switch {
	case of && r.Method == http.MethodGet:
		f.get(w, r, name)
	case of && r.Method == http.MethodDelete:
		if f.values[name] == nil {
			http.Error(w, "No such object", 404)
		}
		delete(f.values, name)
	case r.URL.Path == "/storage/v1/b/b/o":
		f.list(w, q.Get("prefix"), q.Get("delimiter"), q.Get("pageToken"))
	case r.URL.Path == "/upload/storage/v1/b/b/o" && q.Get("uploadType") == "multipart":
		_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		parts := multipart.NewReader(r.Body, params["boundary"])
		var about struct {
			CRC32C   string
			Metadata map[string]string
		}
		p, _ := parts.NextPart()
		json.NewDecoder(p).Decode(&about)
		p, _ = parts.NextPart()
		data, err := io.ReadAll(p)
		if err != nil || about.CRC32C != sumOf(data) {
			http.Error(w, "bad checksum", 400)
			return
		}
		f.put(w, q.Get("name"), q.Get("ifGenerationMatch"), about.Metadata, data)
	case r.URL.Path == "/upload/storage/v1/b/b/o" && q.Get("uploadType") == "resumable" && r.Method == http.MethodPost:
		if !f.matches(q.Get("name"), q.Get("ifGenerationMatch")) {
			w.WriteHeader(412)
			return
		}
		var about struct{ Metadata map[string]string }
		json.NewDecoder(r.Body).Decode(&about)
		f.made++
		id := strconv.FormatInt(f.made, 10)
		f.sessions[id] = &session{name: q.Get("name"), match: q.Get("ifGenerationMatch"), metadata: about.Metadata}
		w.Header().Set("Location", "https://elsewhere.example/upload/storage/v1/b/b/o?uploadType=resumable&upload_id="+id)
	case r.Method == http.MethodPut && q.Get("upload_id") != "":
		f.piece(w, r, f.sessions[q.Get("upload_id")])
	default:
		http.Error(w, "what?", 400)
	}
}

func (f *fake) get(w http.ResponseWriter, r *http.Request, name string) {
	v := f.values[name]
	if v == nil {
		http.Error(w, "No such object: b/"+name, 404)
		return
	}
	if m := r.URL.Query().Get("ifGenerationMatch"); m != "" && m != strconv.FormatInt(v.generation, 10) {
		w.WriteHeader(412)
		return
	}
	if r.URL.Query().Get("alt") != "media" {
		f.say(w, name, v)
		return
	}
	w.Header().Set("X-Goog-Generation", strconv.FormatInt(v.generation, 10))
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(v.data)))
}

func (f *fake) say(w http.ResponseWriter, name string, v *value) {
	json.NewEncoder(w).Encode(map[string]any{
		"name": name, "generation": strconv.FormatInt(v.generation, 10), "size": strconv.Itoa(len(v.data)), "crc32c": sumOf(v.data), "metadata": v.metadata,
	})
}

func sumOf(data []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))))
}

func (f *fake) matches(name, match string) bool {
	have := "0"
	if v := f.values[name]; v != nil {
		have = strconv.FormatInt(v.generation, 10)
	}
	return match == "" || match == have
}

func (f *fake) put(w http.ResponseWriter, name, match string, metadata map[string]string, data []byte) *value {
	if !f.matches(name, match) {
		w.WriteHeader(412)
		return nil
	}
	f.made++
	v := &value{data: data, generation: f.made, metadata: metadata}
	f.values[name] = v
	f.say(w, name, v)
	return v
}

// piece takes a part of an upload, or says how far it is.
func (f *fake) piece(w http.ResponseWriter, r *http.Request, s *session) {
	switch {
	case s == nil:
		w.WriteHeader(410)
		return
	case s.done != nil:
		f.say(w, s.name, s.done)
		return
	}
	span, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if span != "*" {
		var from, to int
		fmt.Sscanf(span, "%d-%d", &from, &to)
		data, _ := io.ReadAll(r.Body)
		if from != len(s.data) || len(data) != to-from+1 || total == "*" && len(data)%(256<<10) != 0 {
			http.Error(w, fmt.Sprintf("piece %s of %d bytes, there are %d", span, len(data), len(s.data)), 400)
			return
		}
		n := s.pieces
		s.pieces++
		if f.half != nil {
			if keep, cut := f.half(n); cut {
				// Of what is not the end it keeps multiples of 256 KiB.
				s.data = append(s.data, data[:min(keep, len(data))&^(256<<10-1)]...)
				panic(http.ErrAbortHandler)
			}
		}
		s.data = append(s.data, data...)
	}
	if total == strconv.Itoa(len(s.data)) {
		s.done = f.put(w, s.name, s.match, s.metadata, s.data)
		return
	}
	if len(s.data) > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(s.data)-1))
	}
	w.WriteHeader(308)
}

func (f *fake) list(w http.ResponseWriter, prefix, delimiter, from string) {
	var names []string
	for name := range f.values {
		rest, ok := strings.CutPrefix(name, prefix)
		if at := strings.Index(rest, "/"); ok && delimiter != "" && at >= 0 {
			name = prefix + rest[:at+1]
		}
		if ok && name >= from && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	said := map[string]any{}
	if f.perPage > 0 && len(names) > f.perPage {
		said["nextPageToken"] = names[f.perPage]
		names = names[:f.perPage]
	}
	var items []map[string]any
	var prefixes []string
	for _, name := range names {
		if delimiter != "" && strings.HasSuffix(name, "/") && name != prefix {
			prefixes = append(prefixes, name)
		} else {
			items = append(items, map[string]any{"name": name, "size": strconv.Itoa(len(f.values[name].data)), "generation": "7"})
		}
	}
	said["items"], said["prefixes"] = items, prefixes
	json.NewEncoder(w).Encode(said)
}

// asked is how many requests there were whose line has the text.
func (f *fake) asked(text string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, line := range f.log {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func names(t *testing.T, s store.Reader, prefix, delimiter string) (all []string) {
	t.Helper()
	for e, err := range s.List(t.Context(), prefix, delimiter) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	return all
}
