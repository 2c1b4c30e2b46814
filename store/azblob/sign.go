package azblob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// sharedKey signs requests with the key of an account.
type sharedKey struct {
	account string
	key     []byte
}

// sign adds the signature, which covers all that the request says; its header x-ms-date
// must be set.
func (k sharedKey) sign(r *http.Request) {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(k.text(r)))
	r.Header.Set("Authorization", "SharedKey "+k.account+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// text is what is signed.
func (k sharedKey) text(r *http.Request) string {
	var b strings.Builder
	line := func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	line(r.Method)
	line(r.Header.Get("Content-Encoding"))
	line(r.Header.Get("Content-Language"))
	if r.ContentLength > 0 {
		b.WriteString(strconv.FormatInt(r.ContentLength, 10))
	}
	line("")
	line(r.Header.Get("Content-MD5"))
	line(r.Header.Get("Content-Type"))
	line("") // the date, which is in x-ms-date
	for _, name := range []string{"If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"} {
		line(r.Header.Get(name))
	}
	var names []string
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-ms-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		line(name + ":" + strings.Join(r.Header.Values(name), ","))
	}
	b.WriteString("/" + k.account)
	b.WriteString(r.URL.EscapedPath())
	return b.String() + signedQuery(r.URL.Query())
}

func signedQuery(q url.Values) string {
	byName := make(map[string][]string, len(q))
	for name, values := range q {
		name = strings.ToLower(name)
		byName[name] = append(byName[name], values...)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		slices.Sort(byName[name])
		b.WriteString("\n" + name + ":" + strings.Join(byName[name], ","))
	}
	return b.String()
}
