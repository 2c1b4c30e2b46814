package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/serve/servetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// The service answers for itself, and for the arrays; links in listings lead where they
// should below the prefix.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"127.0.0.1:0", filepath.Join(servetest.Samples(t), "image.tif")}, w)
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(strings.TrimSpace(line), "/data/zarr/")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, want := range map[string]string{"/hello": "hello", "/data/zarr/": `href="image.tif/"`, "/data/zarr/image.tif": `href="0/"`, "/data/zarr/image.tif/0/zarr.json": `"array"`, "/data/zarr2/image.tif/.zgroup": "zarr_format"} {
		r, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != 200 || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s, %v", path, r.StatusCode, text, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"127.0.0.1:0"}, {"127.0.0.1:0", "gone.zarr"}, {"nowhere", "mem:"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
