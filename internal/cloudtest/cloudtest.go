// Package cloudtest gives tests real servers of object stores on loopback: versitygw
// for S3, fake-gcs-server for Google Cloud Storage, Azurite for Azure Blob. They are
// taken from the folder that OMNIZARR_CLOUDS names, as interop/install clouds makes
// it; where that is not set, the tests that need them are skipped.
//
// A server is started when a test first asks for it, and serves all tests of the
// process; each has a bucket of its own. It ends with the process, however that ends,
// and what it stored is removed.
package cloudtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
)

// Variable names the folder of the servers.
const Variable = "OMNIZARR_CLOUDS"

// What the servers know their only user by.
const (
	user   = "omnizarr"
	secret = "bm90IGEgc2VjcmV0LCBvbmx5IGZvciB0ZXN0cw=="
	region = "us-east-1"
)

// Cloud is an empty bucket of a server that runs.
type Cloud struct {
	URL      string // of the bucket, with the endpoint in its query
	Scheme   string // s3, gs or azblob
	Bucket   string
	Endpoint string // the URL of the server, without a slash at the end
}

// At is the URL of a key of the bucket.
func (c Cloud) At(key string) string {
	base, query, _ := strings.Cut(c.URL, "?")
	return base + "/" + key + "?" + query
}

// Through is the bucket as it is seen through a server that passes requests on, such as
// faulty.To(c.Server()).
func (c Cloud) Through(server string) Cloud {
	c.Endpoint = server + strings.TrimPrefix(c.Endpoint, c.Server())
	u, _ := url.Parse(c.URL)
	q := u.Query()
	q.Set("endpoint", c.Endpoint)
	u.RawQuery = q.Encode()
	c.URL = u.String()
	return c
}

// Server is the endpoint without a path.
func (c Cloud) Server() string {
	u, _ := url.Parse(c.Endpoint)
	return u.Scheme + "://" + u.Host
}

func cloud(scheme, bucket, endpoint string, query url.Values) Cloud {
	if query == nil {
		query = url.Values{}
	}
	query.Set("endpoint", endpoint)
	return Cloud{URL: scheme + "://" + bucket + "?" + query.Encode(), Scheme: scheme, Bucket: bucket, Endpoint: endpoint}
}

// S3 is a bucket of versitygw. The environment has its credentials while the test runs.
func S3(t testing.TB) Cloud {
	server := running(t, &s3)
	bucket := bucketName()
	// Its buckets are folders.
	if err := os.Mkdir(filepath.Join(server.dir, bucket), 0o777); err != nil {
		t.Fatal(err)
	}
	setenv(t, "AWS_", map[string]string{
		"AWS_ACCESS_KEY_ID": user, "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	})
	return cloud("s3", bucket, server.url, url.Values{"region": {region}})
}

// GCS is a bucket of fake-gcs-server, which asks for no credentials.
func GCS(t testing.TB) Cloud {
	server := running(t, &gcs)
	bucket := bucketName()
	if err := makeGCSBucket(server.url, bucket); err != nil {
		t.Fatal(err)
	}
	setenv(t, "GOOGLE_", nil)
	setenv(t, "STORAGE_", nil)
	return cloud("gs", bucket, server.url, nil)
}

// Azure is a container of Azurite. The environment has its credentials while the test
// runs: AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY.
func Azure(t testing.TB) Cloud {
	server := running(t, &azure)
	bucket := bucketName()
	if err := makeAzureContainer(server.url, bucket); err != nil {
		t.Fatal(err)
	}
	setenv(t, "AZURE_", map[string]string{"AZURE_STORAGE_ACCOUNT": user, "AZURE_STORAGE_KEY": secret})
	return cloud("azblob", bucket, server.url+"/"+user, nil)
}

// setenv sets variables for a test, and takes away all others that begin with prefix.
func setenv(t testing.TB, prefix string, vars map[string]string) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, prefix) {
			t.Setenv(name, "") // to have it back
			os.Unsetenv(name)
		}
	}
	for name, v := range vars {
		t.Setenv(name, v)
	}
}

var buckets atomic.Int64

// bucketName is one that no other test has. It is the same in each run, as no other process
// uses the server, so that what is made up of names is the same too.
func bucketName() string { return fmt.Sprintf("test-%04d", buckets.Add(1)) }

// server is a program that is started once.
type server struct {
	name, program string
	slot          int // which port
	ready         string
	command       func(dir, port string) (args, env []string)

	once sync.Once
	err  error
	url  string
	dir  string
}

var (
	s3 = server{name: "versitygw", program: "versitygw", slot: 0, ready: "/health", command: func(dir, port string) (args, env []string) {
		// Values that are being written must not show in lists, as they do without that option.
		return []string{"--port", "127.0.0.1:" + port, "--region", region, "--keep-alive", "--quiet", "--health", "/health", "posix", "--disableotmp", dir},
			[]string{"ROOT_ACCESS_KEY=" + user, "ROOT_SECRET_KEY=" + secret}
	}}
	gcs = server{name: "fake-gcs-server", program: "fake-gcs-server", slot: 1, ready: "/storage/v1/b", command: func(dir, port string) (args, env []string) {
		return []string{"-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory", "-public-host", "127.0.0.1:" + port,
			"-external-url", "http://127.0.0.1:" + port, "-log-level", "error"}, nil
	}}
	azure = server{name: "Azurite", program: "node_modules/.bin/azurite-blob", slot: 2, ready: "/", command: func(dir, port string) (args, env []string) {
		return []string{"--blobHost", "127.0.0.1", "--blobPort", port, "--location", dir, "--silent", "--skipApiVersionCheck", "--disableTelemetry"},
			[]string{"AZURITE_ACCOUNTS=" + user + ":" + secret}
	}}
)

// running is the server, started if it was not yet.
func running(t testing.TB, s *server) *server {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skipf("object stores: %s is not set (interop/install clouds)", Variable)
	}
	s.once.Do(func() { s.err = s.start(folder) })
	if s.err != nil {
		t.Fatalf("%s: %v", s.name, s.err)
	}
	return s
}

func (s *server) start(folder string) error {
	program, err := filepath.Abs(filepath.Join(folder, s.program))
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%w: %s is not what interop/install clouds makes", err, folder)
	}
	port, err := freePort(s.slot)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cloudtest-")
	if err != nil {
		return err
	}
	s.dir = filepath.Join(dir, "data")
	if err := os.Mkdir(s.dir, 0o777); err != nil {
		return err
	}
	args, env := s.command(s.dir, port)
	k, err := keep(dir, append([]string{program}, args...), env)
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	s.url = "http://127.0.0.1:" + port
	if err := answers(s.url + s.ready); err != nil {
		said := k.said()
		k.end()
		return fmt.Errorf("%w; it said: %s", err, said)
	}
	leaktest.AtEnd(k.end)
	return nil
}

// freePort gives a port that no other process of these tests looks at: by the number of
// the process, and outside of those that the system gives away by itself.
func freePort(slot int) (string, error) {
	const first, ports, servers = 10_000, 20_000, 3
	var err error
	for try := range 100 {
		port := fmt.Sprint(first + (servers*(os.Getpid()+1009*try)+slot)%ports)
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", err
}
