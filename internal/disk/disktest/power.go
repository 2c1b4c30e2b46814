// Package disktest is for tests of what is left on a disk: when the power goes in the
// middle of a change, and when the disk is full, broken, or has no more files to give.
//
// Its disk is as unkind as a disk may be. A file that was not flushed may be empty, cut
// off, or zeros of the right length; a name that was not flushed may be there or not,
// whatever came before and after it, in other folders too. Only that a rename is done
// whole or not at all can be relied on, as file systems with a log have it, and that a
// folder which was flushed has the names that it had.
package disktest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/disk"
)

// inode is a file or a folder, under whatever names.
type inode struct {
	names   map[string]*inode // of a folder, as it is
	data    []byte            // of a file, as it is
	kept    map[string]*inode // what of names survives for sure
	flushed []byte
	dirty   bool // data may not be what survives
}

func newFolder() *inode { return &inode{names: map[string]*inode{}, kept: map[string]*inode{}} }

// entry is a name in a folder that comes to stand for something else, nil for nothing.
type entry struct {
	folder *inode
	name   string
	to     *inode
}

// step is a change of names that is done whole, or not at all.
type step []entry

func (s step) touches(folder *inode) bool {
	return slices.ContainsFunc(s, func(e entry) bool { return e.folder == folder })
}

func (s step) shares(o step) bool {
	return slices.ContainsFunc(s, func(e entry) bool {
		return slices.ContainsFunc(o, func(x entry) bool { return x.folder == e.folder && x.name == e.name })
	})
}

// model is a folder with what is not flushed yet.
type model struct {
	root  *inode
	loose []step
}

// load takes a folder as it is, all of it flushed.
func load(path string) (*inode, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	d := newFolder()
	for _, e := range list {
		at := filepath.Join(path, e.Name())
		var n *inode
		if e.IsDir() {
			n, err = load(at)
		} else {
			n = &inode{}
			n.data, err = os.ReadFile(at)
			n.flushed = n.data
		}
		if err != nil {
			return nil, err
		}
		d.names[e.Name()], d.kept[e.Name()] = n, n
	}
	return d, nil
}

// find gives the folder that a path lies in, and its name there.
func (m *model) find(path string) (*inode, string) {
	dir, name := m.root, ""
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if name != "" {
			dir = dir.names[name]
		}
		name = part
	}
	return dir, name
}

func (m *model) at(path string) *inode {
	if path == "." {
		return m.root
	}
	dir, name := m.find(path)
	return dir.names[name]
}

// set changes names: now, and on the disk at some time.
func (m *model) set(s ...entry) {
	for _, e := range s {
		if e.to == nil {
			delete(e.folder.names, e.name)
		} else {
			e.folder.names[e.name] = e.to
		}
	}
	m.loose = append(m.loose, s)
}

// choose splits the loose steps: those that are chosen, with all that they build on.
func choose(loose []step, chosen func(step) bool) (in, out []step) {
	for _, s := range slices.Backward(loose) {
		if chosen(s) || slices.ContainsFunc(in, s.shares) {
			in = append(in, s)
		} else {
			out = append(out, s)
		}
	}
	slices.Reverse(in)
	slices.Reverse(out)
	return in, out
}

func keep(steps []step) {
	for _, s := range steps {
		for _, e := range s {
			if e.to == nil {
				delete(e.folder.kept, e.name)
			} else {
				e.folder.kept[e.name] = e.to
			}
		}
	}
}

func (m *model) do(c disk.Change) {
	dir, name := m.find(c.Path)
	switch c.Op {
	case disk.Make:
		if dir.names[name] == nil {
			m.set(entry{dir, name, newFolder()})
		}
	case disk.Create:
		if dir.names[name] == nil {
			m.set(entry{dir, name, &inode{}})
		}
	case disk.Write:
		n := dir.names[name]
		n.data = append(slices.Clone(n.data), make([]byte, max(0, int(c.Offset)+len(c.Data)-len(n.data)))...)
		copy(n.data[c.Offset:], c.Data)
		n.dirty = true
	case disk.Truncate:
		n := dir.names[name]
		n.data = append(slices.Clone(n.data[:min(len(n.data), int(c.Offset))]), make([]byte, max(0, int(c.Offset)-len(n.data)))...)
		n.dirty = true
	case disk.Flush:
		n := m.at(c.Path)
		n.flushed, n.dirty = n.data, false
	case disk.FlushFolder:
		folder := m.at(c.Path)
		var flushed []step
		flushed, m.loose = choose(m.loose, func(s step) bool { return s.touches(folder) })
		keep(flushed)
	case disk.Rename, disk.RenameNew:
		to, as := m.find(c.To)
		m.set(entry{dir, name, nil}, entry{to, as, dir.names[name]})
	case disk.Exchange:
		to, as := m.find(c.To)
		m.set(entry{dir, name, to.names[as]}, entry{to, as, dir.names[name]})
	case disk.Remove:
		m.set(entry{dir, name, nil})
	case disk.RemoveAll:
		m.removeAll(dir, name)
	}
}

// removeAll removes one name after the other.
func (m *model) removeAll(dir *inode, name string) {
	n := dir.names[name]
	if n == nil {
		return
	}
	for _, inner := range slices.Sorted(maps.Keys(n.names)) {
		m.removeAll(n, inner)
	}
	m.set(entry{dir, name, nil})
}

// left is what a disk may have after a loss of power: files by their paths, and folders,
// whose paths end in a slash. What is not flushed is decided by lucky.
func (m *model) left(lucky func() bool) map[string][]byte {
	kept := map[*inode]map[string]*inode{}
	in, _ := choose(m.loose, func(step) bool { return lucky() })
	for _, s := range in {
		for _, e := range s {
			if kept[e.folder] == nil {
				kept[e.folder] = maps.Clone(e.folder.kept)
			}
			if e.to == nil {
				delete(kept[e.folder], e.name)
			} else {
				kept[e.folder][e.name] = e.to
			}
		}
	}
	out := map[string][]byte{}
	var walk func(n *inode, path string)
	walk = func(n *inode, path string) {
		names := n.kept
		if changed := kept[n]; changed != nil {
			names = changed
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			inner, at := names[name], filepath.Join(path, name)
			switch {
			case inner.names != nil:
				out[at+"/"] = nil
				walk(inner, at)
			case !inner.dirty:
				out[at] = inner.data
			case lucky():
				out[at] = inner.data
			case lucky():
				out[at] = inner.data[:len(inner.data)/2]
			case lucky():
				out[at] = make([]byte, len(inner.data))
			default:
				out[at] = inner.flushed
			}
		}
	}
	walk(m.root, "")
	return out
}

// Recording is what was done to a folder.
type Recording struct {
	root  string
	start *inode
	log   []disk.Change
	stop  func()
	mu    sync.Mutex // held while a change is done, so that they are told in their order
}

// Record hears of all changes in and below a folder, until Stop. What is there now is
// flushed.
func Record(t testing.TB, root string) *Recording {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &Recording{root: root}
	if r.start, err = load(root); err != nil {
		t.Fatal(err)
	}
	r.stop = disk.Watch(root, r)
	t.Cleanup(r.stop)
	return r
}

// Stop ends the recording.
func (r *Recording) Stop() { r.stop() }

// Before lets one change after the other happen.
func (r *Recording) Before(c disk.Change) error {
	if c.Op != disk.Read {
		r.mu.Lock()
	}
	return nil
}

// After notes a change.
func (r *Recording) After(c disk.Change, err error) {
	if c.Op == disk.Read {
		return
	}
	defer r.mu.Unlock()
	if err != nil {
		return
	}
	c.Data = bytes.Clone(c.Data)
	c.Path = r.relative(c.Path)
	if c.To != "" {
		c.To = r.relative(c.To)
	}
	r.log = append(r.log, c)
}

func (r *Recording) relative(path string) string {
	rel, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		panic(fmt.Sprintf("%s is not below %s", path, r.root))
	}
	return rel
}

// Count is how often something was done.
func (r *Recording) Count(op disk.Op) (n int) {
	for _, c := range r.log {
		if c.Op == op {
			n++
		}
	}
	return n
}

// Cut is a disk after a loss of power.
type Cut struct {
	Dir  string // what is left of the folder
	Done bool   // all had been done and reported before
	Last string // what came last, for people
}

// Cuts gives what may be left when the power goes behind each of the changes, or with a step
// behind some of them and the last: nothing that was not flushed, all of it, and as many times
// more as rounds says by chance. States that are alike are given once.
func (r *Recording) Cuts(t *testing.T, step, rounds int, check func(t *testing.T, c Cut)) {
	t.Helper()
	r.Stop()
	m := &model{root: r.start}
	random := rand.New(rand.NewPCG(18, 11))
	known := map[[sha256.Size]byte]bool{}
	states := 0
	for n := 0; n <= len(r.log) && !t.Failed(); n++ {
		last := "before the first change"
		if n > 0 {
			c := r.log[n-1]
			m.do(c)
			last = strings.TrimSpace(fmt.Sprintf("cut behind change %d of %d, %s %s %s", n, len(r.log), c.Op, c.Path, c.To))
		}
		if (n+random.IntN(step))%step != 0 && n < len(r.log) {
			continue
		}
		for round := range rounds + 2 {
			files := m.left(func() bool { return round == 1 || round > 1 && random.IntN(2) == 0 })
			done := n == len(r.log)
			sum := digest(files, done)
			if known[sum] {
				continue
			}
			known[sum] = true
			dir := t.TempDir()
			if err := write(dir, files); err != nil {
				t.Fatal(err)
			}
			states++
			check(t, Cut{dir, done, last})
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if t.Failed() {
				t.Logf("%s; left: %v", last, slices.Sorted(maps.Keys(files)))
				break
			}
		}
	}
	t.Logf("%d changes, %d states", len(r.log), states)
}

func digest(files map[string][]byte, done bool) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintln(h, done)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %d\n", path, len(files[path]))
		h.Write(files[path])
	}
	h.Sum(sum[:0])
	return sum
}

func write(dir string, files map[string][]byte) error {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(dir, path)
		var err error
		if strings.HasSuffix(path, "/") {
			err = os.MkdirAll(at, 0o777)
		} else {
			if err = os.MkdirAll(filepath.Dir(at), 0o777); err == nil {
				err = os.WriteFile(at, files[path], 0o666)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Files is what lies in a folder: files by their paths, with slashes.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
