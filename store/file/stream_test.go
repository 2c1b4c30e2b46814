package file_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
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

// TestPutFilledIsWholeOrAbsent stores what is written to a file, or nothing.
func TestPutFilledIsWholeOrAbsent(t *testing.T) {
	s, err := file.Create(t.TempDir()+"/s", file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	broken := errors.New("the source is gone")
	write := func(w io.Writer, text string) error {
		_, err := io.WriteString(w, text)
		return err
	}
	for _, c := range []struct {
		key  string
		fill func(io.Writer) error
		opt  store.PutOptions
		err  error
	}{
		{"a/whole", func(w io.Writer) error { return errors.Join(write(w, "123"), write(w, "45")) }, store.PutOptions{}, nil},
		{"a/whole", func(w io.Writer) error { return write(w, "67890") }, store.PutOptions{Flush: true}, nil},
		{"a/empty", func(io.Writer) error { return nil }, store.PutOptions{IfAbsent: true}, nil},
		{"a/whole", func(w io.Writer) error { return write(w, "1") }, store.PutOptions{IfAbsent: true}, store.ErrPrecondition},
		{"a/whole", func(w io.Writer) error { return errors.Join(write(w, "1"), broken) }, store.PutOptions{}, broken},
		{"a/b/broken", func(w io.Writer) error { return errors.Join(write(w, "1"), broken) }, store.PutOptions{}, broken},
		{"../out", func(w io.Writer) error { return write(w, "1") }, store.PutOptions{}, store.ErrBadKey},
		{"a/cancelled", func(w io.Writer) error {
			cancel()
			return write(w, "1")
		}, store.PutOptions{}, context.Canceled},
	} {
		if _, err := s.PutFilled(ctx, c.key, 5, c.fill, c.opt); !errors.Is(err, c.err) || err != nil && c.err == nil {
			t.Errorf("%s: %v", c.key, err)
		}
	}
	var keys []string
	for e, err := range s.List(t.Context(), "", "") {
		if err != nil {
			t.Error(err)
		}
		keys = append(keys, e.Key)
	}
	if got, _, err := s.Get(t.Context(), "a/whole", store.All(), nil); string(got) != "67890" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if slices.Sort(keys); !slices.Equal(keys, []string{"a/empty", "a/whole"}) {
		t.Errorf("there are %v", keys)
	}
}

// TestPutFilledBeginsAnew writes all of a value again when its folder was removed
// meanwhile.
func TestPutFilledBeginsAnew(t *testing.T) {
	root := t.TempDir() + "/s"
	s, err := file.Create(root, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	times := 0
	_, err = s.PutFilled(t.Context(), "a/b", 5, func(w io.Writer) error {
		if times++; times == 1 {
			if err := os.RemoveAll(root + "/a"); err != nil {
				t.Error(err)
			}
		}
		_, err := io.WriteString(w, "12345")
		return err
	}, store.PutOptions{})
	got, _, gone := s.Get(t.Context(), "a/b", store.All(), nil)
	if err != nil || gone != nil || string(got) != "12345" || times != 2 {
		t.Errorf("%q after %d times: %v, %v", got, times, err, gone)
	}
}
