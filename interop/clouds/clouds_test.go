// Package clouds compares what Omnizarr sends to object stores with what other clients
// would send.
package clouds

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/s3"
)

var ctx = context.Background()

// server answers all requests, and looks at each before.
type server func(r *http.Request)

func (f server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	f(r)
	body := "<Answer></Answer>"
	q := r.URL.Query()
	switch {
	case q.Has("uploads"):
		body = "<A><UploadId>a+b/c=</UploadId></A>"
	case q.Has("list-type"):
		body = "<ListBucketResult><Contents><Key>" + "k" + "</Key></Contents></ListBucketResult>"
	case q.Has("delete"):
		body = "<DeleteResult></DeleteResult>"
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Etag": {`"x"`}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

var signature = regexp.MustCompile(`SignedHeaders=([^,]*), ?Signature=([0-9a-f]{64})$`)

// TestSignatures signs every request that a store makes once more, by minio-go: keys of
// all sorts, queries, parts, conditions, sessions, regions, endpoints.
func TestSignatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abcXYZ019-_.~ !\"#$%&'()*+,:;<=>?@[]^`{|}äß日本🦀é\u0301\x01\x7f")
	word := func() string {
		var b strings.Builder
		b.WriteByte('w')
		for range rng.IntN(12) {
			b.WriteRune(letters[rng.IntN(len(letters))])
		}
		return b.String()
	}
	synctest.Test(t, func(t *testing.T) { // in which both read the same clock
		n := 0
		for range 300 {
			c := s3.Credentials{ID: "AKIA" + fmt.Sprint(rng.IntN(1e6)), Secret: word()}
			if rng.IntN(2) == 0 {
				c.Token = "token/+=" + fmt.Sprint(rng.IntN(1e6))
			}
			region := []string{"us-east-1", "eu-west-3", "cn-north-1"}[rng.IntN(3)]
			endpoint := []string{"", "http://127.0.0.1:9000", "https://o.example/base%20path"}[rng.IntN(3)]
			s, err := s3.Open(ctx, "s3://bucket-1/pre fix", s3.Options{
				Endpoint: endpoint, Region: region, Part: 8, Credentials: func(context.Context) (s3.Credentials, error) { return c, nil },
				Transport: server(func(r *http.Request) {
					n++
					ours := signature.FindStringSubmatch(r.Header.Get("Authorization"))
					if ours == nil {
						t.Fatalf("%s %s is signed by %q", r.Method, r.URL, r.Header.Get("Authorization"))
					}
					theirs := r.Clone(ctx)
					for name := range theirs.Header {
						if !strings.Contains(";"+ours[1]+";", ";"+strings.ToLower(name)+";") {
							theirs.Header.Del(name)
						}
					}
					theirs = signer.SignV4(*theirs, c.ID, c.Secret, c.Token, region)
					want := signature.FindStringSubmatch(theirs.Header.Get("Authorization"))
					if want == nil || want[1] != ours[1] || want[2] != ours[2] {
						t.Errorf("%s %s: signed by %v, minio-go has %v", r.Method, r.URL, ours, want)
					}
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			key := word() + "/" + word()
			var call string
			switch rng.IntN(7) {
			case 0:
				call = "get"
				_, _, err = s.Get(ctx, key, store.Part(3, 0), nil)
			case 1:
				call = "put"
				_, err = s.Put(ctx, key, []byte(word())[:1], store.PutOptions{IfAbsent: rng.IntN(2) == 0})
			case 2:
				call = "list"
				for _, err = range s.List(ctx, key+"/", "/") {
				}
				err = nil // what the server lists was not asked for
			case 3:
				call = "delete"
				err = s.Delete(ctx, key)
			case 4:
				call = "parts"
				_, err = s.PutFrom(ctx, key, bytes.NewReader(make([]byte, 20)), 20)
			case 5:
				call = "match"
				_, err = s.Put(ctx, key, nil, store.PutOptions{IfMatch: `"tag"`})
			default:
				call = "suffix"
				_, _, err = s.Get(ctx, key, store.Suffix(0), nil)
			}
			if err != nil && (call == "put" || call == "delete" || call == "parts" || call == "match") {
				t.Errorf("%s %q: %v", call, key, err)
			}
		}
		if n < 300 {
			t.Errorf("%d requests", n)
		}
	})
}

// used gives the credentials that a store signs with, by what its requests say.
func used(t *testing.T, url string) (id, token string, err error) {
	s, err := s3.Open(ctx, url, s3.Options{Transport: server(func(r *http.Request) {
		_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
		id, _, _ = strings.Cut(rest, "/")
		token = r.Header.Get("X-Amz-Security-Token")
	})})
	if err == nil {
		_, err = s.Put(ctx, "k", nil, store.PutOptions{})
	}
	return id, token, err
}

// TestCredentials finds the same in the same places as minio-go.
func TestCredentials(t *testing.T) {
	home := t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	file, given := filepath.Join(home, "credentials"), filepath.Join(home, "given.json")
	if err := os.WriteFile(given, []byte(`{"Version": 1, "AccessKeyId": "ran", "SecretAccessKey": "s3", "SessionToken": "t3", "Expiration": "2126-01-01T00:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`[default]
aws_access_key_id = def
aws_secret_access_key = s1
[lab]
aws_access_key_id=lab
aws_secret_access_key=s2
aws_session_token = tok
[run]
credential_process = cat `+given+`
`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	same := func(name, url string, theirs *credentials.Credentials) {
		t.Helper()
		want, err := theirs.GetWithContext(&credentials.CredContext{Client: http.DefaultClient})
		if err != nil {
			t.Fatal(err)
		}
		id, token, err := used(t, url)
		if err != nil || id != want.AccessKeyID || token != want.SessionToken {
			t.Errorf("%s: %s %s, %v; minio-go has %s %s", name, id, token, err, want.AccessKeyID, want.SessionToken)
		}
	}
	same("default profile", "s3://bucket", credentials.NewFileAWSCredentials("", ""))
	same("profile", "s3://bucket?profile=lab", credentials.NewFileAWSCredentials("", "lab"))
	same("process", "s3://bucket?profile=run", credentials.NewFileAWSCredentials("", "run"))
	t.Setenv("AWS_PROFILE", "lab")
	same("AWS_PROFILE", "s3://bucket", credentials.NewFileAWSCredentials("", ""))
	os.Unsetenv("AWS_PROFILE")
	t.Setenv("AWS_ACCESS_KEY_ID", "env")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s4")
	t.Setenv("AWS_SESSION_TOKEN", "t4")
	same("environment", "s3://bucket", credentials.NewEnvAWS())
}

// BenchmarkGet reads 4 KiB of a value of a real server, by us and by minio-go.
func BenchmarkGet(b *testing.B) {
	cloud := cloudtest.S3(b)
	transport := &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}
	defer transport.CloseIdleConnections()
	s, err := s3.Open(ctx, cloud.URL, s3.Options{Transport: transport})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Put(ctx, "k", make([]byte, 1<<20), store.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	room := make([]byte, 4096)
	b.Run("omnizarr", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := s.Get(ctx, "k", store.Part(8192, 4096), room[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	core, err := minio.NewCore(strings.TrimPrefix(cloud.Endpoint, "http://"), &minio.Options{Creds: credentials.NewEnvAWS(), Region: "us-east-1", Transport: transport})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("minio-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			opt := minio.GetObjectOptions{}
			if err := opt.SetRange(8192, 8192+4095); err != nil {
				b.Fatal(err)
			}
			r, _, _, err := core.GetObject(ctx, cloud.Bucket, "k", opt)
			if err == nil {
				_, err = io.ReadFull(r, room)
				r.Close()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
