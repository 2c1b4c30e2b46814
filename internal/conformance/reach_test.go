package conformance_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
)

// manifest is a file of references, as kerchunk writes them, whose array has one chunk.
const manifest = `{"version": 1, "refs": {".zgroup": "{\"zarr_format\":2}",
	"a/.zarray": "{\"zarr_format\":2,\"shape\":[4],\"chunks\":[4],\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,\"order\":\"C\",\"fill_value\":0}",
	"a/0": [%q, 0, 4]}}`

// TestManifestsReachNothingElse has manifests, in a folder and on a server, whose chunks
// are said to lie on other servers, in files outside and in devices, or which a server
// sends on to such: nobody is asked, nothing is read, and the error says why.
func TestManifestsReachNothingElse(t *testing.T) {
	var asked atomic.Int32
	canary := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Write([]byte("1234"))
	}))
	defer canary.Close()
	dir := t.TempDir()
	home, secret := filepath.Join(dir, "home"), filepath.Join(dir, "secret")
	check(t, os.Mkdir(home, 0o777))
	check(t, os.WriteFile(secret, []byte("1234"), 0o666))
	check(t, os.WriteFile(filepath.Join(home, "data"), []byte("1234"), 0o666))
	files := http.FileServer(http.Dir(home))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, canary.URL+"/data", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		ref, says string
		served    bool // only on a server
	}{
		{"data", "", false},
		{canary.URL + "/data", "not allowed", false},
		{"//" + strings.TrimPrefix(canary.URL, "http://") + "/data", "", false}, // a path, or a file that is not there
		{"../secret", "", false},
		{secret, "not allowed", false},
		{"file://" + filepath.ToSlash(secret), "not allowed", false},
		{"/dev/zero", "not allowed", false},
		{"/proc/self/environ", "not allowed", false},
		{"s3://bucket/data", "not allowed", false},
		{"gs://bucket/data", "not allowed", false},
		{"away", "redirect refused", true},
		{"round", "redirect refused", true},
	} {
		check(t, os.WriteFile(filepath.Join(home, "refs.json"), fmt.Appendf(nil, manifest, c.ref), 0o666))
		for _, url := range []string{filepath.Join(home, "refs.json"), server.URL + "/refs.json|references:"} {
			if c.served && !strings.HasPrefix(url, "http") {
				continue
			}
			g, err := zarr.OpenGroup(ctx, url)
			check(t, err)
			a, err := g.Array(ctx, "a")
			check(t, err)
			got, err := zarr.Read[uint8](ctx, a, zarr.All())
			switch {
			case c.ref == "data":
				check(t, err)
			case err == nil || got.Data != nil || errors.Is(err, zarr.ErrMissing) || !strings.Contains(err.Error(), c.says):
				t.Errorf("%s in %s: %v, %v", c.ref, url, got.Data, err)
			}
			check(t, g.Close())
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests to a server that nobody named", n)
	}
}
