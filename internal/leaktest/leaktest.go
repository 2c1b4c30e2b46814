// Package leaktest fails a package's tests when they leave something behind:
// goroutines that still run, files and connections that are still open, or new files
// in the package's own folder. It also fails them when a panic was caught that no test took note of, see
// par.Panics.
package leaktest

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.uber.org/goleak"

	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// M is the part of *testing.M that is used.
type M interface{ Run() int }

// Main runs a package's tests, looks for leaks and ends the program. It is for
// TestMain:
//
//	func TestMain(m *testing.M) { leaktest.Main(m) }
func Main(m M) {
	code := Checked(m).Run()
	if race.Enabled {
		// Not os.Exit, in which the race detector waits a second for what still runs: here
		// nothing does, and the tests have failed already on what it saw.
		syscall.Exit(code)
	}
	os.Exit(code)
}

// Checked is m whose Run fails on leaks too, for those who end the program
// themselves.
func Checked(m M) M { return checked{m, os.Stderr, time.Second} }

type checked struct {
	m        M
	out      io.Writer
	patience time.Duration // with descriptors that are about to be closed
}

func (c checked) Run() int {
	lessChecks()
	quick()
	startPolling()
	before := descriptors()
	files := filesHere()
	running := goleak.IgnoreCurrent()
	code := c.m.Run()
	if code != 0 || fuzzing() {
		return code // what failed may well leave something; so does the fuzzer
	}
	end()
	if n := par.Panics(); n > 0 {
		fmt.Fprintf(c.out, "leaktest: %d panics were caught that no test asked for\n", n)
		code = 1
	}
	if err := goleak.Find(running); err != nil {
		fmt.Fprintln(c.out, "leaktest: goroutines are left:", err)
		code = 1
	}
	if left := leftOpen(before, c.patience); len(left) > 0 {
		fmt.Fprintln(c.out, "leaktest: descriptors are left open:")
		for _, line := range left {
			fmt.Fprintln(c.out, "\t"+line)
		}
		code = 1
	}
	for _, name := range filesHere() {
		if !slices.Contains(files, name) {
			fmt.Fprintf(c.out, "leaktest: tests have made %s in the folder of the package\n", name)
			code = 1
		}
	}
	return code
}

// filesHere are the names of what lies in the package's folder, but for what the Go
// command was asked to write there.
func filesHere() []string {
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".prof", ".out", ".test":
		default:
			names = append(names, e.Name())
		}
	}
	return names
}

// lessChecks lets the property tests of rapid draw fewer cases where time matters;
// its own flag overrides that.
func lessChecks() {
	if f := flag.Lookup("rapid.checks"); f != nil && !flag.Parsed() {
		if n, err := strconv.Atoi(f.DefValue); err == nil {
			_ = f.Value.Set(strconv.Itoa(thorough.Rounds(n)))
		}
	}
}

func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// startPolling makes the runtime open the descriptors that it keeps for itself.
func startPolling() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
}

// leftOpen lists descriptors that were not there before. What others close, as
// the far side of a connection, may take a moment.
func leftOpen(before map[string]string, patience time.Duration) []string {
	for wait := time.Millisecond; ; wait *= 2 {
		var left []string
		now := descriptors()
		for _, fd := range slices.Sorted(maps.Keys(now)) {
			if before[fd] != now[fd] {
				left = append(left, fd+" "+now[fd])
			}
		}
		if len(left) == 0 || wait > patience {
			return left
		}
		time.Sleep(wait)
	}
}

// descriptors tells what each open descriptor of the process is; nil where the
// system does not say.
func descriptors() map[string]string {
	const folder = "/proc/self/fd"
	d, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil
	}
	own := fmt.Sprint(d.Fd())
	out := map[string]string{}
	for _, fd := range names {
		target, err := os.Readlink(folder + "/" + fd)
		if err != nil || fd == own || strings.HasPrefix(target, "anon_inode:[event") {
			continue // closed meanwhile, this very folder, or the runtime's
		}
		out[fd] = target
	}
	return out
}
