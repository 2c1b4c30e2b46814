package s3

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// clean takes away what the environment says of AWS, and gives a folder for what a test
// says instead.
func clean(t *testing.T) (home string) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "") // to have it back
			os.Unsetenv(name)
		}
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	return home
}

// write puts a file below ~/.aws.
func write(t *testing.T, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, ".aws", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWhereABucketIs goes by the URL, then by options, the environment and profiles.
func TestWhereABucketIs(t *testing.T) {
	home := clean(t)
	write(t, home, "config", `
# a comment
[default]
region = ap-south-1
[profile lab]
region=eu-north-1
endpoint_url = http://127.0.0.1:9 # ours
s3 =
  endpoint_url = http://nested
[services x]
region = nowhere
`)
	for _, c := range []struct {
		url  string
		env  map[string]string
		opt  Options
		want string // host, path, region
	}{
		{"s3://bucket/d/e", nil, Options{}, "https bucket.s3.ap-south-1.amazonaws.com /d/e/k ap-south-1"},
		{"s3://bucket", nil, Options{Region: "us-west-2"}, "https bucket.s3.us-west-2.amazonaws.com /k us-west-2"},
		{"s3://bucket/?region=cn-north-1", map[string]string{"AWS_REGION": "x"}, Options{}, "https bucket.s3.cn-north-1.amazonaws.com.cn /k cn-north-1"},
		{"s3://my.bucket/a%20b", map[string]string{"AWS_REGION": "us-east-2"}, Options{}, "https s3.us-east-2.amazonaws.com /my.bucket/a%20b/k us-east-2"},
		{"s3://bucket?style=path", map[string]string{"AWS_DEFAULT_REGION": "us-east-2"}, Options{}, "https s3.us-east-2.amazonaws.com /bucket/k us-east-2"},
		{"s3://bucket?profile=lab", nil, Options{}, "http 127.0.0.1:9 /bucket/k eu-north-1"},
		{"s3://bucket", map[string]string{"AWS_PROFILE": "lab", "AWS_ENDPOINT_URL": "http://h:1"}, Options{}, "http h:1 /bucket/k eu-north-1"},
		{"s3://bucket", map[string]string{"AWS_ENDPOINT_URL_S3": "http://h:2/base/", "AWS_ENDPOINT_URL": "http://h:1"}, Options{}, "http h:2 /base/bucket/k ap-south-1"},
		{"s3://bucket?endpoint=https://o.example&style=virtual", map[string]string{"AWS_ENDPOINT_URL": "http://h:1"}, Options{}, "https bucket.o.example /k ap-south-1"},
		{"s3://bucket", nil, Options{Endpoint: "http://h:3"}, "http h:3 /bucket/k ap-south-1"},
	} {
		for name, v := range c.env {
			os.Setenv(name, v)
		}
		c.opt.Anonymous = true
		s, err := Open(ctx, c.url, c.opt)
		id := locate.Identity(c.url)
		for name := range c.env {
			os.Unsetenv(name)
		}
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		r, err := s.request(ctx, &ask{method: "GET", key: "k"}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.URL.Scheme + " " + r.URL.Host + " " + r.URL.EscapedPath() + " " + s.at.Load().region; got != c.want {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
		if c.opt.Endpoint == "" && id != s.Identity("") {
			t.Errorf("%s: identity %s by its URL, %s by the store", c.url, id, s.Identity(""))
		}
	}
}

func TestWrongURLs(t *testing.T) {
	home := clean(t)
	for url, says := range map[string]string{
		"s3://":                                  "open s3://: no bucket is named, as in s3://BUCKET/KEY",
		"s3:///key?region=x":                     "open s3:///key?region=x: no bucket is named",
		"s3:bucket/key":                          "want s3://BUCKET/KEY",
		"http://bucket/key":                      "want s3://BUCKET/KEY",
		"s3://host:9000/bucket":                  "not the name of a bucket",
		"s3://id:hidden@bucket/key":              "credentials do not belong into a URL",
		"s3://bucket/a/../b":                     "not a valid key",
		"s3://bucket/a?token=hidden":             `"token" in the query: want endpoint, region`,
		"s3://bucket/a?endpoint=h:1":             "the endpoint is no URL",
		"s3://bucket?endpoint=http://a:hidden@h": "the endpoint is no URL",
		"s3://bucket/a?region=a/b":               "not the name of a region",
		"s3://bucket/a?anonymous=maybe":          "want true or false",
		"s3://bucket/a?style=odd":                "want path or virtual",
		"s3://bucket/a?forbidden=odd":            "want missing",
		"s3://bucket/a?requester=owes":           "want pays",
		"s3://bucket--use1-az4--x-s3/a":          "directory buckets",
		"s3://bucket/a?profile=nobody":           `no profile "nobody" in ` + home,
	} {
		_, err := Open(ctx, url, Options{})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestWhoPays(t *testing.T) {
	clean(t)
	for url, want := range map[string]string{"s3://bucket/a": "", "s3://bucket/a?requester=pays": "requester"} {
		s, err := Open(ctx, url, Options{Credentials: fixed(Credentials{ID: "a", Secret: "b"})})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.request(ctx, &ask{method: "GET", key: "k"}, "")
		if err != nil || r.Header.Get("X-Amz-Request-Payer") != want || strings.Contains(r.Header.Get("Authorization"), "x-amz-request-payer") != (want != "") {
			t.Errorf("%s: %v, %v", url, r.Header, err)
		}
	}
}

func TestURLCanBeUsedAgain(t *testing.T) {
	clean(t)
	for url, want := range map[string]string{
		"s3://bucket/a%20b/c/":                           "s3://bucket/a%20b/c",
		"s3://bucket/?endpoint=http://h:1&region=x#part": "s3://bucket/?endpoint=http://h:1&region=x",
	} {
		s, err := Open(ctx, url, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Open(ctx, s.URL(), Options{})
		if err != nil || s.URL() != want || again.Identity("k") != s.Identity("k") {
			t.Errorf("%s: %s, %v", url, s.URL(), err)
		}
	}
}

// TestPlaces are told apart by server, bucket and key, and by nothing else.
func TestPlaces(t *testing.T) {
	clean(t)
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1/")
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"s3://bucket/a", "s3://bucket/a/b?endpoint=http://127.0.0.1:1&region=x&anonymous=true", true},
		{"s3://bucket/a", "s3://bucket/ab", false},
		{"s3://bucket/a", "s3://other/a", false},
		{"s3://bucket/", "s3://bucket/a", true},
	} {
		if got := store.Overlap(locate.Identity(c.a), locate.Identity(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
