package remote

import (
	"net/http"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
)

// parts answers every request with one part, whatever was asked for.
func parts(header, body string) *Client {
	return New(Options{Remote: store.Remote{Retries: 1}, Wait: 1, MaxWait: 1, Transport: tripper(func(r *http.Request) (*http.Response, error) {
		a := says(r, http.StatusPartialContent, strings.NewReader(body), -1)
		a.Header.Set("Content-Range", header)
		return a, nil
	})})
}

func TestRangesThatServersAnswerWith(t *testing.T) {
	for _, c := range []struct{ header, want string }{ // no bytes: an error
		{"bytes 6-9/10", "6789"},
		{"bytes 6-9/*", "6789"},
		{"bytes 4-9/*", "6789"}, // more than was asked for
		{"bytes 0-9223372036854775807/*", ""},
		{"bytes 9223372036854775807-9223372036854775807/*", ""},
		{"bytes 0-9223372036854775808/*", ""},
		{"bytes 6-9/9", ""},
		{"bytes 9-6/10", ""},
		{"bytes 6-+9/10", ""},
		{"bytes 6-9/-1", ""},
		{"bytes */10", ""},
		{"bytes */*", ""},
		{"6", ""},
	} {
		body := "0123456789"
		if strings.HasPrefix(c.header, "bytes 6") {
			body = body[6:]
		} else if strings.HasPrefix(c.header, "bytes 4") {
			body = body[4:]
		}
		got, _, err := parts(c.header, body).Get(ctx, get("a"), store.Suffix(4), nil)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.header, got, err)
		}
	}
	// An empty value, as Go's own server has it.
	if got, info, err := parts("bytes 0--1/0", "").Get(ctx, get("a"), store.Suffix(4), nil); len(got) != 0 || info.Size != 0 || err != nil {
		t.Errorf("%q, %+v, %v", got, info, err)
	}
}

// What a Content-Range is taken for has a first and a last byte with a length between
// them, all within the size.
func FuzzContentRange(f *testing.F) {
	for _, v := range []string{"bytes 0-0/1", "bytes 6-9/*", "bytes */10", "bytes */*", "bytes 0-9223372036854775807/*", "bytes 1-0/5", "bytes 0-5/5", "0-1/2", "items 0-1/2", "bytes 0-1", "/", ""} {
		f.Add(v)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, v string) {
		r, ok := parseContentRange(v)
		if !ok {
			return
		}
		if r.size < -1 || r.first < 0 && (r.first != -1 || r.last != -1) || r.last < r.first || r.first >= 0 && (r.last-r.first+1 <= 0 || r.size >= 0 && r.last >= r.size) {
			t.Errorf("%q is %+v", v, r)
		}
	})
}
