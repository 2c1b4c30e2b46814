package file

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// The rules of Windows hold as such, so that they are tested on every system.
func TestNamesOfWindows(t *testing.T) {
	for _, key := range []string{
		"CON", "con", "Nul", "PRN", "aux", "COM1", "com9", "lpt1", "COM¹", "CONIN$", "conout$", // devices
		"nul.txt", "COM1.zarr", "aux.a.b", "con .txt", "NUL ", "a/nul/c", "lpt3.json/b", "nul.", // with extensions, inside
		"a.", "a..", "a ", "a. ", "a./b", "a /b", // what is cut off at the end
		"C:", "c:a", "C:/a", "C:\\a", "\\a", "\\\\host\\share", "a\\b", "..\\a", "//?/C:/a", // drives, backslashes
		"a:b", "zarr.json:hidden", "a::$DATA", "a/b:c/d", // other streams of a file
		"a?", "a*", "a<", "a>", "a|", "a\"", "a\x01", "a\tb", "a\x00", // what no name may have
	} {
		if windowsKey(key) {
			t.Errorf("%q is allowed", key)
		}
		if !systemKey("c/0") || filepath.Separator == '\\' && systemKey(key) {
			t.Errorf("%q is not refused where it matters", key)
		}
	}
	for _, key := range []string{"zarr.json", ".zarray", "c/0/1", "0.1", "console", "nulls", "com", "com10", "COMx", "lpt", "auxiliary.txt", "a.con", "a b", " a", "..a", "é", "e\u0301"} {
		if !windowsKey(key) {
			t.Errorf("%q is refused", key)
		}
	}
}

// Keys that look alike, or differ in case, are two values, or one where the file system
// takes them for one; it is never that one is written and neither is there.
func TestTwins(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		for _, twins := range [][2]string{{"a", "A"}, {"\u00e9", "e\u0301"}, {"\u212b", "\u00c5"}, {"\uff41", "a"}, {"stra\u00dfe", "strasse"}} {
			dir, ctx := t.TempDir(), context.Background()
			probe := t.TempDir()
			for _, name := range twins {
				if err := os.WriteFile(filepath.Join(probe, name), nil, 0o666); err != nil {
					t.Skip(err)
				}
			}
			files, err := os.ReadDir(probe)
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, opt)
			for _, key := range twins {
				_, err := s.Put(ctx, key, []byte(key), store.PutOptions{IfAbsent: true})
				if err != nil && len(files) == 2 {
					t.Errorf("%q: %v", key, err)
				}
				if err == nil && len(files) == 1 && key == twins[1] {
					t.Errorf("%q has replaced %q, which was to be absent", key, twins[0])
				}
			}
			var keys []string
			for e, err := range s.List(ctx, "", "") {
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, e.Key)
				if text, _, err := s.Get(ctx, e.Key, store.All(), nil); err != nil || !slices.Contains(twins[:], string(text)) || len(files) == 2 && string(text) != e.Key {
					t.Errorf("%q is %q, %v", e.Key, text, err)
				}
			}
			if len(keys) != len(files) {
				t.Errorf("%q: the store has %q, the file system %d files", twins, keys, len(files))
			}
		}
	})
}

// A file that has a second name outside of the folder is read like others, and is never
// changed: who writes gives its name to another file.
func TestHardLinksAreNotWrittenThrough(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		top, ctx := t.TempDir(), context.Background()
		dir, outside := filepath.Join(top, "root"), filepath.Join(top, "precious")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(outside, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, opt)
		for name, change := range map[string]func() error{
			"put":       func() error { _, err := s.Put(ctx, "k", []byte("new"), store.PutOptions{}); return err },
			"put if":    func() error { return putIf(ctx, s, "k") },
			"delete":    func() error { return s.Delete(ctx, "k") },
			"all of it": func() error { return s.Delete(ctx, "in/") },
		} {
			for _, key := range []string{"k", "in/k"} {
				path := filepath.Join(dir, filepath.FromSlash(key))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				os.Remove(path)
				if err := os.Link(outside, path); err != nil {
					t.Skip(err)
				}
			}
			if text, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(text) != "precious" {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			was, err := os.Stat(outside)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			now, err := os.Stat(outside)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(outside); err != nil || string(text) != "precious" || !now.ModTime().Equal(was.ModTime()) || now.Mode() != was.Mode() {
				t.Errorf("%s: the file outside is %q, %v", name, text, err)
			}
		}
	})
}

func putIf(ctx context.Context, s *Store, key string) error {
	_, info, err := s.Get(ctx, key, store.All(), nil)
	if err == nil {
		_, err = s.Put(ctx, key, []byte("new"), store.PutOptions{IfMatch: info.ETag})
	}
	return err
}
