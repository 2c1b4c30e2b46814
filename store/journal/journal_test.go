package journal_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func put(t testing.TB, s store.Store, key, text string) {
	t.Helper()
	if _, err := s.Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for e, err := range s.List(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := s.Get(ctx, e.Key, store.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		out[e.Key] = string(text)
	}
	return out
}

// begun is a store with a journal that replaces, adds and removes values.
func begun(t testing.TB) (s *mem.Store, text []byte, want map[string]string) {
	t.Helper()
	s = mem.New()
	was := func(text string) string { return held.Version(true, []byte(text)) }
	for _, key := range []string{"a", "b", "c/d"} {
		put(t, s, key, "old "+key)
	}
	j := &journal.Journal{Changes: []journal.Change{
		{Key: "a", Data: []byte("new\n\x00a"), Was: was("old a")},
		{Key: "e", Data: []byte{}},
		{Key: "c/d", Was: was("old c/d")},
	}}
	text, err := j.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, journal.Name, string(text))
	return s, text, map[string]string{"a": "new\n\x00a", "b": "old b", "e": ""}
}

func TestWhatIsLeftIsDone(t *testing.T) {
	for made := range 4 {
		s, text, want := begun(t)
		j, err := journal.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		j.Changes = j.Changes[:made]
		if err := j.Do(ctx, s, made%2 == 0, nil); err != nil {
			t.Fatal(err)
		}
		over, err := journal.Read(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		view, err := journal.Over(ctx, s, over)
		if err != nil {
			t.Fatal(err)
		}
		shown := content(t, view)
		if !reflect.DeepEqual(shown, want) {
			t.Errorf("after %d changes %q is shown", made, shown)
		}
		if _, err := view.Put(ctx, "a", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("what is only shown takes values: %v", err)
		}
		if did, err := journal.Finish(ctx, s); !did || err != nil {
			t.Errorf("after %d changes: %v, %v", made, did, err)
		}
		if got := content(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d changes: %q", made, got)
		}
		if did, err := journal.Finish(ctx, s); did || err != nil {
			t.Errorf("again: %v, %v", did, err)
		}
	}
}

func TestWhatOthersHaveChangedIsNotReplaced(t *testing.T) {
	for _, key := range []string{"a", "c/d", "e"} {
		s, _, _ := begun(t)
		put(t, s, key, "by somebody else")
		before := content(t, s)
		if _, err := journal.Finish(ctx, s); !errors.Is(err, journal.ErrChanged) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
		if got := content(t, s); !reflect.DeepEqual(got, before) {
			t.Errorf("%s: %q", key, got)
		}
	}
}

// A loss of power may leave any part of a journal, which was never there then.
func TestHalfAJournalIsNone(t *testing.T) {
	_, text, _ := begun(t)
	for n := range text {
		if j, err := journal.Parse(text[:n]); j != nil || err != nil {
			t.Fatalf("%d bytes: %v, %v", n, j, err)
		}
		zeros := append(append([]byte{}, text[:n]...), make([]byte, len(text)-n)...)
		if j, err := journal.Parse(zeros); j != nil && n < len(text)-1 || err != nil {
			t.Fatalf("zeros from %d: %v, %v", n, j, err)
		}
	}
	s := mem.New()
	put(t, s, journal.Name, string(text[:len(text)/2]))
	if did, err := journal.Finish(ctx, s); did || err != nil || len(content(t, s)) > 0 {
		t.Errorf("%v, %v, %q", did, err, content(t, s))
	}
}

func TestJournalsOfOthersAreRefused(t *testing.T) {
	_, text, _ := begun(t)
	for name, text := range map[string]string{
		"version": strings.Replace(string(text), `"omnizarr_edit":1`, `"omnizarr_edit":2`, 1),
		"none":    `{"changed":["a"]}`,
		"key":     strings.Replace(string(text), `"key":"a"`, `"key":"../a"`, 1),
	} {
		s := mem.New()
		put(t, s, journal.Name, text)
		_, err := journal.Finish(ctx, s)
		if want := map[bool]error{true: journal.ErrUnknown, false: store.ErrBadKey}[name == "version" || name == "none"]; !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if len(content(t, s)) != 1 {
			t.Errorf("%s: %q", name, content(t, s))
		}
	}
}

func FuzzParse(f *testing.F) {
	_, text, _ := begun(f)
	f.Add(text)
	f.Add([]byte(`{"omnizarr_edit":1,"changes":[{"key":"a","size":9223372036854775807}],"values":"00000000-0"}` + "\n"))
	fuzzlong.Fuzz(f, func(t *testing.T, text []byte) {
		if j, err := journal.Parse(text); err == nil && j != nil {
			if _, err := j.Append(nil); err != nil {
				t.Error(err)
			}
		}
	})
}

func Example() {
	s := mem.New()
	j := &journal.Journal{Changes: []journal.Change{{Key: "a", Data: []byte("1")}, {Key: "b", Data: []byte("2")}}}
	text, err := j.Append(nil)
	if err == nil {
		_, err = s.Put(ctx, journal.Name, text, store.PutOptions{})
	}
	if err != nil {
		panic(err)
	}
	// The process ends here; the next one makes up for it.
	fmt.Println(journal.Finish(ctx, s))
	for e := range s.List(ctx, "", "") {
		fmt.Println(e.Key)
	}
	// Output:
	// true <nil>
	// a
	// b
}
