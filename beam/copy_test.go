package beam_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
)

// image makes an array of noise, which no two blocks have in common.
func image(t *testing.T, url string) {
	t.Helper()
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{300, 340}, Chunks: []int{300, 16}, DataType: "uint16", DimensionNames: []string{"y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]uint16, 300*340)
	for i := range data {
		data[i] = uint16(random.Uint32())
	}
	if err := zarr.Write(t.Context(), a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// files are all of a folder, hidden ones too.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// copied makes a copy with a pyramid on an executor, and gives what it has written.
func copied(t *testing.T, e spread.Executor, from, to string) map[string]string {
	t.Helper()
	c := request.Copy{From: from, To: to, Chunks: []int{32, 32}, Shards: []int{64, 64}, Laid: []string{"chunks", "shards"}, Memory: 16 << 20}
	c.Flags = map[string]string{"pyramid": "true", "levels": "3"}
	spec, err := c.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	return files(t, to)
}

// What Beam's workers write, in their own process too, is what a pool writes.
func TestCopiesAreEqual(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "image.zarr")
	image(t, from)
	want := copied(t, spread.Pool{}, from, filepath.Join(dir, "pool.zarr"))
	if len(want) < 40 {
		t.Fatalf("a copy of %d files", len(want))
	}
	for name, e := range map[string]beam.Executor{"own": {AtOnce: 2}, "apart": {Workers: pool(t), Scratch: dir}} {
		got := copied(t, e, from, filepath.Join(dir, name+".zarr"))
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", name, len(got), len(want))
		}
		for file, text := range want {
			if got[file] != text {
				t.Errorf("%s: %s differs", name, file)
			}
		}
		// The same again has nothing to do, and changes nothing.
		if again := copied(t, e, from, filepath.Join(dir, name+".zarr")); len(again) != len(want) {
			t.Errorf("%s, again: %d files, want %d", name, len(again), len(want))
		}
	}
	for name := range files(t, dir) {
		if ok, _ := filepath.Match(".omnizarr-answer-*", name); ok {
			t.Errorf("%s was left", name)
		}
	}
}
