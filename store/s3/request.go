package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ask is a request before it is signed.
type ask struct {
	method string
	key    string     // "" for the bucket
	whole  bool       // key begins at the bucket, not at the prefix
	query  url.Values // nil for none
	header [4]string  // two names and their values, "" for none
	body   []byte     // nil for none
	hash   string     // of the body
}

// hashed is an ask with a body.
func (a ask) hashed(body []byte) ask {
	sum := sha256.Sum256(body)
	a.body, a.hash = body, hex.EncodeToString(sum[:])
	return a
}

var requester = []string{"requester"}

// packet is a request with what it needs, in one piece of memory.
type packet struct {
	req    http.Request
	url    url.URL
	values [5]string
}

// request makes what one try sends.
func (s *Store) request(ctx context.Context, a *ask, ranges string) (*http.Request, error) {
	at := s.at.Load()
	p := &packet{url: url.URL{Scheme: at.scheme, Host: at.host}}
	if a.key == "" {
		p.url.Path = at.dir // a bucket's name needs no escapes, an endpoint's path may
		if plain, err := url.PathUnescape(at.dir); err == nil {
			p.url.Path, p.url.RawPath = plain, at.dir
		}
	} else {
		plain, escaped := at.plain, at.escaped
		if a.whole {
			plain, escaped = strings.TrimSuffix(plain, s.prefix), strings.TrimSuffix(escaped, string(appendEscaped(nil, s.prefix, true)))
		}
		var room [256]byte
		p.url.RawPath = string(appendEscaped(append(room[:0], escaped...), a.key, true))
		p.url.Path = plain + a.key
	}
	if a.query != nil {
		p.url.RawQuery = canonical(a.query)
	}
	h := make(http.Header, 8)
	p.req = http.Request{
		Method: a.method, URL: &p.url, Host: at.host, Header: h, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	p.values = [5]string{"identity", ranges, emptyHash, a.header[1], a.header[3]}
	h["Accept-Encoding"] = p.values[0:1:1]
	if ranges != "" {
		h["Range"] = p.values[1:2:2]
	}
	h["X-Amz-Content-Sha256"] = p.values[2:3:3]
	if a.header[0] != "" {
		h[a.header[0]] = p.values[3:4:4]
	}
	if a.header[2] != "" {
		h[a.header[2]] = p.values[4:5:5]
	}
	if s.conf.pays {
		h["X-Amz-Request-Payer"] = requester
	}
	if a.body != nil {
		p.values[2] = a.hash
		p.req.ContentLength = int64(len(a.body))
		p.req.Body = http.NoBody
		if len(a.body) > 0 {
			p.req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.body)), nil }
			p.req.Body, _ = p.req.GetBody()
		}
	}
	r := p.req.WithContext(ctx)
	if s.creds == nil {
		return r, nil
	}
	c, err := s.creds.get(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now().Add(time.Duration(s.skew.Load()))
	sign(r, p.url.RawPath, c, s.key(c, at.region, now), now)
	return r, nil
}

// key gives the signing key of the day, which is kept.
func (s *Store) key(c *Credentials, region string, now time.Time) *signingKey {
	var date [8]byte
	k := s.day.Load()
	if k == nil || k.secret != c.Secret || k.region != region || k.date != string(now.UTC().AppendFormat(date[:0], "20060102")) {
		k = newSigningKey(c, region, "s3", now)
		s.day.Store(k)
	}
	return k
}

// canonical spells a query as signatures want it.
func canonical(q url.Values) string {
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	slices.Sort(names)
	var b []byte
	for i, name := range names {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(appendEscaped(b, name, false), '=')
		b = appendEscaped(b, q.Get(name), false)
	}
	return string(b)
}
