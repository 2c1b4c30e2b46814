package write_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
)

// one is a row of a table that has a column "v".
func one(v int64) write.Rows {
	return write.Rows{Columns: map[string]write.Column{"v": {Data: write.Numbers([]int64{v})}}}
}

func TestEditorsOfAFileShareItsChanges(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		s := created(t, within("t", table(3, 3)), write.Options{Layout: layout})
		a, b := edit(t, s), edit(t, s)
		check(t, a.AppendRows(ctx, "/t", one(10)))
		check(t, b.AppendRows(ctx, "/t", one(11))) // behind that of the other
		check(t, a.SetAttribute(ctx, "/t/id", "a", 1))
		check(t, b.SetAttribute(ctx, "/t/id", "b", 1))
		check(t, a.Close()) // takes nothing away from the other
		wants(t, a.AppendRows(ctx, "/t", one(12)), "closed")
		wants(t, a.Commit(ctx), "closed")
		if got := rows(t, in(t, s), "/t"); len(got) != 3 {
			t.Errorf("%v: there before the commit: %v", layout, got)
		}
		check(t, b.Commit(ctx))
		if got := rows(t, in(t, s), "/t"); len(got) != 5 || got[3] != "id=[int64 3] v=[int64 10] " || got[4] != "id=[int64 4] v=[int64 11] " {
			t.Errorf("%v: %v", layout, got)
		}
		o, err := in(t, s).Object(ctx, "/t/id")
		check(t, err)
		for _, name := range []string{"a", "b"} {
			if _, ok := o.Attribute(name); !ok {
				t.Errorf("%v: attribute %s is lost", layout, name)
			}
		}
		// What was not committed goes with the last one.
		check(t, b.AppendRows(ctx, "/t", one(13)))
		check(t, b.Close())
		check(t, edit(t, s).Commit(ctx))
		if got := rows(t, in(t, s, zarr.BypassConsolidated()), "/t"); len(got) != 5 {
			t.Errorf("%v: %v", layout, got)
		}
	}
}

// Editors that are opened, used, committed and closed by many goroutines at once, by
// several names of the file, lose nothing.
func TestEditorsOfManyGoroutines(t *testing.T) {
	dir := t.TempDir()
	at, link := filepath.Join(dir, "a.zarr"), filepath.Join(dir, "link.zarr")
	check(t, write.Create(ctx, at, &write.Group{Groups: map[string]*write.Group{"t": table(0, 0), "u": table(0, 0)}}, write.Options{}))
	names := []string{at, "file://" + filepath.ToSlash(at)}
	if os.Symlink(at, link) == nil {
		names = append(names, link)
	}
	const each, many = 4, 6
	var all sync.WaitGroup
	for k := range many {
		all.Go(func() {
			e, err := write.Edit(ctx, names[k%len(names)], write.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				v := int64(k*each + i)
				if err := errors.Join(e.AppendRows(ctx, "/t", one(v)), e.AppendRows(ctx, "/u", one(v)), e.Commit(ctx)); err != nil {
					t.Error(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	f := open(t, at)
	for _, name := range []string{"/t", "/u"} {
		text := strings.Join(rows(t, f, name), "")
		for v := range each * many {
			if strings.Count(text, fmt.Sprintf("v=[int64 %d] ", v)) != 1 {
				t.Fatalf("%s: %d is not there once:\n%s", name, v, text)
			}
		}
	}
}

// Other programs know nothing of our locks.
func TestWhatOtherProgramsChangeIsNotReplaced(t *testing.T) {
	for _, name := range sessions {
		s := copied(t, name, false)
		e := edit(t, s)
		check(t, e.AppendRows(ctx, "/intervals/trials", trials()))
		check(t, e.SetAttribute(ctx, "/intervals/trials/id", "by", "us"))
		n, err := zarr.OpenStore(ctx, s, "intervals/trials/id", zarr.BypassConsolidated())
		check(t, err)
		attrs := n.Attributes()
		check(t, attrs.Set("by", "somebody else"))
		check(t, n.SetAttributes(ctx, attrs))
		before := copyOf(t, s)
		if err := e.Commit(ctx); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("%s: %v", name, err)
		}
		wants(t, e.SetAttribute(ctx, "/units", "x", 1), "there was an error before")
		same(t, dump(t, in(t, s)), dump(t, in(t, before)))
	}
}

// waiting is set for a process that holds a file until it is killed.
const waiting = "OMNIZARR_TEST_HOLDS"

func TestHoldAFile(t *testing.T) {
	at := os.Getenv(waiting)
	if at == "" {
		t.Skip("is for another test")
	}
	e, err := write.Edit(ctx, at, write.Options{})
	check(t, err)
	check(t, e.AppendRows(ctx, "/t", one(99)))
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	check(t, e.Close())
}

func TestAnotherProcessIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		t.Skip("no locks")
	}
	at := filepath.Join(t.TempDir(), "a.zarr")
	file := within("t", table(3, 3))
	check(t, write.Create(ctx, at, file, write.Options{}))
	other := exec.Command(os.Args[0], "-test.run=^TestHoldAFile$")
	other.Env = append(os.Environ(), waiting+"="+at)
	in, err := other.StdinPipe() // which ends with this process
	check(t, err)
	defer in.Close()
	out, err := other.StdoutPipe()
	check(t, err)
	check(t, other.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	before := listing(t, at)
	_, err = write.Edit(ctx, at, write.Options{})
	if !errors.Is(err, write.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "linux" {
		wants(t, err, fmt.Sprintf("process %d", other.Process.Pid))
	}
	if err := write.Create(ctx, at, file, write.Options{Overwrite: true}); !errors.Is(err, write.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if now := listing(t, at); now != before {
		t.Errorf("there was\n%s, there is\n%s", before, now)
	}
	check(t, other.Process.Kill())
	_ = other.Wait() // it was killed
	e, err := write.Edit(ctx, at, write.Options{})
	check(t, err)
	check(t, e.AppendRows(ctx, "/t", one(10)))
	check(t, e.Commit(ctx))
	check(t, e.Close())
	if got := rows(t, open(t, at), "/t"); len(got) != 4 || got[3] != "id=[int64 3] v=[int64 10] " {
		t.Errorf("%v", got)
	}
}
