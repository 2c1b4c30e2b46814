package azblob

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

// TestSigned signs requests that Azure's own client for Go (azblob v1.8.0) made and
// signed.
func TestSigned(t *testing.T) {
	raw, err := os.ReadFile("testdata/signed.json")
	if err != nil {
		t.Fatal(err)
	}
	var requests []struct {
		Method, URL string
		Length      int64
		Header      map[string]string
	}
	if err := json.Unmarshal(raw, &requests); err != nil || len(requests) != 14 {
		t.Fatalf("%d requests, %v", len(requests), err)
	}
	secret, _ := base64.StdEncoding.DecodeString("bm90IGEgc2VjcmV0LCBvbmx5IGZvciB0ZXN0cw==")
	key := sharedKey{"omnizarr", secret}
	for _, q := range requests {
		r, err := http.NewRequest(q.Method, q.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = q.Length
		for name, v := range q.Header {
			if name != "Authorization" {
				r.Header.Set(name, v)
			}
		}
		key.sign(r)
		if got := r.Header.Get("Authorization"); got != q.Header["Authorization"] {
			t.Errorf("%s %s: %s, want %s", q.Method, q.URL, got, q.Header["Authorization"])
		}
	}
}
