package file_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

// TestPutFromIsWholeOrAbsent stores what a reader gives, or nothing.
func TestPutFromIsWholeOrAbsent(t *testing.T) {
	s, err := file.Create(t.TempDir()+"/s", file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := errors.New("the source is gone")
	for key, c := range map[string]struct {
		r    io.Reader
		size int64
		ok   bool
	}{
		"a/some":      {strings.NewReader("12345"), -1, true},
		"a/b/stopped": {io.MultiReader(strings.NewReader("123"), errReader{broken}), -1, false},
		"a/whole":     {strings.NewReader("12345"), 5, true},
		"empty":       {strings.NewReader(""), 0, true},
		"a/short":     {strings.NewReader("1234"), 5, false},
		"a/long":      {strings.NewReader("123456"), 5, false},
		"a/b/broken":  {io.MultiReader(strings.NewReader("123"), errReader{broken}), 5, false},
		"a/b/missing": {errReader{store.ErrNotExist}, 5, false},
	} {
		_, err := s.PutFrom(t.Context(), key, c.r, c.size)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", key, err)
		}
		got, _, err := s.Get(t.Context(), key, store.All(), nil)
		if c.ok && (err != nil || int64(len(got)) != max(c.size, -5*c.size)) || !c.ok && !errors.Is(err, store.ErrNotExist) {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	for e, err := range s.List(t.Context(), "", "") {
		if err != nil || e.Key != "a/whole" && e.Key != "a/some" && e.Key != "empty" {
			t.Errorf("%s, %v", e.Key, err)
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
