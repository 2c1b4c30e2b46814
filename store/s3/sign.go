package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	stamp     = "20060102T150405Z"
	// emptyHash is the SHA-256 of nothing.
	emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// signingKey is what a secret becomes for a day, a region and a service.
type signingKey struct {
	secret, region, date string
	scope                string // date/region/service/aws4_request
	inner, outer         [sha256.BlockSize]byte
}

func newSigningKey(c *Credentials, region, service string, now time.Time) *signingKey {
	k := &signingKey{secret: c.Secret, region: region, date: now.UTC().Format("20060102")}
	k.scope = k.date + "/" + region + "/" + service + "/aws4_request"
	key := []byte("AWS4" + c.Secret)
	for _, part := range strings.Split(k.scope, "/") {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	// HMAC's two blocks, so that a signature takes two sums and no memory.
	copy(k.inner[:], key)
	copy(k.outer[:], key)
	for i := range k.inner {
		k.inner[i] ^= 0x36
		k.outer[i] ^= 0x5c
	}
	return k
}

// mac is the HMAC of text.
func (k *signingKey) mac(text []byte) [sha256.Size]byte {
	var room [512]byte
	sum := sha256.Sum256(append(append(room[:0], k.inner[:]...), text...))
	return sha256.Sum256(append(append(room[:0], k.outer[:]...), sum[:]...))
}

// sign adds the headers that authorize a request: version 4 of the signatures of AWS,
// over the host, the content's type and all headers that begin with X-Amz-. path is
// escaped as it is sent.
func sign(r *http.Request, path string, c *Credentials, k *signingKey, now time.Time) {
	now = now.UTC()
	var room [1024]byte
	date := now.Format(stamp)
	r.Header["X-Amz-Date"] = []string{date}
	if c.Token != "" {
		r.Header["X-Amz-Security-Token"] = []string{c.Token}
	}
	var list [16]string
	names := list[:0]
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	b := append(room[:0], r.Method...)
	b = append(b, '\n')
	b = append(b, path...)
	b = append(b, '\n')
	b = append(b, r.URL.RawQuery...)
	b = append(b, '\n')
	kind := r.Header["Content-Type"]
	if kind != nil {
		b = append(b, "content-type:"...)
		b = append(b, kind[0]...)
		b = append(b, '\n')
	}
	b = append(b, "host:"...)
	b = append(b, r.URL.Host...)
	b = append(b, '\n')
	for _, name := range names {
		b = appendLower(b, name)
		b = append(b, ':')
		b = append(b, r.Header[name][0]...)
		b = append(b, '\n')
	}
	b = append(b, '\n')
	b = appendNames(b, kind != nil, names)
	b = append(b, '\n')
	b = append(b, r.Header["X-Amz-Content-Sha256"][0]...)
	sum := sha256.Sum256(b)

	b = append(room[:0], algorithm...)
	b = append(b, '\n')
	b = append(b, date...)
	b = append(b, '\n')
	b = append(b, k.scope...)
	b = append(b, '\n')
	b = hex.AppendEncode(b, sum[:])
	sum = k.mac(b)

	b = append(room[:0], algorithm+" Credential="...)
	b = append(b, c.ID...)
	b = append(b, '/')
	b = append(b, k.scope...)
	b = append(b, ",SignedHeaders="...)
	b = appendNames(b, kind != nil, names)
	b = append(b, ",Signature="...)
	b = hex.AppendEncode(b, sum[:])
	r.Header["Authorization"] = []string{string(b)}
}

// appendNames appends the names of the headers that are signed.
func appendNames(b []byte, kind bool, names []string) []byte {
	if kind {
		b = append(b, "content-type;"...)
	}
	b = append(b, "host"...)
	for _, name := range names {
		b = appendLower(append(b, ';'), name)
	}
	return b
}

func appendLower(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// appendEscaped escapes all that signatures want escaped; slashes are left if they part
// names.
func appendEscaped(b []byte, s string, slashes bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == '~', c == '/' && slashes:
			b = append(b, c)
		default:
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}
