package file

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
)

func TestLinksLeadWhereTheyMay(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		top, ctx := t.TempDir(), context.Background()
		dir := filepath.Join(top, "root")
		for path, data := range map[string]string{
			"big/a/f": "far", "big/g": "file", "secret/f": "secret", "root/in/f": "inside",
		} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(top, path)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, path), []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		symlink(t, "../big/a", filepath.Join(dir, "far"))
		symlink(t, filepath.Join(top, "big", "g"), filepath.Join(dir, "g"))
		symlink(t, "../secret", filepath.Join(dir, "no"))
		symlink(t, "../../secret/f", filepath.Join(top, "big", "a", "no")) // from what is allowed on
		opt.Allow = []string{filepath.Join(top, "big")}
		s := open(t, dir, opt)
		for key, want := range map[string]string{"far/f": "far", "g": "file", "in/f": "inside"} {
			if got, _, err := s.Get(ctx, key, store.All(), nil); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", key, got, err)
			}
		}
		for _, key := range []string{"no/f", "far/no"} {
			if got, _, err := s.Get(ctx, key, store.All(), nil); err == nil {
				t.Errorf("%s: %q", key, got)
			}
		}
		var keys []string
		for e, err := range s.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, e.Key)
		}
		if !slices.Equal(keys, []string{"far/f", "g", "in/f"}) {
			t.Errorf("keys %q", keys)
		}
		// What is written stays inside.
		if _, err := s.Put(ctx, "far/new", []byte("bad"), store.PutOptions{}); err == nil {
			t.Error("written through a link")
		}
		if _, err := os.Stat(filepath.Join(top, "big", "a", "new")); err == nil {
			t.Error("there is a new file outside")
		}
		var hidden []string
		for e, err := range s.Hidden(ctx, "") {
			if err != nil {
				t.Fatal(err)
			}
			hidden = append(hidden, e.Key)
		}
		if !slices.Equal(hidden, []string{"no"}) {
			t.Errorf("hidden %q", hidden)
		}
	})
}
