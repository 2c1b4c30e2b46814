package s3

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// The services that give credentials are asked without a proxy where they are on this
// machine or beside it, and leave no connection open.
var (
	near = &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext}
	far  = &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
)

const maxCredentials = 1 << 20

// webIdentity exchanges a token, such as Kubernetes gives to pods, for credentials.
func (c *config) webIdentity(file, role, session string) provider {
	return func(ctx context.Context) (Credentials, error) {
		token, err := os.ReadFile(file) // anew each time: it changes
		if err != nil {
			return Credentials{}, fmt.Errorf("the token of web identity: %w", err)
		}
		return c.askSTS(ctx, nil, url.Values{
			"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {role}, "WebIdentityToken": {strings.TrimSpace(string(token))},
			"RoleSessionName": {cmp.Or(session, "omnizarr")},
		})
	}
}

// assumeRole exchanges credentials for those of a role.
func (c *config) assumeRole(from provider, of map[string]string) provider {
	return func(ctx context.Context) (Credentials, error) {
		own, err := from(ctx)
		if err != nil {
			return Credentials{}, err
		}
		q := url.Values{"Action": {"AssumeRole"}, "RoleArn": {of["role_arn"]}, "RoleSessionName": {cmp.Or(of["role_session_name"], "omnizarr")}}
		if id := of["external_id"]; id != "" {
			q.Set("ExternalId", id)
		}
		if d := of["duration_seconds"]; d != "" {
			q.Set("DurationSeconds", d)
		}
		return c.askSTS(ctx, &own, q)
	}
}

// askSTS asks the service for credentials; own signs, if it is given.
func (c *config) askSTS(ctx context.Context, own *Credentials, q url.Values) (Credentials, error) {
	q.Set("Version", "2011-06-15")
	body := q.Encode()
	at := cmp.Or(c.sts, "https://sts."+c.region+"."+amazon(c.region))
	client := remote.New(remote.Options{Remote: store.Remote{Retries: 3}, Stall: 20 * time.Second, Transport: far, Explain: explainSTS})
	a, err := client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(at, "/")+"/", strings.NewReader(body))
		if err != nil {
			return nil, errors.New("AWS_ENDPOINT_URL_STS is not a URL")
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept-Encoding", "identity")
		if own != nil {
			sum := sha256.Sum256([]byte(body))
			r.Header["X-Amz-Content-Sha256"] = []string{hex.EncodeToString(sum[:])}
			sign(r, "/", own, newSigningKey(own, c.region, "sts", time.Now()), time.Now())
		}
		return r, nil
	}, maxCredentials)
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials of %s: %w", q.Get("RoleArn"), err)
	}
	type result struct {
		Credentials struct {
			AccessKeyId, SecretAccessKey, SessionToken string
			Expiration                                 time.Time
		}
	}
	var answer struct {
		Web  result `xml:"AssumeRoleWithWebIdentityResult"`
		Role result `xml:"AssumeRoleResult"`
	}
	if err := xml.Unmarshal(a.Body, &answer); err != nil {
		return Credentials{}, fmt.Errorf("credentials of %s: the answer is no XML", q.Get("RoleArn"))
	}
	got := answer.Web.Credentials
	if got.AccessKeyId == "" {
		got = answer.Role.Credentials
	}
	if got.AccessKeyId == "" || got.SecretAccessKey == "" {
		return Credentials{}, fmt.Errorf("credentials of %s: the answer has none", q.Get("RoleArn"))
	}
	return Credentials{got.AccessKeyId, got.SecretAccessKey, got.SessionToken, got.Expiration}, nil
}

// explainSTS says why there are no credentials.
func explainSTS(_ *http.Request, a *remote.Answer) error {
	err := remote.Explain(a)
	if remote.IsPassing(err) {
		return err
	}
	var said struct {
		Error struct{ Code, Message string }
	}
	if xml.Unmarshal(a.Body, &said) == nil && said.Error.Code != "" {
		err = fmt.Errorf("server answers %d %s: %s", a.Status, said.Error.Code, oneLine(said.Error.Message))
		if said.Error.Code == "IDPCommunicationError" {
			err = remote.Passing(err, 0)
		}
		return err
	}
	return remote.StatusError(a)
}

// given is how containers and machines spell credentials.
type given struct {
	Code, Message                       string
	AccessKeyId, SecretAccessKey, Token string
	Expiration                          time.Time
}

func (g given) credentials() (Credentials, error) {
	if g.AccessKeyId == "" || g.SecretAccessKey == "" {
		return Credentials{}, fmt.Errorf("the answer has no credentials: %s", oneLine(cmp.Or(g.Message, g.Code, "nothing is said why")))
	}
	return Credentials{g.AccessKeyId, g.SecretAccessKey, g.Token, g.Expiration}, nil
}

// container asks what the environment of a container names, as ECS and the pod identity
// of EKS have it.
func container(ctx context.Context) (Credentials, error) {
	at := os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); relative != "" {
		at = "http://169.254.170.2" + relative
	}
	fail := func(err error) (Credentials, error) {
		return Credentials{}, fmt.Errorf("credentials of the container: %w", err)
	}
	u, err := url.Parse(at)
	if err != nil || !mayAsk(u) {
		return fail(errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of this machine or of its container service"))
	}
	token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return fail(err)
		}
		token = strings.TrimSpace(string(b))
	}
	client := remote.New(remote.Options{Remote: store.Remote{Retries: 3}, Stall: 5 * time.Second, Transport: near})
	var g given
	if err := askJSON(ctx, client, at, http.Header{"Authorization": {token}}, &g); err != nil {
		return fail(err)
	}
	c, err := g.credentials()
	if err != nil {
		return fail(err)
	}
	return c, nil
}

// mayAsk reports whether a container's secret may be sent to a URL.
func mayAsk(u *url.URL) bool {
	if u.Scheme == "https" && u.Host != "" {
		return true
	}
	if u.Scheme != "http" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return u.Hostname() == "localhost"
	}
	switch ip.String() {
	case "169.254.170.2", "169.254.170.23", "fd00:ec2::23":
		return true
	}
	return ip.IsLoopback()
}

// errNone says where credentials were looked for.
var errNone = errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or say anonymous=true in the URL's query if everybody may read the bucket")

// machine asks the metadata of a machine of EC2, if this is one.
func machine(ctx context.Context) (Credentials, error) {
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return Credentials{}, errNone
	}
	at := strings.TrimSuffix(cmp.Or(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254"), "/") + "/latest/"
	client := remote.New(remote.Options{Remote: store.Remote{Retries: -1}, Stall: time.Second, Transport: near})
	a, err := client.Once(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, at+"api/token", nil)
		if err == nil {
			r.Header.Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "21600")
		}
		return r, err
	}, maxCredentials)
	if err != nil {
		if ctx.Err() != nil {
			return Credentials{}, ctx.Err()
		}
		return Credentials{}, errNone
	}
	token := http.Header{"X-Aws-Ec2-Metadata-Token": {string(a.Body)}}
	client = remote.New(remote.Options{Remote: store.Remote{Retries: 3}, Stall: 5 * time.Second, Transport: near})
	const list = "meta-data/iam/security-credentials/"
	a, err = client.Do(ctx, getting(at+list, token), maxCredentials)
	if errors.Is(err, store.ErrNotExist) {
		return Credentials{}, fmt.Errorf("this machine has no role: %w", errNone)
	}
	var g given
	if err == nil {
		role, _, _ := strings.Cut(strings.TrimSpace(string(a.Body)), "\n")
		err = askJSON(ctx, client, at+list+url.PathEscape(role), token, &g)
	}
	var c Credentials
	if err == nil {
		c, err = g.credentials()
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials of the machine: %w", err)
	}
	return c, nil
}

// getting makes requests for a URL.
func getting(at string, header http.Header) remote.Request {
	return func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return nil, errors.New("not a URL")
		}
		for name, v := range header {
			if v[0] != "" {
				r.Header[name] = v
			}
		}
		return r, nil
	}
}

// askJSON reads a document.
func askJSON(ctx context.Context, client *remote.Client, at string, header http.Header, into any) error {
	a, err := client.Do(ctx, getting(at, header), maxCredentials)
	if err != nil {
		return err
	}
	if json.Unmarshal(a.Body, into) != nil {
		return errors.New("the answer is no JSON")
	}
	return nil
}
