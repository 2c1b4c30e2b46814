package command

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
	"github.com/omnizarr/zarr/kind/std"
)

// origin serves a folder over HTTP, counts the requests for chunks, and kills a
// process at one of them: moments come by themselves, and no clock is needed. Chunks that
// are asked for again count once: who waits long for an answer asks a second time, and
// another run, which does not wait, would never come to that number.
type origin struct {
	files http.Handler

	mu      sync.Mutex
	asked   map[string]int // how often each chunk was asked for
	at      int            // the chunk that kills, 0 for none
	process *os.Process
	reached chan struct{} // closed at that chunk
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
	o.asked, o.at, o.process, o.reached = map[string]int{}, at, nil, make(chan struct{})
}

// chunks is how many were asked for, and times how often.
func (o *origin) chunks() (n, times int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.asked {
		times += n
	}
	return len(o.asked), times
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name := filepath.Base(r.URL.Path); !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".json") {
		o.mu.Lock()
		o.asked[r.URL.Path]++
		if len(o.asked) == o.at && o.asked[r.URL.Path] == 1 {
			close(o.reached)
			if o.process != nil {
				o.process.Kill()
			}
		}
		o.mu.Unlock()
	}
	o.files.ServeHTTP(w, r)
}

// killSide is the length of the arrays, in chunks along each of two axes.
func killSide() int {
	if thorough.Enabled {
		return 8
	}
	return 6
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
	// Planes become columns by way of another array.
	p, err := zarr.CreateGroup(ctx, filepath.Join(dir, "p.zarr"))
	must(t, err)
	planes, err := p.CreateArray(ctx, "values", zarr.ArraySpec{Shape: []int{32, 64, 64}, Chunks: []int{1, 64, 64}, DataType: "uint16"})
	must(t, err)
	deep := make([]uint16, 32*64*64)
	for i := range deep {
		deep[i] = uint16(random.UintN(1000) + 1)
	}
	must(t, zarr.Write(ctx, planes, zarr.All(), deep))
	must(t, p.Consolidate(ctx))
	must(t, p.Close())
	must(t, write.Create(ctx, filepath.Join(dir, "n.zarr"), &write.Group{
		Object: write.Object{Attributes: map[string]any{"seed": int64(seed)}},
		Datasets: map[string]*write.Dataset{
			"data":  {Data: write.Numbers(values, n, n), Chunks: []int{killChunk, killChunk}},
			"words": {Data: write.Text([]string{"a", "b", "c"})},
			"refs":  {Data: write.References([]hdmf.Reference{{Source: ".", Path: "/data"}, {Source: ".", Path: "/words"}})},
		},
	}, write.Options{}))
	must(t, write.Create(ctx, filepath.Join(dir, "l.zarr"), &write.Group{
		Object:   write.Object{Attributes: map[string]any{"seed": int64(seed)}},
		Datasets: map[string]*write.Dataset{"own": {Data: write.Numbers(values[:n]), Chunks: []int{killChunk}}},
		Links:    map[string]hdmf.Reference{"l": {Source: "../n.zarr", Path: "/data"}},
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
	block            int    // chunks of the source in a block, -1 if nothing is copied
	document         string // one that is stored at the end, empty if it is one file
}{
	{"zarr3", "a.zarr", "out.zarr", nil, 1, "values/zarr.json"},
	{"zarr2", "a.zarr", "out.zarr", []string{"--to", "zarr2"}, 1, "values/.zarray"},
	{"sharded", "a.zarr", "out.zarr", []string{"--chunks", "8,8", "--shards", "16,16"}, 4, "values/zarr.json"},
	{"between", "p.zarr", "out.zarr", []string{"--chunks", "32,16,16", "--max-memory", "384KiB"}, 4, "values/zarr.json"},
	{"n5", "a.zarr", "out.n5", nil, 1, "values/attributes.json"},
	{"hdmf", "n.zarr", "out.zarr", nil, 1, "data/zarr.json"},
	{"linked", "l.zarr", "out.zarr", []string{"--with-links", "--to", "zarr2"}, 1, ""},
	{"tiff", "a.zarr/values", "out.tif", []string{"--chunks", "16,16", "--max-memory", "1KiB"}, 4, ""},
	{"overviews", "a.zarr/values", "out.tif", []string{"--chunks", "16,16", "--max-memory", "1KiB", "--overviews"}, 4, ""},
	{"cog", "a.zarr/values", "out.tif", []string{"--to", "cog", "--chunks", "16,16", "--max-memory", "1KiB"}, 4, ""},
	{"jpeg", "a.zarr/values", "out.tif", []string{"--to", "cog", "--compression", "jpeg", "--lossy", "--chunks", "16,16", "--max-memory", "1KiB"}, 4, ""},
	{"zip", "a.zarr", "out.zip", nil, 1, ""},
	{"virtual", "a.zarr", "out.zarr", []string{"--virtual"}, -1, ""},
}

// A copy of any kind that is killed leaves nothing that opens, or the old copy, and
// run again it goes on and ends with the bytes of one that nobody disturbed.
func TestCopiesThatAreKilled(t *testing.T) {
	kills := 1
	if thorough.Enabled {
		kills = 50
	}
	unlimited(t)
	dir := t.TempDir()
	killSources(t, filepath.Join(dir, "new"), 1)
	killSources(t, filepath.Join(dir, "old"), 2)
	for i, k := range killed {
		for _, overwrite := range []bool{false, true} {
			name := k.name
			switch {
			case overwrite && k.name == "linked":
				continue // copies of others are not replaced for it
			case !thorough.Enabled && overwrite != (i%2 == 1):
				continue // where time matters, each kind in one of the two ways
			case thorough.Least(slices.Contains([]string{"zarr2", "n5", "tiff", "overviews", "jpeg", "virtual"}, k.name), false, false):
				continue // the same runs at once as in others
			}
			if overwrite {
				name += " over another"
			}
			t.Run(name, func(t *testing.T) {
				if thorough.Enabled {
					t.Parallel()
				}
				o, url := newOrigin(t, dir)
				c := &killing{origin: o, allow: url, block: k.block}
				c.args = append([]string{"copy", "--workers", "2"}, k.flags...)
				if k.block >= 0 {
					c.args = append(c.args, "--json")
				}
				c.url, c.to = url+"/new/"+k.source, k.to
				c.whole = t.TempDir()
				if out, err := c.run(t, c.whole); err != nil {
					t.Fatal(err, out)
				}
				var times int
				c.requests, times = o.chunks()
				if k.name == "between" && times > 40 {
					t.Errorf("32 chunks of the source were asked for %d times", times)
				}
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
				for i := range kills {
					c.kill(t, 1+random.IntN(c.requests))
					if k.document != "" && (i > 0 || name == "zarr3" || name == "hdmf over another") {
						c.killAt(t, k.document, overwrite)
					}
				}
			})
		}
	}
}

// unlimited lets copies within this process use what they like: the collector would run
// without end to keep it, with all its tests, to what one copy may use.
func unlimited(t *testing.T) {
	if !thorough.Enabled {
		was := limitMemory
		t.Cleanup(func() { limitMemory = was })
		limitMemory = func(int64) int64 { return 0 }
	}
}

// killing is a kind of copy.
type killing struct {
	*origin
	args     []string
	url, to  string
	whole    string // the folder with the copy that nobody disturbed
	old      string // and that with what is replaced, or empty
	allow    string // where references lead
	block    int    // as in killed
	requests int
}

// run copies into a folder.
func (c *killing) run(t *testing.T, dir string, more ...string) (string, error) {
	t.Helper()
	return command(t, c.origin, append(append(slices.Clone(c.args), more...), c.url, filepath.Join(dir, c.to))...)
}

// exit is how a command within this process ended.
type exit int

func (e exit) Error() string { return fmt.Sprint("exit code ", int(e)) }
func (e exit) ExitCode() int { return int(e) }

// command runs the program and tells the origin of it. What nobody kills needs no process of
// its own, which takes longer to start than what it does; where everything is tried it has one.
func command(t *testing.T, o *origin, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	if (o == nil || o.at == 0) && !thorough.Enabled {
		if code := Run(std.Kinds(), args, strings.NewReader(""), &out, &out); code != exitOK {
			return out.String(), exit(code)
		}
		return out.String(), nil
	}
	cmd := exec.Command("omnizarr", args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
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
	text, err := command(t, nil, "verify", "--allow", c.allow, dst)
	if c.old == "" {
		if code := exitCode(err); code != 1 {
			t.Errorf("request %d: verify exits with %d: %s", at, code, text)
		}
		text, err := command(t, nil, "info", "--allow", c.allow, dst)
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
	c.economical(t, at, first, out)
	c.same(t, dir, at)
	// And once more there is nothing to do.
	c.begin(0)
	args := c.args
	c.args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--overwrite" })
	if out, err := c.run(t, dir); err != nil || !strings.Contains(out, `"already_there": true`) && !strings.Contains(out, "there already") {
		t.Errorf("a third time: %v, %s", err, out)
	}
	c.args = args
	c.same(t, dir, at)
}

// economical checks that a copy which goes on does what is left, and hardly more.
func (c *killing) economical(t *testing.T, at int, first map[string]int, out string) {
	t.Helper()
	if c.block < 0 {
		return
	}
	var sum copying.Summary
	must(t, json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &sum))
	if sum.Anew {
		t.Errorf("request %d: it began anew: %s", at, out)
	}
	again := 0
	c.mu.Lock()
	for path := range c.asked {
		if first[path] > 0 && (strings.Contains(path, "/values/") || strings.Contains(path, "/data/")) {
			again++ // of the large array; the others have a chunk or two
		}
	}
	c.mu.Unlock()
	// Blocks that were under way, of two workers, or one in a hundred.
	if most := max(2*c.block, c.requests/100); again > most {
		t.Errorf("request %d of %d: %d chunks were read again, at most %d may be", at, c.requests, again, most)
	}
}

// killAt ends a copy when it has stored a document, which it does at the very end, and
// runs it again. It may be complete by then.
func (c *killing) killAt(t *testing.T, document string, overwrite bool) {
	t.Helper()
	dir := t.TempDir()
	dst := filepath.Join(dir, c.to)
	made := dst
	if overwrite {
		must(t, os.CopyFS(dir, os.DirFS(c.old)))
		made = filepath.Join(dir, "."+c.to+".omnizarr-new")
	}
	c.begin(max(1, c.requests-4)) // before that there is no need to look
	cmd := exec.Command("omnizarr", append(slices.Clone(c.args), c.url, dst)...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-c.reached:
	}
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
			if _, err := os.Lstat(filepath.Join(made, document)); err == nil {
				cmd.Process.Kill()
				<-ended
				running = false
			}
		}
	}
	c.begin(0)
	text, err := command(t, nil, "verify", "--allow", c.allow, dst)
	if err != nil && (exitCode(err) != 1 || !strings.Contains(text, "unfinished")) {
		t.Errorf("killed at the end: %v, %s", err, text)
	}
	if out, err := c.run(t, dir); err != nil {
		t.Fatalf("killed at the end, run again: %v, %s", err, out)
	}
	c.same(t, dir, c.requests)
}

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
	if e, ok := err.(interface{ ExitCode() int }); ok {
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

// An archive that was complete but for its name gets it, and tells nobody where its
// content came from.
func TestAnArchiveThatLacksItsName(t *testing.T) {
	dir := t.TempDir()
	killSources(t, dir, 1)
	archive := filepath.Join(dir, "out.zip")
	for _, flags := range [][]string{nil, {"--overwrite"}} {
		args := append(append([]string{"copy"}, flags...), filepath.Join(dir, "a.zarr"), archive)
		if out, err := command(t, nil, args...); err != nil {
			t.Fatal(out, err)
		}
		want, err := os.ReadFile(archive)
		must(t, err)
		if bytes.Contains(want, []byte(dir)) {
			t.Error("the archive names its source")
		}
		must(t, os.Rename(archive, filepath.Join(dir, ".out.zip.omnizarr-unfinished")))
		if out, err := command(t, nil, args...); err != nil {
			t.Fatal(out, err)
		}
		if out, err := command(t, nil, "verify", archive); err != nil {
			t.Fatal(out, err)
		}
	}
}
