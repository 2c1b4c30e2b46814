package file

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// symlink makes a link or skips where the system does not let us.
func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		top := t.TempDir()
		dir := filepath.Join(top, "root")
		secret := filepath.Join(top, "secret")
		for path, data := range map[string]string{
			filepath.Join(secret, "f"): "secret", filepath.Join(dir, "in", "f"): "inside",
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		symlink(t, "../secret", filepath.Join(dir, "out"))
		symlink(t, secret, filepath.Join(dir, "abs"))
		symlink(t, "../secret/f", filepath.Join(dir, "outfile"))
		symlink(t, "in/f", filepath.Join(dir, "infile"))
		symlink(t, "in", filepath.Join(dir, "indir"))
		symlink(t, "nowhere", filepath.Join(dir, "dangling"))
		symlink(t, "../in", filepath.Join(dir, "in", "loop"))
		s, ctx := open(t, dir, opt), context.Background()
		for _, key := range []string{"out/f", "abs/f", "outfile"} {
			if b, _, err := s.Get(ctx, key, store.All(), nil); err == nil || len(b) > 0 {
				t.Errorf("Get %q: %q, %v", key, b, err)
			}
			if _, err := s.Open(ctx, key); err == nil {
				t.Errorf("Open %q: no error", key)
			}
		}
		for _, key := range []string{"out/f", "abs/f", "out/new", "abs/new/deep"} {
			if _, err := s.Put(ctx, key, []byte("bad"), store.PutOptions{}); err == nil {
				t.Errorf("Put %q: no error", key)
			}
			if _, err := s.Put(ctx, key, []byte("bad"), store.PutOptions{IfAbsent: true}); err == nil {
				t.Errorf("Put %q if absent: no error", key)
			}
			s.Delete(ctx, key)
		}
		for _, prefix := range []string{"out/", "abs/"} {
			for e, err := range s.List(ctx, prefix, "") {
				if err == nil {
					t.Errorf("List %q gave %q", prefix, e.Key)
				}
			}
		}
		// A link that stays inside is as good as what it leads to.
		for _, key := range []string{"infile", "indir/f", "in/f"} {
			if b, _, err := s.Get(ctx, key, store.All(), nil); err != nil || string(b) != "inside" {
				t.Errorf("Get %q: %q, %v", key, b, err)
			}
		}
		var keys []string
		for e, err := range s.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, e.Key)
		}
		if got := strings.Join(keys, " "); got != "in/f indir/f infile" {
			t.Errorf("List gave %q", got)
		}
		// A Put replaces a link, not what it leads to; so does Delete.
		if _, err := s.Put(ctx, "outfile", []byte("new"), store.PutOptions{}); err != nil {
			t.Error(err)
		}
		for _, key := range []string{"out", "abs/", "out/"} {
			s.Delete(ctx, key)
		}
		if b, err := os.ReadFile(filepath.Join(secret, "f")); err != nil || string(b) != "secret" {
			t.Errorf("outside: %q, %v", b, err)
		}
		if names, err := os.ReadDir(secret); err != nil || len(names) != 1 {
			t.Errorf("outside: %v, %v", names, err)
		}
	})
}
