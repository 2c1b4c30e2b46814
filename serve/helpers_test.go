package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/serve"
)

// started serves URLs until the test ends.
func started(t *testing.T, o serve.Options, urls ...string) *httptest.Server {
	t.Helper()
	s, err := serve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range urls {
		if _, err := s.Add("", u); err != nil {
			t.Fatal(err)
		}
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// reply is an answer that was read.
type reply struct {
	*http.Response
	text string
}

// ask makes a request with headers of the form "Name: value", and reads the answer.
func ask(t *testing.T, method, url string, headers ...string) reply {
	t.Helper()
	return send(t, method, url, nil, headers...)
}

func send(t *testing.T, method, url string, body io.Reader, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	r, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return reply{r, string(text)}
}

// folder makes a Zarr group with some files in it: value (26 letters), empty, big.json.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data.zarr")
	for name, text := range map[string]string{
		"zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{}}`, "value": letters, "empty": "", "big.json": `["` + strings.Repeat("word ", 2000) + `"]`,
		"page.html": "<script>alert(1)</script>", "deep/er/value": "x",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const letters = "abcdefghijklmnopqrstuvwxyz"
