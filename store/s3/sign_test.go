package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSignature has examples of the documentation of AWS.
func TestSignature(t *testing.T) {
	c := &Credentials{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	now := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"lifecycle=":          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		"max-keys=2&prefix=J": "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	} {
		r, err := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header["X-Amz-Content-Sha256"] = []string{emptyHash}
		r.Header.Set("Range", "bytes=0-9") // not signed
		sign(r, "/", c, newSigningKey(c, "us-east-1", "s3", now), now)
		got := r.Header.Get("Authorization")
		if !strings.HasSuffix(got, "Signature="+want) || !strings.Contains(got, "SignedHeaders=host;x-amz-content-sha256;x-amz-date,") {
			t.Errorf("%s: %s", query, got)
		}
	}
}

func TestEscapes(t *testing.T) {
	for s, want := range map[string]string{"a b/c+d": "a%20b/c%2Bd", "é~-_.": "%C3%A9~-_.", "%2F": "%252F"} {
		if got := string(appendEscaped(nil, s, true)); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got := canonical(map[string][]string{"prefix": {"a/b c"}, "delimiter": {"/"}, "uploads": {""}}); got != "delimiter=%2F&prefix=a%2Fb%20c&uploads=" {
		t.Error(got)
	}
}
