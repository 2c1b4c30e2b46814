package azblob

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a server of one container, c of the account a, which does wrong what a test asks
// for.
type fake struct {
	mu      sync.Mutex
	values  map[string]*value
	blocks  map[string]map[string][]byte
	made    int
	log     []string
	folders bool // the account has them
	perPage int
	// wrong is asked before each request; it may answer itself, and says so.
	wrong func(w http.ResponseWriter, r *http.Request) bool
	// after is asked when a request was done: what it says is sent instead of the answer,
	// -1 for nothing at all.
	after func(r *http.Request) int
}

type value struct {
	data   []byte
	tag    string
	mark   string
	folder bool
}

func (f *fake) open(t *testing.T, query string, opt Options) *Store {
	t.Helper()
	f.values, f.blocks = map[string]*value{}, map[string]map[string][]byte{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	opt.Transport, opt.wait = transport, time.Nanosecond
	noEnv(t)
	s, err := Open(t.Context(), "azblob://c/in?account=a&endpoint="+server.URL+query, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.large, s.block = 1<<20, 256<<10
	return s
}

func noEnv(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_KEY",
		"AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET",
		"AZURE_FEDERATED_TOKEN_FILE", "AZURE_AUTHORITY_HOST", "IDENTITY_ENDPOINT", "IDENTITY_HEADER"} {
		t.Setenv(name, "")
	}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("comp")+" "+r.Header.Get("Range"))
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
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes())
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Ms-Error-Code", code)
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>It is so.\nRequestId:7</Message></Error>", code)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name, ok := strings.CutPrefix(r.URL.Path, "/a/c/")
	v := f.values[name]
	switch {
	case !ok && q.Get("comp") == "list":
		f.list(w, q.Get("prefix"), q.Get("delimiter"), q.Get("marker"))
	case r.Method == http.MethodPut && q.Get("comp") == "block":
		if f.blocks[name] == nil {
			f.blocks[name] = map[string][]byte{}
		}
		f.blocks[name][q.Get("blockid")], _ = io.ReadAll(r.Body)
		w.WriteHeader(201)
	case r.Method == http.MethodPut:
		data, _ := io.ReadAll(r.Body)
		if r.Header.Get("If-None-Match") == "*" && v != nil {
			refuse(w, 409, "BlobAlreadyExists")
			return
		}
		if m := r.Header.Get("If-Match"); m != "" && (v == nil || v.tag != m) {
			refuse(w, 412, "ConditionNotMet")
			return
		}
		if q.Get("comp") == "blocklist" {
			var list struct{ Latest []string }
			xml.Unmarshal(data, &list)
			data = nil
			for _, id := range list.Latest {
				b, ok := f.blocks[name][id]
				if !ok {
					refuse(w, 400, "InvalidBlockList")
					return
				}
				data = append(data, b...)
			}
		}
		if q.Get("comp") != "blocklist" { // else they are those of the value now
			delete(f.blocks, name)
		}
		f.made++
		f.values[name] = &value{data: data, tag: fmt.Sprintf(`"0x%d"`, f.made), mark: r.Header.Get(mark)}
		w.Header().Set("ETag", f.values[name].tag)
		w.WriteHeader(201)
	case v == nil:
		refuse(w, 404, "BlobNotFound")
	case r.Method == http.MethodDelete:
		for other := range f.values {
			if v.folder && strings.HasPrefix(other, name+"/") {
				refuse(w, 409, "DirectoryIsNotEmpty")
				return
			}
		}
		delete(f.values, name)
		w.WriteHeader(202)
	default:
		if m := r.Header.Get("If-Match"); m != "" && v.tag != m {
			refuse(w, 412, "ConditionNotMet")
			return
		}
		if strings.HasPrefix(r.Header.Get("Range"), "bytes=-") {
			refuse(w, 400, "InvalidHeaderValue") // it knows no suffixes
			return
		}
		w.Header().Set("ETag", v.tag)
		w.Header().Set(mark, v.mark)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(v.data)))
	}
}

func (f *fake) list(w http.ResponseWriter, prefix, delimiter, from string) {
	from, _ = url.PathUnescape(from)
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
	if f.folders { // which have an order of their own
		slices.Reverse(names)
	}
	next := ""
	if f.perPage > 0 && len(names) > f.perPage && !f.folders {
		next = names[f.perPage]
		names = names[:f.perPage]
	}
	var b strings.Builder
	b.WriteString("\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Blobs>")
	for _, name := range names {
		spelled := "<Name>" + html.EscapeString(name) + "</Name>"
		if strings.ContainsRune(name, '\uffff') {
			spelled = `<Name Encoded="true">` + html.EscapeString(url.PathEscape(name)) + "</Name>"
		}
		v := f.values[name]
		if v == nil || delimiter != "" && strings.HasSuffix(name, "/") {
			b.WriteString("<BlobPrefix>" + spelled + "</BlobPrefix>")
			continue
		}
		kind := ""
		if f.folders && v.folder {
			kind = "<ResourceType>directory</ResourceType>"
		} else if f.folders {
			kind = "<ResourceType>file</ResourceType>"
		}
		b.WriteString("<Blob>" + spelled + "<Properties><Etag>" + strings.Trim(v.tag, `"`) + "</Etag><Content-Length>" + strconv.Itoa(len(v.data)) +
			"</Content-Length>" + kind + "</Properties></Blob>")
	}
	b.WriteString("</Blobs><NextMarker>" + html.EscapeString(url.PathEscape(next)) + "</NextMarker></EnumerationResults>")
	io.WriteString(w, b.String())
}

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
