package cloudtest

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestServersRun(t *testing.T) {
	for name, start := range map[string]func(testing.TB) Cloud{"S3": S3, "GCS": GCS, "Azure": Azure} {
		t.Run(name, func(t *testing.T) {
			a, b := start(t), start(t)
			if a.Bucket == b.Bucket || a.Endpoint != b.Endpoint {
				t.Errorf("buckets %q and %q of %s and %s", a.Bucket, b.Bucket, a.Endpoint, b.Endpoint)
			}
			if at := a.At("a/b"); !strings.HasPrefix(at, a.Scheme+"://"+a.Bucket+"/a/b?") || !strings.Contains(at, "endpoint=http") {
				t.Errorf("a key is at %q", at)
			}
			other := a.Through("http://127.0.0.1:1")
			if other.Server() != "http://127.0.0.1:1" || strings.Contains(other.URL, strings.TrimPrefix(a.Server(), "http://127.0.0.1:")) {
				t.Errorf("through another server it is %+v", other)
			}
			req, err := http.NewRequest(http.MethodGet, a.Endpoint+"/"+a.Bucket, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		})
	}
}

// TestSkipped wants a clear line where there are no servers.
func TestSkipped(t *testing.T) {
	t.Setenv(Variable, "")
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		S3(t)
	})
	if !skipped {
		t.Error("a test ran without servers")
	}
}

// TestEnvironment wants nothing of the caller's own account to reach a test.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_PROFILE", "mine")
	t.Run("inside", func(t *testing.T) {
		setenv(t, "AWS_", map[string]string{"AWS_REGION": "there"})
		if _, ok := os.LookupEnv("AWS_PROFILE"); ok || os.Getenv("AWS_REGION") != "there" {
			t.Error("the environment is the caller's")
		}
	})
	if os.Getenv("AWS_PROFILE") != "mine" {
		t.Error("the caller's environment is not restored")
	}
}
