package gcs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/omnizarr/zarr/store"
)

func noise(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func wantValue(t *testing.T, s *Store, key string, data []byte) {
	t.Helper()
	got, _, err := s.Get(t.Context(), key, store.All(), nil)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q: %d bytes, %v; want %d", key, len(got), err, len(data))
	}
}

// TestPieces puts values that go in pieces, whatever happens to one of those.
func TestPieces(t *testing.T) {
	data := noise(1<<20 + 12345)
	for name, f := range map[string]*fake{
		"nothing goes wrong": {},
		"cut at once":        {half: func(n int) (int, bool) { return 0, n == 1 }},
		"cut in the middle":  {half: func(n int) (int, bool) { return 300_000, n == 1 }},
		"cut behind all":     {half: func(n int) (int, bool) { return 1 << 30, n == 1 }},
		"last one cut":       {half: func(n int) (int, bool) { return 1000, n == 2 }},
		"last one lost": {after: func() func(r *http.Request) int {
			lost := false
			return func(r *http.Request) int {
				if !lost && strings.HasSuffix(r.Header.Get("Content-Range"), "/1060921") {
					lost = true
					return -1
				}
				return 0
			}
		}()},
		"every third request": {wrong: func() func(w http.ResponseWriter, r *http.Request) bool {
			n := 0
			return func(w http.ResponseWriter, r *http.Request) bool {
				if n++; n%3 == 1 {
					// Where more than 256 KiB are left to read, it would wait for half a second before it closes.
					io.CopyN(io.Discard, r.Body, r.ContentLength-200<<10)
					w.WriteHeader(503)
				}
				return n%3 == 1
			}
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			s := f.open(t, Options{})
			info, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true})
			if err != nil {
				t.Fatal(err)
			}
			if info.Size != int64(len(data)) || info.ETag == "" {
				t.Errorf("%+v", info)
			}
			wantValue(t, s, "k", data)
			for _, size := range []int64{-1, int64(len(data))} {
				if _, err := s.PutFrom(t.Context(), "k", bytes.NewReader(data), size); err != nil {
					t.Fatal(err)
				}
				wantValue(t, s, "k", data)
			}
			if n := f.asked("multipart"); n != 0 {
				t.Errorf("%d requests with the whole value", n)
			}
		})
	}
}

// TestPiecesResume counts what is sent again: nothing that the server has.
func TestPiecesResume(t *testing.T) {
	f := &fake{half: func(n int) (int, bool) { return 300_000, n == 1 }}
	s := f.open(t, Options{})
	if _, err := s.Put(t.Context(), "k", noise(3<<19), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if f.asked("bytes */1572864") != 0 || f.asked("bytes */*") != 1 || f.asked("bytes 786432-1048575/*") != 1 || len(f.log) != 6 {
		t.Errorf("requests: %q", f.log)
	}
}

// TestPiecesGone is about a server that gives an upload up.
func TestPiecesGone(t *testing.T) {
	gone := func() *fake {
		f := &fake{}
		n := 0
		f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				if n++; n == 3 {
					clear(f.sessions)
				}
			}
			return false
		}
		return f
	}
	data := noise(1<<20 + 1)
	s := gone().open(t, Options{})
	if _, err := s.Put(t.Context(), "k", data, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	wantValue(t, s, "k", data)
	s = gone().open(t, Options{})
	_, err := s.PutFrom(t.Context(), "k", bytes.NewReader(data), -1)
	if !errors.Is(err, errGone) || errors.Is(err, store.ErrNotExist) {
		t.Errorf("a stream: %v", err)
	}
	if all := names(t, s, "", ""); len(all) != 0 {
		t.Errorf("there is %q", all)
	}
}

// TestPiecesForgotten is about a server that has the value, and lost the answer and all
// memory of the upload.
func TestPiecesForgotten(t *testing.T) {
	data := noise(1<<20 + 1)
	f := &fake{}
	s := f.open(t, Options{})
	f.after = func(r *http.Request) int {
		if strings.HasSuffix(r.Header.Get("Content-Range"), "-1048576/1048577") {
			clear(f.sessions)
			return -1
		}
		return 0
	}
	info, err := s.PutFrom(t.Context(), "k", bytes.NewReader(data), -1)
	if err != nil || info.Size != int64(len(data)) || info.ETag == "" {
		t.Fatalf("%+v, %v", info, err)
	}
	wantValue(t, s, "k", data)
}

// TestPiecesWrong wants nothing stored of a stream that is not what was announced.
func TestPiecesWrong(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	data := noise(600 << 10)
	for name, c := range map[string]struct {
		r    io.Reader
		size int64
	}{
		"fails":          {io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errors.New("torn"))), -1},
		"fails at once":  {iotest.ErrReader(errors.New("torn")), 5},
		"shorter":        {bytes.NewReader(data), int64(len(data)) + 1},
		"longer":         {bytes.NewReader(data), int64(len(data)) - 1},
		"a little of it": {strings.NewReader("ab"), 1},
	} {
		if _, err := s.PutFrom(t.Context(), "k", c.r, c.size); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if all := names(t, s, "", ""); len(all) != 0 {
		t.Errorf("there is %q", all)
	}
	for _, size := range []int64{0, 1, 256 << 10, 512 << 10, 600 << 10} {
		for _, announced := range []int64{-1, size} {
			if _, err := s.PutFrom(t.Context(), "k", iotest.HalfReader(bytes.NewReader(data[:size])), announced); err != nil {
				t.Fatal(err)
			}
			wantValue(t, s, "k", data[:size])
		}
	}
}

// TestLostAnswer is about conditional puts that are tried again though they were done.
func TestLostAnswer(t *testing.T) {
	for _, data := range [][]byte{[]byte("mine"), noise(1 << 20)} {
		f := &fake{}
		s := f.open(t, Options{})
		lose := false
		f.after = func(r *http.Request) int {
			done := r.Method == http.MethodPost && r.URL.Query().Get("uploadType") == "multipart" || strings.HasSuffix(r.Header.Get("Content-Range"), "/1048576")
			if lose && done {
				lose = false
				clear(f.sessions)
				return 502
			}
			return 0
		}
		lose = true
		info, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "k", data, store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("the same bytes by another: %v", err)
		}
		lose = true
		if info, err = s.Put(t.Context(), "k", append(data, 1), store.PutOptions{IfMatch: info.ETag}); len(data) < 100 && err != nil {
			t.Fatal(err)
		}
		if len(data) < 100 {
			if _, now, _ := s.Get(t.Context(), "k", store.Part(0, 0), nil); now.ETag != info.ETag {
				t.Errorf("tag %q, want %q", info.ETag, now.ETag)
			}
		}
		// Somebody else's, which came between the tries.
		f.after = func(r *http.Request) int {
			if r.Method == http.MethodPost && r.URL.Query().Get("uploadType") == "multipart" {
				f.after = nil
				f.values["in/other"] = &value{data: []byte("mine"), generation: 77}
				return 502
			}
			return 0
		}
		if _, err := s.Put(t.Context(), "other", []byte("mine"), store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("another's value in the way: %v", err)
		}
	}
}

// TestOtherBytes wants a value that arrived wrong to be sent again.
func TestOtherBytes(t *testing.T) {
	f := &fake{}
	s := f.open(t, Options{})
	sent := 0
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		if sent++; sent == 1 {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, `{"generation":"5","size":"3","crc32c":"AAAAAA=="}`)
		}
		return sent == 1
	}
	if _, err := s.Put(t.Context(), "k", []byte("abc"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if sent != 2 {
		t.Errorf("sent %d times", sent)
	}
	wantValue(t, s, "k", []byte("abc"))
}
