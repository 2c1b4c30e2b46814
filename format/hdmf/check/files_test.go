package check_test

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/nwbtest"
)

// files are those of a file in memory, by key, to be changed.
type files map[string][]byte

// unpacked gives a fixture without consolidated metadata.
func unpacked(t testing.TB, name string) files {
	f := files(maps.Clone(nwbtest.Files(t, name)))
	f.unconsolidate()
	return f
}

func (f files) unconsolidate() {
	delete(f, ".zmetadata")
	if f.v3() {
		doc := f.load("zarr.json")
		delete(doc, "consolidated_metadata")
		f.save("zarr.json", doc)
	}
}

func (f files) v3() bool { return f["zarr.json"] != nil }

func (f files) load(key string) map[string]any {
	doc := map[string]any{}
	if f[key] != nil {
		if err := json.Unmarshal(f[key], &doc); err != nil {
			panic(key + ": " + err.Error())
		}
	}
	return doc
}

func (f files) save(key string, doc map[string]any) {
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	f[key] = data
}

// key is the document that describes a node, or only its attributes.
func (f files) key(node string, attributes bool) string {
	node = strings.Trim(node, "/.")
	switch {
	case f.v3():
		return path.Join(node, "zarr.json")
	case attributes:
		return path.Join(node, ".zattrs")
	}
	return path.Join(node, ".zarray")
}

// attributes changes the attributes of a node.
func (f files) attributes(node string, change func(attrs map[string]any)) {
	key := f.key(node, true)
	doc := f.load(key)
	attrs := doc
	if f.v3() {
		attrs, _ = doc["attributes"].(map[string]any)
		if attrs == nil {
			attrs = map[string]any{}
			doc["attributes"] = attrs
		}
	}
	change(attrs)
	f.save(key, doc)
}

// array changes the document of an array and drops its chunks.
func (f files) array(node string, change func(doc map[string]any)) {
	key := f.key(node, false)
	doc := f.load(key)
	change(doc)
	f.chunks(node)
	f.save(key, doc)
}

// chunks drops the chunks of an array.
func (f files) chunks(node string) {
	for key := range f {
		if name := path.Base(key); strings.HasPrefix(key, node+"/") && name != "zarr.json" && !strings.HasPrefix(name, ".z") {
			delete(f, key)
		}
	}
}

// move renames a node with all that it holds, or drops it if to is "".
func (f files) move(node, to string) {
	for key, data := range maps.Clone(f) {
		if strings.HasPrefix(key, node+"/") {
			delete(f, key)
			if to != "" {
				f[to+key[len(node):]] = data
			}
		}
	}
}

// edit changes the attributes of a node of a file on disk.
func edit(t testing.TB, dir, node string, change func(attrs map[string]any)) {
	t.Helper()
	f := files{}
	for _, name := range []string{"zarr.json", ".zgroup"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			f[name] = data
		}
	}
	for _, key := range []string{f.key(node, true)} {
		data, err := os.ReadFile(filepath.Join(dir, key))
		if err != nil {
			t.Fatal(err)
		}
		f[key] = data
	}
	f.unconsolidate()
	f.attributes(node, change)
	os.Remove(filepath.Join(dir, ".zmetadata"))
	for key, data := range f {
		if err := os.WriteFile(filepath.Join(dir, key), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
