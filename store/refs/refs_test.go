package refs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
	"github.com/omnizarr/zarr/store/storetest"
)

// folder opens the values of a store as files.
type folder struct{ store.Store }

func (f folder) Open(ctx context.Context, r refs.Reference) (store.Object, error) {
	if strings.HasPrefix(r.URL, "forbidden") {
		return nil, errors.New("may not be opened")
	}
	return store.Open(ctx, f.Store, r.URL)
}

func (f folder) Resolve(_ context.Context, url string) (string, error) { return "mem:/" + url, nil }

func put(t testing.TB, s store.Writer, key string, value []byte) {
	t.Helper()
	if _, err := s.Put(context.Background(), key, value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func load(text string) func(context.Context) (*refs.Manifest, error) {
	return func(context.Context) (*refs.Manifest, error) { return refs.Parse([]byte(text)) }
}

// TestStore keeps every value in another way: as a part of a large file, as a
// file of its own, in the manifest, in the store inside.
func TestStore(t *testing.T) {
	for _, prefix := range []string{"", "array/"} {
		t.Run(prefix, func(t *testing.T) {
			storetest.RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
				inner, files := mem.New(), mem.New()
				big := []byte("header")
				var list []string
				n := 0
				for key, value := range content {
					n++
					switch n % 4 {
					case 0:
						list = append(list, fmt.Sprintf("%q: [\"big file\", %d, %d]", key, len(big), len(value)))
						big = append(append(big, value...), "gap"...)
					case 1:
						put(t, files, fmt.Sprintf("file %d", n), value)
						list = append(list, fmt.Sprintf("%q: [\"file %d\"]", key, n))
					case 2:
						var out bytes.Buffer
						w := refs.NewWriter(&out)
						if err := errors.Join(w.Add(key, refs.Reference{Data: value}), w.Close()); err != nil {
							t.Fatal(err)
						}
						text := strings.TrimSpace(out.String())
						list = append(list, strings.TrimSuffix(strings.TrimPrefix(text, `{"version":1,"refs":{`), "}}"))
					case 3:
						put(t, inner, prefix+key, value)
					}
				}
				put(t, files, "big file", big)
				put(t, inner, prefix+"manifest", []byte("hidden"))
				s := refs.New(refs.Config{
					Inner: inner, Prefix: prefix, Files: folder{files}, Hidden: "manifest",
					Load: load(`{"version": 1, "refs": {` + strings.Join(list, ",\n") + `}}`),
				})
				below, err := store.Sub(s, prefix)
				if err != nil {
					t.Fatal(err)
				}
				return below
			})
		})
	}
}

func TestParse(t *testing.T) {
	m, err := refs.Parse([]byte(`{
		"templates": {"u": "http://example.org/data", "v": "x"},
		"refs": {"c/1": ["{{u}}/{{ v }}.tif", 5, 7], "c/0": ["a b.tif"], "é\n": "text", "b": "base64:AAEC", "doc": {"a": [1, {}]}},
		"gen": [], "version": 1, "other": {"a": [1, 2]}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for key, r := range m.All() {
		got = append(got, fmt.Sprintf("%q %s %d %d %q", key, r.URL, r.Offset, r.Length, r.Data))
	}
	want := []string{
		`"b"  0 3 "\x00\x01\x02"`,
		`"c/0" a b.tif 0 -1 ""`,
		`"c/1" http://example.org/data/x.tif 5 7 ""`,
		`"doc"  0 14 "{\"a\": [1, {}]}"`,
		`"é\n"  0 4 "text"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "ends where an object"},
		{`[]`, "where an object should be"},
		{`{"version": 1}`, `missing member "refs"`},
		{`{"refs": {}}`, `missing member "version"`},
		{`{"version": 2, "refs": {}}`, "version: 2, must be 1"},
		{`{"version": 1, "refs": {}, "refs": {}}`, "refs: is there twice"},
		{`{"version": 1, "refs": {}} x`, "where the end should be"},
		{`{"version": 1, "refs": {}, "gen": [{"key": "x"}]}`, "gen: generated references are not supported"},
		{`{"version": 1, "refs": {}, "templates": {"f": "{{c}}"}}`, "templates.f: templates with parameters"},
		{`{"version": 1, "refs": {"a": ["{{x}}"]}, "templates": {"u": "v"}}`, "refs.a: template {{x}} is not known"},
		{`{"version": 1, "refs": []}`, "where an object should be"},
		{`{"version": 1, "refs": {"a": 1}}`, "where a string, an array or an object should be"},
		{`{"version": 1, "refs": {"a": []}}`, "where a string should be"},
		{`{"version": 1, "refs": {"a": [""]}}`, "the name of the file is empty"},
		{`{"version": 1, "refs": {"a": ["f", 1]}}`, "where ',' should be"},
		{`{"version": 1, "refs": {"a": ["f", -1, 2]}}`, "where a number of bytes should be"},
		{`{"version": 1, "refs": {"a": ["f", 1, -2]}}`, "where a number of bytes should be"},
		{`{"version": 1, "refs": {"a": ["f", 1.5, 2]}}`, "where ',' should be"},
		{`{"version": 1, "refs": {"a": ["f", 01, 2]}}`, "where a number of bytes should be"},
		{`{"version": 1, "refs": {"a": ["f", 9223372036854775807, 1]}}`, "offset 9223372036854775807 and length 1 are too large"},
		{`{"version": 1, "refs": {"a": ["f", 99999999999999999999, 1]}}`, "bytes are too many"},
		{`{"version": 1, "refs": {"a": ["f", 1, 2, 3]}}`, "where ']' should be"},
		{`{"version": 1, "refs": {"../a": "x"}}`, "not a valid key"},
		{`{"version": 1, "refs": {"a": "x", "a": "y"}}`, `key "a" is there twice`},
		{`{"version": 1, "refs": {"a": "base64:?"}}`, "not base64"},
		{`{"version": 1, "refs": {"a": "x}}`, "does not end"},
		{`{"version": 1, "refs": {"a": {"b": }}}`, "refs.a"},
		{"{\"version\": 1, \"refs\": {\"a\": \"\xff\"}}", "not UTF-8"},
		{`{"version": 1, "refs": {"a": ["` + strings.Repeat("x", 1<<17) + `"]}}`, "more than 65536 bytes"},
		{`{"version": 1, "refs": {"a": ["` + strings.Repeat("{{u}}", 100) + `"]}, "templates": {"u": "` + strings.Repeat("x", 1<<15) + `"}}`, "more than 65536 bytes"},
		{strings.Repeat("[", 1<<20), "where an object should be"},
		{`{"version": 1, "refs": {"a": ` + strings.Repeat(`{"a":`, 1<<16), "refs"},
	} {
		_, err := refs.Parse([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
			t.Errorf("%.80s: error %.400v, want %q", c.text, err, c.want)
		}
	}
}

func TestReferenceOutsideItsFile(t *testing.T) {
	files, inner := mem.New(), mem.New()
	put(t, files, "ten", []byte("0123456789"))
	s := refs.New(refs.Config{Inner: inner, Files: folder{files}, Load: load(`{"version":1,"refs":{
		"behind": ["ten", 8, 4], "huge": ["ten", 0, 1152921504606846976], "gone": ["other", 0, 1], "whole": ["other"], "no": ["forbidden/x"]}}`)})
	for key, want := range map[string]string{
		"behind": "reference to ten: ", "huge": "reference to ten: ", "gone": "reference to other: ",
		"whole": "reference to other: ", "no": "reference to forbidden/x: may not be opened",
	} {
		_, _, err := s.Get(context.Background(), key, store.All(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Get %s: %v, want %q", key, err, want)
		}
		if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrRange) {
			t.Errorf("Get %s: %v looks like a chunk that is missing or short", key, err)
		}
	}
	if _, err := s.Put(context.Background(), "behind", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Put: %v", err)
	}
	if url, off, n, err := s.Locate(context.Background(), "behind"); url != "mem:/ten" || off != 8 || n != 4 || err != nil {
		t.Errorf("Locate: %s %d %d %v", url, off, n, err)
	}
	if _, _, _, err := s.Locate(context.Background(), "missing"); !errors.Is(err, store.ErrNoPlace) {
		t.Errorf("Locate of what is in memory: %v", err)
	}
}

func TestWriterWantsOrder(t *testing.T) {
	w := refs.NewWriter(&bytes.Buffer{})
	if err := w.Add("b", refs.Reference{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "../c"} {
		if w.Add(key, refs.Reference{}) == nil {
			t.Errorf("Add %s after b: no error", key)
		}
	}
}

// many writes a manifest as large hierarchies have it.
func many(t testing.TB, n int) []byte {
	var out bytes.Buffer
	w := refs.NewWriter(&out)
	for i := range n {
		key := fmt.Sprintf("c/%07d/0", i)
		if err := w.Add(key, refs.Reference{URL: "../scan.tif", Offset: int64(i) * 70000, Length: 65536}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestParseKeepsLittle(t *testing.T) {
	const n = 20000
	text := many(t, n)
	allocs := testing.AllocsPerRun(1, func() {
		if m, err := refs.Parse(text); err != nil || m.Len() != n {
			t.Fatal(err)
		}
	})
	// A string to check each key, and slices that grow.
	if allocs > 1.2*n {
		t.Errorf("%v allocations for %d references", allocs, n)
	}
}

func BenchmarkParse(b *testing.B) {
	text := many(b, 1_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := refs.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"refs":{"a":["f",1,2],"b":"base64:AA==","c":{"x":1},"d":["{{u}}"]},"templates":{"u":"v"},"gen":[]}`))
	f.Add([]byte(`{"version":1,"refs":{"\u0061":"\n"}}`))
	fuzzlong.Fuzz(f, func(t *testing.T, text []byte) {
		m, err := refs.Parse(text)
		if err != nil {
			return
		}
		var out bytes.Buffer
		w := refs.NewWriter(&out)
		for key, r := range m.All() {
			if err := w.Add(key, r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := refs.Parse(out.Bytes())
		if err != nil || again.Len() != m.Len() {
			t.Fatalf("written again: %v", err)
		}
		for key, r := range m.All() {
			s, ok := again.Find(key)
			if !ok || s.URL != r.URL || s.Offset != r.Offset || s.Length != r.Length || !bytes.Equal(s.Data, r.Data) {
				t.Fatalf("%q: %v became %v", key, r, s)
			}
		}
	})
}
