package bearer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
)

// maxAnswer is the most that a server of tokens may say.
const maxAnswer = 1 << 20

// Client gives a client that servers of tokens are asked by: its errors say what those
// say was wrong.
func Client(opt remote.Options) *remote.Client {
	opt.Explain = explain
	return remote.New(opt)
}

// Metadata gives a client for the services at fixed addresses that machines of a cloud
// have, which are never reached through a proxy. Elsewhere there are none, so that it does
// not try for long.
func Metadata(opt remote.Options) *remote.Client {
	if opt.Transport == nil {
		opt.Transport = direct()
	}
	opt.Retries = min(opt.Retries, 2)
	if opt.Retries == 0 {
		opt.Retries = 2
	}
	return Client(opt)
}

var direct = sync.OnceValue(func() http.RoundTripper {
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		ResponseHeaderTimeout: 10 * time.Second,
		IdleConnTimeout:       time.Second,
	}
})

// Near reports whether something answers at a host and port of this network, soon.
func Near(ctx context.Context, address string) bool {
	conn, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// Post sends a form and takes the token of the answer.
func Post(ctx context.Context, c *remote.Client, to string, form url.Values) (Token, error) {
	if err := Safe(to); err != nil {
		return Token{}, err
	}
	return Ask(ctx, c, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r, nil
	})
}

// Ask takes the token of an answer as RFC 6749 has it, or as the metadata services of
// Google and Azure do.
func Ask(ctx context.Context, c *remote.Client, req remote.Request) (Token, error) {
	a, err := c.Do(ctx, req, maxAnswer)
	if err != nil {
		return Token{}, err
	}
	var said struct {
		AccessToken string      `json:"access_token"`
		ExpiresIn   json.Number `json:"expires_in"`
		ExpiresOn   json.Number `json:"expires_on"`
		// Of Google's service that gives tokens of other accounts.
		Impersonated string    `json:"accessToken"`
		ExpireTime   time.Time `json:"expireTime"`
	}
	if json.Unmarshal(a.Body, &said) != nil {
		return Token{}, errors.New("the answer holds no token")
	}
	t := Token{Value: said.AccessToken}
	in, inErr := strconv.ParseFloat(said.ExpiresIn.String(), 64)
	on, onErr := strconv.ParseInt(said.ExpiresOn.String(), 10, 64)
	switch {
	case said.Impersonated != "":
		t = Token{said.Impersonated, said.ExpireTime}
	case inErr == nil:
		t.Expires = time.Now().Add(time.Duration(in * float64(time.Second)))
	case onErr == nil:
		t.Expires = time.Unix(on, 0)
	}
	if t.Value == "" {
		return Token{}, errors.New("the answer holds no token")
	}
	return t, nil
}

// Safe refuses URLs that would send a secret where others can read it: plain http is for
// this machine alone, and for the addresses of metadata services.
func Safe(rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil {
		return fmt.Errorf("%q is no URL", rawURL)
	}
	switch u.Scheme {
	case "https":
		return nil
	case "http":
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() == "localhost" || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			return nil
		}
	}
	return fmt.Errorf("secrets are not sent to %s://%s, which is not https", u.Scheme, u.Host)
}

// explain says what a server of tokens says was wrong.
func explain(_ *http.Request, a *remote.Answer) error {
	err := remote.Explain(a)
	var said struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if json.Unmarshal(a.Body, &said) != nil || len(said.Error) == 0 {
		return notMissing(a, err)
	}
	why := said.Description
	var inner struct{ Message string }
	if why == "" && json.Unmarshal(said.Error, &inner) == nil {
		why = inner.Message
	}
	if why == "" && json.Unmarshal(said.Error, &why) != nil {
		return notMissing(a, err)
	}
	why, _, _ = strings.Cut(why, "\n")
	told := fmt.Errorf("server answers %d: %s", a.Status, strings.TrimSpace(why))
	if remote.IsPassing(err) {
		return remote.Passing(told, remote.RetryAfter(a.Header))
	}
	return told
}

// notMissing keeps a missing service from being taken for a missing value.
func notMissing(a *remote.Answer, err error) error {
	if remote.IsPassing(err) {
		return err
	}
	return remote.StatusError(a)
}
