package serve_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/serve"
)

// TestAnswersOfOneConnection asks for files of all sizes over one connection, one request
// behind the other, each of which has to begin where the last ended.
func TestAnswersOfOneConnection(t *testing.T) {
	dir := folder(t)
	files := map[string][]byte{}
	for _, size := range []int{0, 1, 511, 512, 513, 4096, 32 << 10, 100_001, thorough.Of(3<<20, 9<<20)} {
		name := fmt.Sprintf("f%d", size)
		files[name] = bytes.Repeat([]byte(name+"/"), size/4+1)[:size]
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, serve.Options{}, nil, dir)
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	answer := func(method, name, headers string) (*http.Response, []byte) {
		t.Helper()
		if _, err := fmt.Fprintf(c, "%s /files/data.zarr/%s HTTP/1.1\r\nHost: x\r\n%s\r\n", method, name, headers); err != nil {
			t.Fatal(err)
		}
		a, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("%s %s: %v", method, name, err)
		}
		body, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatalf("%s %s: %v", method, name, err)
		}
		return a, body
	}
	for range 2 {
		for name, want := range files {
			if a, got := answer("GET", name, ""); a.StatusCode != 200 || a.ContentLength != int64(len(want)) || !bytes.Equal(got, want) {
				t.Errorf("%s: %s, %d bytes", name, a.Status, len(got))
			}
			if a, got := answer("HEAD", name, ""); a.StatusCode != 200 || len(got) != 0 {
				t.Errorf("head of %s: %s, %d bytes", name, a.Status, len(got))
			}
			n := len(want)
			if n < 513 {
				continue
			}
			if a, got := answer("GET", name, fmt.Sprintf("Range: bytes=7-%d\r\n", n-3)); a.StatusCode != 206 || !bytes.Equal(got, want[7:n-2]) {
				t.Errorf("a part of %s: %s, %d bytes", name, a.Status, len(got))
			}
			a, got := answer("GET", name, fmt.Sprintf("Range: bytes=0-1,%d-\r\n", n/2))
			if a.StatusCode != 206 || !bytes.Contains(got, append([]byte("\r\n\r\n"), want[n/2:]...)) || a.ContentLength != int64(len(got)) {
				t.Errorf("parts of %s: %s, %d bytes", name, a.Status, len(got))
			}
		}
		if a, got := answer("GET", "zarr.json", "Accept-Encoding: gzip\r\n"); a.StatusCode != 200 || len(got) == 0 {
			t.Errorf("the document: %s", a.Status)
		}
		if a, _ := answer("GET", "big.json", "Accept-Encoding: gzip\r\n"); a.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("a compressed document: %v", a.Header)
		}
	}
}

// TestAFileThatShrinksEndsTheConnection: who asked must not take what has come for all.
func TestAFileThatShrinksEndsTheConnection(t *testing.T) {
	near, far := connected(t)
	file := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(file, make([]byte, 100<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	go func() { _, _ = io.Copy(io.Discard, far) }()
	if err := serve.SendPart(near, f.Fd(), 0, 200<<10); err == nil {
		t.Error("more was sent than there is")
	}
}

// TestAHeaderWaitsForWhatFollows: nothing is sent until there is something behind it.
func TestAHeaderWaitsForWhatFollows(t *testing.T) {
	near, far := connected(t)
	held := serve.Hold(near, "header ")
	if held != "header " {
		t.Fatalf("%q waits", held)
	}
	if n, err := near.Write([]byte("body")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	got := make([]byte, 11)
	if _, err := io.ReadFull(far, got); err != nil || string(got) != "header body" {
		t.Errorf("%q, %v", got, err)
	}
	serve.Hold(near, "another ")
	if n, err := near.(io.ReaderFrom).ReadFrom(strings.NewReader("body")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	got = make([]byte, 12)
	if _, err := io.ReadFull(far, got); err != nil || string(got) != "another body" {
		t.Errorf("%q, %v", got, err)
	}
}

// connected gives both ends of a connection, the first as Run has it.
func connected(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near, err = serve.Accept(l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}
