package viewer_test

import (
	"bytes"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/omnizarr/zarr/viewer"
)

// The page is small: all that a browser may ever load of it, compressed as the server does.
func TestSize(t *testing.T) {
	const most = 84_900 // 80_000 is what it is to come down to; it must not grow
	total := 0
	err := fs.WalkDir(viewer.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(viewer.Files(), name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		t.Logf("%6d %6d %s", len(content), packed.Len(), name)
		total += packed.Len()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most {
		t.Errorf("the page has %d bytes compressed, and may have %d", total, most)
	}
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
