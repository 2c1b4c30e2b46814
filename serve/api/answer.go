package api

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Number is one that may be NaN or infinite, which JSON has as texts.
type Number float64

// MarshalJSON gives a number or one of three texts.
func (n Number) MarshalJSON() ([]byte, error) {
	switch x := float64(n); {
	case math.IsNaN(x):
		return []byte(`"NaN"`), nil
	case math.IsInf(x, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
	}
}

// json answers with a document. Its tag is that of its bytes.
func (r *request) json(v any) error {
	body, err := strictjson.Marshal(v, false)
	if err != nil {
		return err
	}
	if r.known(tagOf(body)) {
		return nil
	}
	return r.send("application/json", body)
}

// tagOf is a tag for bytes.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// known sets the tag of the answer, and answers that nothing has changed if the client
// has it: then all is done. What tells it apart from other answers to the same address
// is enough for the tag.
func (r *request) known(tag string) bool {
	tag = `W/"` + tag + `"`
	h := r.w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	for want := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if want = strings.TrimSpace(want); want == "*" || "W/"+strings.TrimPrefix(want, "W/") == tag {
			r.w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// unchanged is known for answers that go by a node, by the tags of the values that they are
// made of, by all parameters and by nothing else.
func (r *request) unchanged(sp *spot, tags string) bool {
	return r.known(tagOf([]byte(sp.version + "\x00" + tags + "\x00" + r.URL.Path + "\x00" + r.query.Encode())))
}

// leastGzip is how long a text is at least that is compressed.
const leastGzip = 1 << 10

// send answers with bytes. JSON and other text is compressed where the client takes
// that; elements and pictures are not.
func (r *request) send(contentType string, body []byte) error {
	h := r.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	isText := contentType == "application/json" || strings.HasPrefix(contentType, "text/")
	if isText {
		h.Add("Vary", "Accept-Encoding")
	}
	if isText && len(body) >= leastGzip && takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		r.w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return nil
		}
		z, _ := gzip.NewWriterLevel(r.w, gzip.BestSpeed)
		_, err := z.Write(body)
		if err == nil {
			err = z.Close()
		}
		return r.gone(err)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	r.w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := r.w.Write(body)
	return r.gone(err)
}

// nothing answers that there is nothing, which is no error.
func (r *request) nothing() error {
	r.w.Header().Set("Cache-Control", "no-cache")
	r.w.WriteHeader(http.StatusNoContent)
	return nil
}

// gone forgets errors of sending: the client has gone, and nothing can be told to it.
func (r *request) gone(error) error { return nil }

// takesGzip reports whether a client takes answers that are compressed.
func takesGzip(accepts string) bool {
	for part := range strings.SplitSeq(accepts, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" || name == "*" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}

// fail answers with an error.
func (r *request) fail(err error) {
	status, problem := ProblemOf(err)
	if status >= 500 && r.server.opt.Log != nil && r.Context().Err() == nil {
		r.server.opt.Log.WarnContext(r.Context(), "answer", "path", r.URL.Path, "status", status, "error", problem.Error)
	}
	WriteProblem(r.w, r.Method, status, problem)
}

// WriteProblem answers a request with a problem.
func WriteProblem(w http.ResponseWriter, method string, status int, p Problem) {
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Encoding", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	p.Error, p.Path, p.Chunk = cut(p.Error), cut(p.Path), cut(p.Chunk)
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	if method == http.MethodHead {
		return
	}
	body, err := strictjson.Marshal(p, false)
	if err != nil {
		body = json.RawMessage(`{"error":"the error cannot be told","kind":"internal"}`)
	}
	io.Writer.Write(w, body)
}
