package hdf5_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
)

// session is a file that pynwb wrote, unpacked once.
func session(t testing.TB) []byte {
	t.Helper()
	raw, err := unpackSession()
	check(t, err)
	return raw
}

var unpackSession = sync.OnceValues(func() ([]byte, error) {
	return decompress(filepath.Join("testdata", "session.nwb.zst"))
})

// All nodes of a session on a web server, with their attributes, take few requests,
// however many objects there are.
func TestFarFilesTakeFewRequests(t *testing.T) {
	raw := session(t)
	var requests, sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/session.nwb" {
			http.NotFound(w, r)
			return
		}
		requests.Add(1)
		w.Header().Set("ETag", `"1"`)
		counted := &counting{ResponseWriter: w, sent: &sent}
		http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(raw))
	}))
	defer server.Close()
	g, err := zarr.OpenGroup(ctx, server.URL+"/session.nwb")
	check(t, err)
	defer g.Close()
	nodes := 0
	for n, err := range g.Walk(ctx) {
		check(t, err)
		_ = n.Attributes()
		nodes++
	}
	t.Logf("%d nodes, %d requests, %d of %d bytes", nodes, requests.Load(), sent.Load(), len(raw))
	if nodes < 150 {
		t.Errorf("%d nodes", nodes)
	}
	if n := requests.Load(); n > 3 {
		t.Errorf("%d requests", n)
	}
	if n := sent.Load(); n > int64(len(raw))*11/10 {
		t.Errorf("%d bytes of %d were sent", n, len(raw))
	}
}

// counting counts the bytes of answers.
type counting struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counting) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}
