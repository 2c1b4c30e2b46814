package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
)

// origin serves a folder over HTTP, counts the requests for chunks, and kills a
// process at one of them: moments come by themselves, and no clock is needed.
type origin struct {
	files http.Handler

	mu      sync.Mutex
	asked   map[string]int // how often each chunk was asked for
	total   int
	at      int // the request that kills, 0 for none
	process *os.Process
}

func newOrigin(t *testing.T, dir string) (*origin, string) {
	o := &origin{files: http.FileServer(http.Dir(dir))}
	s := httptest.NewServer(o)
	t.Cleanup(s.Close)
	o.begin(0)
	return o, s.URL
}

// begin forgets what was asked for.
func (o *origin) begin(at int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked, o.total, o.at, o.process = map[string]int{}, 0, at, nil
}

// runs says which process is asking.
func (o *origin) runs(p *os.Process) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.process = p
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name := filepath.Base(r.URL.Path); !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".json") {
		o.mu.Lock()
		o.total++
		o.asked[r.URL.Path]++
		if o.total == o.at && o.process != nil {
			o.process.Kill()
		}
		o.mu.Unlock()
	}
	o.files.ServeHTTP(w, r)
}

// killSide is the length of the arrays, in chunks along each of two axes.
func killSide() int {
	if thorough.Enabled {
		return 32
	}
	return 20
}

const killChunk = 8

// killSources makes what is copied: an array, a group, an HDMF file. The last ones
// differ by seed.
func killSources(t *testing.T, dir string, seed uint64) {
	t.Helper()
	ctx := context.Background()
	n := killSide() * killChunk
	random := rand.New(rand.NewPCG(seed, 1))
	values := make([]uint8, n*n)
	for i := range values {
		values[i] = uint8(random.UintN(200) + 1)
	}
	g, err := zarr.CreateGroup(ctx, filepath.Join(dir, "a.zarr"))
	must(t, err)
	a, err := g.CreateArray(ctx, "values", zarr.ArraySpec{Shape: []int{n, n}, Chunks: []int{killChunk, killChunk}, DataType: "uint8"})
	must(t, err)
	must(t, zarr.Write(ctx, a, zarr.All(), values))
	few, err := g.CreateArray(ctx, "deep/few", zarr.ArraySpec{Shape: []int{5}, DataType: "float64"})
	must(t, err)
	must(t, zarr.Write(ctx, few, zarr.All(), []float64{1, 2, 3, 4, float64(seed)}))
	must(t, g.Consolidate(ctx))
	must(t, g.Close())
	must(t, write.Create(ctx, filepath.Join(dir, "n.zarr"), &write.Group{
		Object: write.Object{Attributes: map[string]any{"seed": int64(seed)}},
		Datasets: map[string]*write.Dataset{
			"data":  {Data: write.Numbers(values, n, n), Chunks: []int{killChunk, killChunk}},
			"words": {Data: write.Text([]string{"a", "b", "c"})},
			"refs":  {Data: write.References([]hdmf.Reference{{Source: ".", Path: "/data"}, {Source: ".", Path: "/words"}})},
		},
	}, write.Options{}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kinds of copies that are killed.
var killed = []struct {
	name, source, to string
	flags            []string
	block            int  // chunks of the source in a block
	anew             bool // begins anew after a kill
}{
	{"tiff", "a.zarr/values", "out.tif", nil, 0, true},
	{"cog", "a.zarr/values", "out.tif", []string{"--to", "cog"}, 0, true},
}

// A copy of any kind that is killed leaves nothing that opens, or the old copy, and
// run again it goes on and ends with the bytes of one that nobody disturbed.
func TestCopiesThatAreKilled(t *testing.T) {
	kills := 1
	if thorough.Enabled {
		kills = 50
	}
	dir := t.TempDir()
	killSources(t, filepath.Join(dir, "new"), 1)
	killSources(t, filepath.Join(dir, "old"), 2)
	for _, k := range killed {
		for _, overwrite := range []bool{false, true} {
			name := k.name
			if overwrite {
				name += " over another"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o, url := newOrigin(t, dir)
				c := &killing{origin: o, anew: k.anew, most: 2 * max(k.block, 1)}
				c.args = append([]string{"copy", "--json", "--workers", "2"}, k.flags...)
				c.url, c.to = url+"/new/"+k.source, k.to
				c.whole = t.TempDir()
				if out, err := c.run(t, c.whole); err != nil {
					t.Fatal(err, out)
				}
				c.requests = o.total
				if overwrite {
					c.old = t.TempDir()
					before := c.url
					c.url = url + "/old/" + k.source
					if out, err := c.run(t, c.old); err != nil {
						t.Fatal(err, out)
					}
					c.url = before
					c.args = append(c.args, "--overwrite")
				}
				random := rand.New(rand.NewPCG(7, uint64(len(name))))
				for range kills {
					c.kill(t, 1+random.IntN(c.requests))
				}
			})
		}
	}
}

// killing is a kind of copy.
type killing struct {
	*origin
	args     []string
	url, to  string
	whole    string // the folder with the copy that nobody disturbed
	old      string // and that with what is replaced, or empty
	anew     bool
	most     int // chunks that may be read twice
	requests int
}

// run copies into a folder.
func (c *killing) run(t *testing.T, dir string, more ...string) (string, error) {
	t.Helper()
	return command(t, c.origin, append(append(slices.Clone(c.args), more...), c.url, filepath.Join(dir, c.to))...)
}

// command runs the program and tells the origin of it.
func command(t *testing.T, o *origin, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("omnizarr", args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if o == nil {
		err := cmd.Run()
		return out.String(), err
	}
	o.mu.Lock() // no request is answered before the process is known
	err := cmd.Start()
	o.process = cmd.Process
	o.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	return out.String(), err
}

// kill ends a copy at a request, looks at what is left, and runs it again.
func (c *killing) kill(t *testing.T, at int) {
	t.Helper()
	dir := t.TempDir()
	before := map[string]string{}
	if c.old != "" {
		must(t, os.CopyFS(dir, os.DirFS(c.old)))
		before = contents(t, dir)
	}
	c.begin(at)
	out, err := c.run(t, dir)
	if err == nil {
		t.Fatalf("request %d of %d: it was not killed: %s", at, c.requests, out)
	}
	c.mu.Lock()
	first := maps.Clone(c.asked)
	c.mu.Unlock()
	dst := filepath.Join(dir, c.to)
	text, err := command(t, nil, "verify", dst)
	if c.old == "" {
		if code := exitCode(err); code != 1 {
			t.Errorf("request %d: verify exits with %d: %s", at, code, text)
		}
		text, err := command(t, nil, "info", dst)
		if exitCode(err) != 1 || len(contents(t, dir)) > 0 && !strings.Contains(text, "unfinished") {
			t.Errorf("request %d: info: %v, %s", at, err, text)
		}
	} else {
		if err != nil {
			t.Errorf("request %d: the old copy does not verify: %s", at, text)
		}
		after := contents(t, dir)
		for name, text := range before {
			if after[name] != text {
				t.Errorf("request %d: %s of the old copy is another", at, name)
			}
		}
	}
	c.begin(0)
	out, err = c.run(t, dir)
	if err != nil {
		t.Fatalf("request %d: run again: %v, %s", at, err, out)
	}
	var sum copying.Summary
	must(t, json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &sum))
	again := 0
	c.mu.Lock()
	for path := range c.asked {
		if first[path] > 0 {
			again++
		}
	}
	c.mu.Unlock()
	switch {
	case c.anew && !sum.Anew:
		t.Errorf("request %d: does not say that it began anew: %s", at, out)
	case !c.anew && again > c.most+extra:
		t.Errorf("request %d of %d: %d chunks were read again, at most %d may be", at, c.requests, again, c.most+extra)
	}
	c.same(t, dir, at)
	// And once more there is nothing to do.
	c.begin(0)
	args := c.args
	c.args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--overwrite" })
	if out, err := c.run(t, dir); err != nil || !strings.Contains(out, `"already_there": true`) {
		t.Errorf("a third time: %v, %s", err, out)
	}
	c.args = args
	c.same(t, dir, at)
}

// extra are chunks of the small arrays, and of what is looked at before a copy.
const extra = 4

// same compares a copy with the one that nobody disturbed.
func (c *killing) same(t *testing.T, dir string, at int) {
	t.Helper()
	want, got := contents(t, c.whole), contents(t, dir)
	for _, m := range []map[string]string{want, got} {
		delete(m, filepath.Join(c.to, ".omnizarr-copied")) // which tells when files were written
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("request %d: %s differs or is missing", at, name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("request %d: %s is left", at, name)
	}
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// contents are all files below a folder; of archives, their entries.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if filepath.Ext(path) != ".zip" {
			b, err := os.ReadFile(path)
			out[name] = string(b)
			return err
		}
		r, err := zip.OpenReader(path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer r.Close()
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				return err
			}
			b, err := io.ReadAll(in)
			in.Close()
			if err != nil {
				return err
			}
			out[filepath.Join(name, f.Name)] = string(b)
		}
		return nil
	}))
	return out
}
