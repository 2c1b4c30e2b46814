package s3

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// known are what a query may say.
var known = map[string]bool{"endpoint": true, "region": true, "anonymous": true, "profile": true, "style": true, "forbidden": true, "requester": true}

// config is what a URL, options, the environment and a profile say together.
type config struct {
	bucket, prefix string
	endpoint       *url.URL // nil: AWS
	region         string
	anonymous      bool
	path           bool // the bucket is in the path
	missing        bool // 403 is ErrNotExist
	pays           bool // whoever asks
	profile        string
	files          files // of profiles
	sts            string
}

// configure reads all that says how a bucket is reached, except credentials.
func configure(rawURL string, opt Options) (config, error) {
	u, err := url.Parse(rawURL)
	switch {
	case err != nil:
		return config{}, errors.New("not a URL")
	case !strings.EqualFold(u.Scheme, "s3") || u.Opaque != "":
		return config{}, errors.New("want s3://BUCKET/KEY")
	case u.Host == "":
		return config{}, errors.New("no bucket is named, as in s3://BUCKET/KEY")
	case u.User != nil:
		return config{}, errors.New("credentials do not belong into a URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	case strings.HasSuffix(u.Host, "--x-s3"):
		return config{}, errors.New("directory buckets (S3 Express One Zone) speak another protocol, which is not known here")
	case u.Port() != "" || !isBucket(u.Host):
		return config{}, fmt.Errorf("%q is not the name of a bucket: want s3://BUCKET/KEY?endpoint=URL", u.Host)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return config{}, errors.New("the query is none")
	}
	for name := range q {
		if !known[name] {
			return config{}, fmt.Errorf("%q in the query: want endpoint, region, anonymous, profile, style, forbidden or requester", name)
		}
	}
	c := config{bucket: u.Host, profile: cmp.Or(q.Get("profile"), os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"))}
	if c.files, err = readFiles(); err != nil {
		return config{}, err
	}
	of := c.files.section(cmp.Or(c.profile, "default"))
	if of == nil && c.profile != "" && q.Has("profile") {
		return config{}, c.files.missing(c.profile)
	}
	if c.prefix = strings.Trim(u.Path, "/"); c.prefix != "" {
		if store.CheckKey(c.prefix) != nil {
			return config{}, fmt.Errorf("path %q: %w", c.prefix, store.ErrBadKey)
		}
		c.prefix += "/"
	}
	c.region = cmp.Or(q.Get("region"), opt.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), of["region"], "us-east-1")
	if !isBucket(c.region) {
		return config{}, fmt.Errorf("%q is not the name of a region", c.region)
	}
	endpoint := cmp.Or(q.Get("endpoint"), opt.Endpoint)
	if endpoint == "" && os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") != "true" {
		endpoint = cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), of["endpoint_url"])
	}
	if endpoint != "" {
		e, err := url.Parse(endpoint)
		if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil || e.RawQuery != "" {
			return config{}, errors.New("the endpoint is no URL such as http://127.0.0.1:9000")
		}
		c.endpoint = e
	}
	if c.anonymous, err = truth(q, "anonymous", opt.Anonymous); err != nil {
		return config{}, err
	}
	switch style := q.Get("style"); style {
	case "":
		c.path = c.endpoint != nil || strings.Contains(c.bucket, ".") || strings.ToLower(c.bucket) != c.bucket || strings.Contains(c.bucket, "_")
	case "path", "virtual":
		c.path = style == "path"
	default:
		return config{}, fmt.Errorf("style %q: want path or virtual", style)
	}
	switch f := q.Get("forbidden"); f {
	case "", "missing":
		c.missing = f != ""
	default:
		return config{}, fmt.Errorf("forbidden %q: want missing", f)
	}
	switch r := q.Get("requester"); r {
	case "", "pays":
		c.pays = r != ""
	default:
		return config{}, fmt.Errorf("requester %q: want pays", r)
	}
	c.sts = os.Getenv("AWS_ENDPOINT_URL_STS")
	return c, nil
}

// truth reads what is true or false.
func truth(q url.Values, name string, otherwise bool) (bool, error) {
	switch v := q.Get(name); v {
	case "":
		return otherwise || q.Has(name), nil
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	default:
		return false, fmt.Errorf("%s %q: want true or false", name, v)
	}
}

// isBucket reports whether a name can be a part of a host or a path as it is.
func isBucket(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0) {
			return false
		}
	}
	return name != ""
}

// amazon is the domain of AWS that has a region.
func amazon(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// target is where requests for a bucket of a region go.
type target struct {
	region, scheme, host string
	plain, escaped       string // paths up to the prefix
	dir                  string // path of the bucket itself, escaped
}

// target finds where the bucket is if it is in a region.
func (c *config) target(region string) *target {
	t := &target{region: region, scheme: "https", host: "s3." + region + "." + amazon(region), plain: "/", escaped: "/"}
	if c.endpoint != nil {
		t.scheme, t.host = c.endpoint.Scheme, c.endpoint.Host
		t.plain = strings.TrimSuffix(c.endpoint.Path, "/") + "/"
		t.escaped = string(appendEscaped(nil, t.plain, true))
	}
	if c.path {
		t.plain, t.escaped = t.plain+c.bucket+"/", t.escaped+c.bucket+"/"
	} else {
		t.host = c.bucket + "." + t.host
	}
	t.dir = strings.TrimSuffix(t.escaped, "/")
	if t.dir == "" {
		t.dir = "/"
	}
	t.plain, t.escaped = t.plain+c.prefix, string(appendEscaped([]byte(t.escaped), c.prefix, true))
	return t
}

// identity names the place: bucket and prefix, and the server if it is not AWS, however
// that was said.
func (c *config) identity() string {
	u := url.URL{Scheme: "s3", Host: c.bucket, Path: "/" + c.prefix}
	id := strings.TrimSuffix(u.String(), "/")
	if c.endpoint != nil {
		id += "?endpoint=" + url.QueryEscape(c.endpoint.Scheme+"://"+strings.ToLower(c.endpoint.Host)+strings.TrimSuffix(c.endpoint.EscapedPath(), "/"))
	}
	return id
}
