package viewer_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/viewer"
)

// The page is small: all that a browser may ever load of it, as it gets that.
func TestSize(t *testing.T) {
	const most = 80_000
	total := 0
	for name, plain := range files(t) {
		packed, err := fs.ReadFile(viewer.Files(), name+".gz")
		if errors.Is(err, fs.ErrNotExist) { // the page itself, which the server changes and compresses
			packed, err = compressed(plain)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%6d %s", len(packed), name)
		total += len(packed)
	}
	if total > most {
		t.Errorf("the page has %d bytes compressed, and may have %d", total, most)
	}
}

func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}

// What lies compressed beside a file is that file.
func TestPacked(t *testing.T) {
	for name, plain := range files(t) {
		packed, err := viewer.Files().Open(name + ".gz")
		if errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(name, "assets/") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatalf("%s.gz: %v", name, err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s.gz is not %s: %v", name, name, err)
		}
		if err := packed.Close(); err != nil {
			t.Error(err)
		}
	}
}

// files are those of the page as they are, by name.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(viewer.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".gz" {
			return err
		}
		out[name], err = fs.ReadFile(viewer.Files(), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The policy of the server forbids whatever stands in the page itself, and other hosts.
func TestPageHasNothingInline(t *testing.T) {
	page, err := fs.ReadFile(viewer.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, wrong := range []string{"<style", " style=", "http://", "https://", " onclick=", "javascript:"} {
		if strings.Contains(text, wrong) {
			t.Errorf("index.html has %q", wrong)
		}
	}
	if regexp.MustCompile(`<script[^>]*>[^<\s]`).MatchString(text) {
		t.Error("index.html has a script of its own")
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="/([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if _, err := fs.Stat(viewer.Files(), m[1]); err != nil {
			t.Error(err)
		}
		if regexp.MustCompile(`-[0-9A-Za-z_-]{8}\.(js|css)$`).MatchString(m[1]) {
			t.Errorf("%s has a hash in its name", m[1])
		}
	}
}
