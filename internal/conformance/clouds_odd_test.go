package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// oddNames are names that URLs, signatures, XML and JSON each spell in their own way.
var oddNames = []string{
	"a b", "a+b", "a%2Fb", "a%b", "%41", "a?b", "a#b", "a&b=c;d", "a:b@c", "a,b!c$d'e(f)*g", "~tilde", `quo"te`, "<xml>&amp;", "[list]{set}|^`",
	"grüße", "e\u0301 and \u00e9", "日本語", "😀", "\u200bzero width", "a\u00a0b", "...", "..a", ".hidden", "-dash", "a=1", "x-amz-meta-y",
	"uploads", "uploadId=3", "restype=container", "delimiter", strings.Repeat("long", 50), "tab\there", "bell\x07",
}

// TestOddKeys puts values under odd names, as folders and as files, and finds each again,
// read, listed and deleted.
func TestOddKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		var keys []string
		for i, name := range oddNames {
			if name == "bell\x07" && p.memory == nil && p.direct.Scheme != "gs" {
				continue // Azurite lists nothing any more where there is one, versitygw another one
			}
			keys = append(keys, fmt.Sprintf("file/%s", name), fmt.Sprintf("folder/%s/%d", name, i))
		}
		refused := map[string]bool{}
		var mu sync.Mutex
		all(t, keys, func(key string) error {
			_, err := s.Put(ctx, key, pattern(300, key), store.PutOptions{})
			if err != nil && strings.ContainsAny(key, "\t\x07") { // not all services take those, which is no harm if they say so
				mu.Lock()
				defer mu.Unlock()
				refused[key] = true
				return nil
			}
			return err
		})
		keys = slices.DeleteFunc(keys, func(key string) bool { return refused[key] })
		all(t, keys, func(key string) error { return get(ctx, s, key, store.Part(100, 100), pattern(300, key)) })
		got, err := list(s, "", "")
		slices.Sort(keys)
		if err != nil || !slices.Equal(got, keys) {
			t.Errorf("%v: listed %q, want %q", err, without(got, keys), without(keys, got))
		}
		got, err = list(s, "folder/", "/")
		if err != nil || len(got) != len(keys)/2 {
			t.Errorf("folders: %d of %d, %v", len(got), len(keys)/2, err)
		}
		all(t, got, func(folder string) error {
			in, err := list(s, folder, "/")
			if err == nil && len(in) != 1 {
				err = fmt.Errorf("%d keys", len(in))
			}
			return err
		})
		all(t, keys, func(key string) error {
			if folder, name, ok := strings.Cut(key, "/"); ok && folder == "folder" {
				return s.Delete(ctx, "folder/"+name[:strings.LastIndex(name, "/")+1])
			}
			return s.Delete(ctx, key)
		})
		if got, err := list(s, "", ""); err != nil || len(got) > 0 {
			t.Errorf("left after all was deleted: %q, %v", got, err)
		}
	})
}

// without gives what a has and b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// TestLongKeys wants keys of any length to be kept, or refused in so many words.
func TestLongKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		for _, n := range []int{500, 900, 1024, 1025, 3000} {
			key := strings.Repeat("name/", n/5) + strings.Repeat("x", 1+n%5)
			_, err := s.Put(ctx, key, []byte("value"), store.PutOptions{})
			if err == nil {
				if err := get(ctx, s, key, store.All(), []byte("value")); err != nil {
					t.Errorf("a key of %d bytes: %v", n, err)
				}
				continue
			}
			if n <= 900 || errors.Is(err, store.ErrNotExist) {
				t.Errorf("a key of %d bytes: %v", n, err)
			}
		}
	})
}

// TestEmptyValues wants nothing where there is nothing.
func TestEmptyValues(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		for _, opt := range []store.PutOptions{{}, {IfAbsent: true}} {
			key := fmt.Sprintf("empty-%v", opt.IfAbsent)
			if _, err := s.Put(ctx, key, nil, opt); err != nil {
				t.Fatal(err)
			}
			for _, r := range []store.Range{store.All(), store.Part(0, 0), store.Suffix(5), store.Suffix(0), store.UpTo(0), store.UpTo(10)} {
				if err := get(ctx, s, key, r, nil); err != nil {
					t.Errorf("%+v: %v", r, err)
				}
			}
			if _, _, err := s.Get(ctx, key, store.Part(0, 1), nil); !errors.Is(err, store.ErrRange) {
				t.Errorf("a byte of it: %v", err)
			}
		}
		if _, err := store.PutFrom(ctx, s, "empty-streamed", strings.NewReader(""), -1, 1); err != nil {
			t.Error(err)
		}
		if got, err := list(s, "", ""); err != nil || len(got) != 3 {
			t.Errorf("listed %q, %v", got, err)
		}
	})
}

// TestAValueThatIsAFolderToo has a value at a key that others begin with, which object
// stores know. A server of files may refuse it, and says so.
func TestAValueThatIsAFolderToo(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		for _, key := range []string{"a", "a.b", "a/b", "a0", "ab"} {
			_, err := s.Put(ctx, key, pattern(10, key), store.PutOptions{})
			if err != nil && key == "a/b" && p.memory == nil && p.direct.Scheme == "s3" {
				t.Skip(err) // versitygw keeps them as files
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for delimiter, want := range map[string][]string{"": {"a", "a.b", "a/b", "a0", "ab"}, "/": {"a", "a.b", "a/", "a0", "ab"}} {
			if got, err := list(s, "", delimiter); err != nil || !slices.Equal(got, want) {
				t.Errorf("listed %q, %v", got, err)
			}
		}
		if err := s.Delete(ctx, "a/"); err != nil {
			t.Fatal(err)
		}
		if got, err := list(s, "", ""); err != nil || !slices.Equal(got, []string{"a", "a.b", "a0", "ab"}) {
			t.Errorf("left %q, %v", got, err)
		}
	})
}

// TestManyKeys lists and deletes more keys than any page or batch holds.
func TestManyKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		n := 300
		if thorough.Enabled {
			n = 2_500
			if p.memory != nil {
				p.memory.Page, n = 1000, 100_000
			}
		}
		s := p.open(t, store.Remote{})
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("many/%03d/%d", i%1000, i)
		}
		slices.Sort(keys)
		all(t, append(keys, "stays"), func(key string) error {
			if p.memory != nil {
				p.memory.Put(p.cloud.Bucket, key, []byte(key))
				return nil
			}
			_, err := s.Put(ctx, key, []byte(key), store.PutOptions{})
			return err
		})
		got, err := list(s, "many/", "")
		if err != nil || !slices.Equal(got, keys) {
			t.Errorf("listed %d of %d, %v", len(got), n, err)
		}
		if got, err := list(s, "many/", "/"); err != nil || len(got) != min(n, 1000) {
			t.Errorf("listed %d folders, %v", len(got), err)
		}
		// Several at once, as copies that clear the same place would.
		all(t, []int{1, 2, 3, 4}, func(int) error { return s.Delete(ctx, "many/") })
		if got, err := list(s, "", ""); err != nil || !slices.Equal(got, []string{"stays"}) {
			t.Errorf("left %d keys, %v", len(got), err)
		}
	})
}

// TestCancelled ends what is under way, at any request: with the context's error, and a
// value that is whole or absent.
func TestCancelled(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{Hedge: -1})
		value := pattern(200_000, "value")
		for i := range 30 {
			if _, err := s.Put(ctx, fmt.Sprintf("list/%d", i), value[:100], store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for name, do := range map[string]func(ctx context.Context) error{
			"get": func(ctx context.Context) error { return get(ctx, s, "list/1", store.All(), value[:100]) },
			"put": func(ctx context.Context) error {
				_, err := s.Put(ctx, "put", value, store.PutOptions{IfAbsent: true})
				return err
			},
			"stream": func(ctx context.Context) error {
				_, err := store.PutFrom(ctx, s, "stream", strings.NewReader(string(value)), -1, 1<<20)
				return err
			},
			"list": func(ctx context.Context) error {
				for _, err := range s.List(ctx, "list/", "") {
					if err != nil {
						return err
					}
				}
				return nil
			},
			"delete": func(ctx context.Context) error { return s.Delete(ctx, "list/") },
		} {
			ended, cancel := context.WithCancel(ctx)
			p.proxy.Plan(faulty.Plan{Fault: func(*http.Request, int) faulty.Fault {
				cancel()
				return faulty.Silent
			}})
			if err := do(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
		}
		p.proxy.Plan(faulty.Plan{})
		for _, key := range []string{"put", "stream"} {
			if err := get(ctx, s, key, store.All(), value); err != nil && !errors.Is(err, store.ErrNotExist) {
				t.Errorf("%s: %v", key, err)
			}
		}
		if got, err := list(s, "list/", ""); err != nil || len(got) != 30 {
			t.Errorf("%d keys, %v", len(got), err)
		}
	})
}

// TestOddURLs makes arrays at URLs that spell odd names, and finds them under the names.
func TestOddURLs(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		s := p.open(t, store.Remote{})
		for spelled, name := range map[string]string{
			"a%20b.zarr": "a b.zarr", "a+b.zarr": "a+b.zarr", "a%2Bb/c.zarr": "a+b/c.zarr", "100%25.zarr": "100%.zarr", "%E6%97%A5.zarr": "日.zarr", "日本.zarr": "日本.zarr",
			"q%3Fx=1.zarr": "q?x=1.zarr", "h%23.zarr": "h#.zarr", "tilde~/x.zarr": "tilde~/x.zarr", "a%252Fb.zarr": "a%2Fb.zarr",
		} {
			a, err := zarr.CreateArray(ctx, p.cloud.At(spelled), zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"})
			if err != nil {
				t.Errorf("%s: %v", spelled, err)
				continue
			}
			err = zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4})
			if also := a.Close(); err == nil {
				err = also
			}
			if err == nil {
				_, _, err = s.Get(ctx, name+"/zarr.json", store.All(), nil)
			}
			if err == nil {
				a, err = zarr.OpenArray(ctx, p.cloud.At(spelled))
			}
			if err != nil {
				t.Errorf("%s: %v", spelled, err)
				continue
			}
			got, err := zarr.Read[uint8](ctx, a, zarr.All())
			if err != nil || !slices.Equal(got.Data, []uint8{1, 2, 3, 4}) {
				t.Errorf("%s: %v, %v", spelled, got.Data, err)
			}
			if strings.Contains(a.URL(), "secret") || !strings.Contains(a.URL(), p.cloud.Bucket) {
				t.Errorf("%s: its URL is %s", spelled, a.URL())
			}
			again, err := zarr.OpenArray(ctx, a.URL())
			if err != nil {
				t.Errorf("%s: what is printed does not open: %v", spelled, err)
			} else {
				again.Close()
			}
			a.Close()
		}
	})
}
