package cloudtest

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Memory is a small S3 in memory, for tests that must run everywhere: values with ranges
// and conditions, lists in pages, uploads in parts, deletion of many. It checks that
// requests are signed, but not by whom.
type Memory struct {
	// Page is how many entries a list has at most, 0 for a thousand.
	Page int
	// Now is the clock of uploads; nil is that of the machine.
	Now func() time.Time

	mu      sync.Mutex
	values  map[string]value // by path: /bucket/key
	paths   []string         // of the values, in order
	uploads map[string]*parts
	next    int
}

type value struct {
	bytes []byte
	tag   string
	meta  http.Header // that the client gave it
}

// parts are those of an upload.
type parts struct {
	bytes map[int][]byte
	meta  http.Header
	path  string
	begun time.Time
}

// metadata gives the headers of a request that stay with the value.
func metadata(r *http.Request) http.Header {
	out := http.Header{}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Amz-Meta-") {
			out[name] = values
		}
	}
	return out
}

// InMemory is a bucket of a Memory, which wrap may put something before, for as long as a
// test runs.
func InMemory(t testing.TB, m *Memory, wrap func(http.Handler) http.Handler) Cloud {
	var h http.Handler = m
	if wrap != nil {
		h = wrap(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	setenv(t, "AWS_", map[string]string{
		"AWS_ACCESS_KEY_ID": user, "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	})
	return cloud("s3", bucketName(), server.URL, url.Values{"region": {region}})
}

// refusal is an answer in the form of S3.
type refusal struct {
	status int
	code   string
}

func (r refusal) Error() string { return r.code }

var (
	errNoKey     = refusal{http.StatusNotFound, "NoSuchKey"}
	errCondition = refusal{http.StatusPreconditionFailed, "PreconditionFailed"}
	errUpload    = refusal{http.StatusNotFound, "NoSuchUpload"}
	errBad       = refusal{http.StatusBadRequest, "InvalidRequest"}
	errUnsigned  = refusal{http.StatusForbidden, "AccessDenied"}
	errMethod    = refusal{http.StatusMethodNotAllowed, "MethodNotAllowed"}
)

// ServeHTTP answers as the server of a bucket does.
func (m *Memory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := payload(r)
	var found *value
	if err == nil {
		found, err = m.locked(w, r, body)
	}
	if err == nil {
		if found != nil { // sent without the lock, since it may take long
			maps.Copy(w.Header(), found.meta)
			w.Header().Set("ETag", found.tag)
			w.Header().Set("Content-Type", "application/octet-stream")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.bytes))
		}
		return
	}
	refused := errBad
	errors.As(err, &refused)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(refused.status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, "%s<Error><Code>%s</Code><Message>%s</Message></Error>", xml.Header, refused.code, refused.code)
	}
}

// locked does what is asked for, or gives the value that is.
func (m *Memory) locked(w http.ResponseWriter, r *http.Request, body []byte) (*value, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin()
	var found *value
	err := m.answer(w, r, body, &found)
	return found, err
}

func (m *Memory) begin() {
	if m.values == nil {
		m.values, m.uploads = map[string]value{}, map[string]*parts{}
	}
}

func (m *Memory) answer(w http.ResponseWriter, r *http.Request, body []byte, found **value) error {
	q := r.URL.Query()
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") && !q.Has("X-Amz-Signature") {
		return errUnsigned
	}
	path := r.URL.Path
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case r.Method == http.MethodGet && key == "" && q.Has("uploads"):
		return m.listUploads(w, "/"+bucket+"/", q)
	case r.Method == http.MethodGet && key == "":
		return m.list(w, "/"+bucket+"/", q)
	case r.Method == http.MethodPost && q.Has("delete"):
		return m.deleteAll(w, "/"+bucket+"/", body)
	case key == "":
		return errMethod
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		v, ok := m.values[path]
		if !ok {
			return errNoKey
		}
		*found = &v
		return nil
	case r.Method == http.MethodPost && q.Has("uploads"):
		m.next++
		id := fmt.Sprint("upload-", m.next)
		now := time.Now
		if m.Now != nil {
			now = m.Now
		}
		m.uploads[id] = &parts{map[int][]byte{}, metadata(r), path, now()}
		return reply(w, struct {
			XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
			Bucket, Key, UploadId string
		}{Bucket: bucket, Key: key, UploadId: id})
	case r.Method == http.MethodPut && q.Has("partNumber"):
		n, err := strconv.Atoi(q.Get("partNumber"))
		upload, ok := m.uploads[q.Get("uploadId")]
		if !ok || err != nil {
			return errUpload
		}
		upload.bytes[n] = body
		w.Header().Set("ETag", tag(body))
		return nil
	case r.Method == http.MethodPost && q.Has("uploadId"):
		return m.complete(w, r, body)
	case r.Method == http.MethodDelete && q.Has("uploadId"):
		delete(m.uploads, q.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
		return nil
	case r.Method == http.MethodPut:
		if err := m.allowed(r); err != nil {
			return err
		}
		m.put(path, value{body, tag(body), metadata(r)})
		w.Header().Set("ETag", tag(body))
		return nil
	case r.Method == http.MethodDelete:
		m.remove(path)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return errMethod
}

func tag(b []byte) string {
	sum := md5.Sum(b)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// allowed checks the conditions of a put.
func (m *Memory) allowed(r *http.Request) error {
	old, ok := m.values[r.URL.Path]
	if match := r.Header.Get("If-Match"); match != "" {
		if !ok {
			return errNoKey
		}
		if match != old.tag {
			return errCondition
		}
	}
	if r.Header.Get("If-None-Match") == "*" && ok {
		return errCondition
	}
	return nil
}

func (m *Memory) complete(w http.ResponseWriter, r *http.Request, body []byte) error {
	id := r.URL.Query().Get("uploadId")
	upload, ok := m.uploads[id]
	if !ok {
		return errUpload
	}
	var list struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if xml.Unmarshal(body, &list) != nil || len(list.Part) == 0 {
		return errBad
	}
	var whole []byte
	sums := md5.New()
	for i, p := range list.Part {
		part, ok := upload.bytes[p.PartNumber]
		if !ok || strings.Trim(p.ETag, `"`) != strings.Trim(tag(part), `"`) || i > 0 && p.PartNumber <= list.Part[i-1].PartNumber {
			return refusal{http.StatusBadRequest, "InvalidPart"}
		}
		whole = append(whole, part...)
		sum := md5.Sum(part)
		sums.Write(sum[:])
	}
	if err := m.allowed(r); err != nil {
		return err
	}
	made := value{whole, fmt.Sprintf(`"%x-%d"`, sums.Sum(nil), len(list.Part)), upload.meta}
	m.put(r.URL.Path, made)
	delete(m.uploads, id)
	return reply(w, struct {
		XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
		ETag    string
	}{ETag: made.tag})
}

// listUploads gives one upload a page.
func (m *Memory) listUploads(w http.ResponseWriter, base string, q url.Values) error {
	type upload struct {
		Key, UploadId string
		Initiated     time.Time
	}
	answer := struct {
		XMLName                           xml.Name `xml:"ListMultipartUploadsResult"`
		EncodingType                      string
		IsTruncated                       bool
		NextKeyMarker, NextUploadIdMarker string
		Upload                            []upload
	}{EncodingType: "url"}
	for _, id := range slices.Sorted(maps.Keys(m.uploads)) {
		key, ok := strings.CutPrefix(m.uploads[id].path, base)
		if !ok || !strings.HasPrefix(key, q.Get("prefix")) || id <= q.Get("upload-id-marker") {
			continue
		}
		if len(answer.Upload) == 1 {
			answer.IsTruncated = true
			break
		}
		key = url.QueryEscape(key)
		answer.Upload = append(answer.Upload, upload{key, id, m.uploads[id].begun.UTC()})
		answer.NextKeyMarker, answer.NextUploadIdMarker = key, id
	}
	return reply(w, answer)
}

func (m *Memory) deleteAll(w http.ResponseWriter, base string, body []byte) error {
	var list struct{ Object []struct{ Key string } }
	if xml.Unmarshal(body, &list) != nil || len(list.Object) > 1000 {
		return errBad
	}
	for _, o := range list.Object {
		m.remove(base + o.Key)
	}
	return reply(w, struct {
		XMLName xml.Name `xml:"DeleteResult"`
	}{})
}

type listed struct {
	Key, ETag, LastModified string
	Size                    int
}

type prefix struct{ Prefix string }

func (m *Memory) list(w http.ResponseWriter, base string, q url.Values) error {
	page := m.Page
	if page == 0 {
		page = 1000
	}
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil {
		page = min(page, n)
	}
	encode := func(s string) string { return s }
	if q.Get("encoding-type") == "url" {
		encode = url.QueryEscape
	}
	out := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []listed
		CommonPrefixes        []prefix
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		EncodingType          string `xml:",omitempty"`
		KeyCount              int
	}{EncodingType: q.Get("encoding-type")}
	after := q.Get("start-after")
	if token := q.Get("continuation-token"); token != "" {
		b, err := hex.DecodeString(token)
		if err != nil {
			return errBad
		}
		after = string(b)
	}
	want, delimiter := q.Get("prefix"), q.Get("delimiter")
	last := after
	for key := range m.below(base, want, after) {
		item, folder := key, false
		if end := strings.Index(key[len(want):], delimiter); delimiter != "" && end >= 0 {
			item, folder = key[:len(want)+end+len(delimiter)], true
		}
		if item <= after || folder && item == last {
			continue
		}
		if out.KeyCount == page {
			out.IsTruncated, out.NextContinuationToken = true, hex.EncodeToString([]byte(last))
			break
		}
		out.KeyCount++
		last = item
		if folder {
			out.CommonPrefixes = append(out.CommonPrefixes, prefix{encode(item)})
		} else {
			v := m.values[base+key]
			out.Contents = append(out.Contents, listed{encode(key), v.tag, "2026-01-01T00:00:00.000Z", len(v.bytes)})
		}
	}
	return reply(w, out)
}

// Put has a value in a bucket without a request.
func (m *Memory) Put(bucket, key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin()
	m.put("/"+bucket+"/"+key, value{data, tag(data), nil})
}

func (m *Memory) put(path string, v value) {
	if at, ok := slices.BinarySearch(m.paths, path); !ok {
		m.paths = slices.Insert(m.paths, at, path)
	}
	m.values[path] = v
}

func (m *Memory) remove(path string) {
	if at, ok := slices.BinarySearch(m.paths, path); ok {
		m.paths = slices.Delete(m.paths, at, at+1)
	}
	delete(m.values, path)
}

// below yields the keys of a bucket that begin with a prefix and are not before another, in
// order.
func (m *Memory) below(base, prefix, from string) iter.Seq[string] {
	return func(yield func(string) bool) {
		at, _ := slices.BinarySearch(m.paths, base+max(prefix, from))
		for _, path := range m.paths[at:] {
			key, ok := strings.CutPrefix(path, base)
			if !ok || !strings.HasPrefix(key, prefix) || !yield(key) {
				return
			}
		}
	}
}

// Uploads is how many uploads in parts were begun and not ended.
func (m *Memory) Uploads() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.uploads)
}

func reply(w http.ResponseWriter, v any) error {
	b, err := xml.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(b)))
	io.WriteString(w, xml.Header)
	w.Write(b)
	return nil
}

// payload reads the body of a request, which may come in pieces with signatures.
func payload(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	in := bufio.NewReader(r.Body)
	var out []byte
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseUint(size, 16, 31)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			_, err := io.Copy(io.Discard, in) // and what stands behind it
			return out, err
		}
		start := len(out)
		out = append(out, make([]byte, n+2)...)
		if _, err := io.ReadFull(in, out[start:]); err != nil {
			return nil, err
		}
		out = out[:len(out)-2]
	}
}
