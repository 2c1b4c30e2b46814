package command

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(leaktest.Checked(m), map[string]func(){"omnizarr": program, "measured": measured})
}

// program is the command as its main function has it.
func program() { os.Exit(Run(std.Kinds(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// measured is the command, which in the end leaves in a file what the system says of its
// memory: who waits for a process is told of its own memory too.
func measured() {
	code := Run(std.Kinds(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		_ = os.WriteFile(os.Getenv("STATUS"), text, 0o666)
	}
	os.Exit(code)
}

// valued are scripts that the race detector does not see: they are about texts and values.
// TestExamplesRun has every command, and the others have most flags of copies: of --pad,
// --pad-edges, --pickle, --progress and --reversed job/copying, format/n5/jobs,
// format/hdmf/write and TestProgressThroughAPipe have tests; of HDMF files there are copyhdmf
// and the tour of neuroscience.
var valued = []string{"codec", "complete", "coordinates", "demo", "diff", "hdmf", "links", "meant", "n5", "npy", "pad", "references", "schemas", "show", "strict", "verify", "xarray"}

// TestScripts runs testdata/*.txtar: what people type, and what they get. The race detector
// looks at fewer.
func TestScripts(t *testing.T) {
	scripts(t, "testdata", valued, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "60")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hex": writeHex, "isnpy": isNpy, "aged": aged, "nwb": unpack, "sample": sample,
			"session": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: session name folder")
				}
				sessionIn(t, args[0], ts.MkAbs(args[1]))
			},
		},
	})
}

// scripts runs the scripts of a folder, with the race detector without some. They have two
// more commands: run omnizarr info x.zarr, which is to succeed, and exits 2 omnizarr nonsense. Their output can be matched afterwards,
// and [thorough] begins what only then runs. To start a
// process takes longer than most of what the program then does, so that it runs within this
// one, script after script: it takes half as long. Where everything is tried it is a
// process each time, and so it always is after exec, which alone has what stdin gives.
func scripts(t *testing.T, dir string, without []string, p testscript.Params) {
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	p.Files = slices.DeleteFunc(all, func(name string) bool {
		name = strings.TrimSuffix(filepath.Base(name), ".txtar")
		return race.Enabled && !thorough.Enabled && slices.Contains(without, name)
	})
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("GORACE", "atexit_sleep_ms=0") // it would sleep a second per command
		err := setup(e)
		names := make([]string, len(e.Vars))
		for i, v := range e.Vars {
			names[i], _, _ = strings.Cut(v, "=")
		}
		e.Values[variables{}] = names
		return err
	}
	p.RequireExplicitExec = true
	p.Condition = func(name string) (bool, error) {
		if name != "thorough" {
			return false, fmt.Errorf("no condition is called %s", name)
		}
		return thorough.Enabled, nil
	}
	p.Cmds["run"], p.Cmds["exits"] = run, exits
	if thorough.Enabled {
		testscript.Run(t, p)
	} else {
		unlimited(t)
		testscript.RunT(serial{t}, p)
	}
}

// variables is the key of the names of the variables that a script starts with.
type variables struct{}

// serial is a test whose parts do not run beside each other: a process has one folder.
type serial struct{ *testing.T }

func (serial) Parallel()     {}
func (serial) Verbose() bool { return testing.Verbose() }
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

// codeOf runs the program in the folder and with the variables of a script.
func codeOf(ts *testscript.TestScript, args []string) string {
	if args[0] == "exec" || thorough.Enabled {
		if args[0] == "exec" {
			args = args[1:]
		}
		if err := ts.Exec(args[0], args[1:]...); err != nil {
			return strings.TrimPrefix(err.Error(), "exit status ")
		}
		return "0"
	}
	if args[0] != "omnizarr" {
		ts.Fatalf("%s is no program of this process", args[0])
	}
	dir, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(dir)
	defer func(was []string) {
		os.Clearenv()
		for _, v := range was {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
	}(os.Environ())
	os.Clearenv()
	for _, name := range ts.Value(variables{}).([]string) {
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	return strconv.Itoa(Run(std.Kinds(), args[1:], strings.NewReader(""), ts.Stdout(), ts.Stderr()))
}

// run runs the program, which is to succeed: run omnizarr info x.zarr.
func run(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: run omnizarr [arg...]")
	}
	if code := codeOf(ts, args); (code == "0") == neg {
		ts.Fatalf("exit code %s", code)
	}
}

// exits runs a program and wants a certain exit code: exits 2 omnizarr nonsense, or, in a
// process of its own, exits 2 exec omnizarr nonsense.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [arg...]")
	}
	if code := codeOf(ts, args[1:]); code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// sampled is what the demo writes, by name, made once for all scripts.
var sampled = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var out bytes.Buffer
	if Run(std.Kinds(), []string{"demo", "--no-serve", "--dir", dir}, strings.NewReader(""), &out, &out) != exitOK {
		return nil, errors.New(out.String())
	}
	files := map[string][]byte{}
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(dir, name))
		}
		return err
	})
	return files, err
})

// sample puts what the demo writes into a folder, as "run omnizarr demo --no-serve --dir" does:
// sample s.zarr.
func sample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sample folder")
	}
	ts.Check(sampleIn(ts.MkAbs(args[0])))
}

// sampleIn puts what the demo writes into a folder.
func sampleIn(dir string) error {
	files, err := sampled()
	for name, data := range files {
		to := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o777)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o666)
		}
	}
	return err
}

// writeHex writes a file of bytes: hex file 00ff.
func writeHex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hex file digits")
	}
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// aged makes files as old as those that writers left behind: aged file...
func aged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: aged file...")
	}
	for _, name := range args {
		now, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		old := now.ModTime().Add(-24 * time.Hour)
		ts.Check(os.Chtimes(ts.MkAbs(name), old, old))
	}
}

// isNpy checks the form of a .npy file and its header: isnpy file header bytes.
func isNpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: isnpy file header elements")
	}
	b := ts.ReadFile(args[0])
	if len(b) < 10 || b[:8] != "\x93NUMPY\x01\x00" {
		ts.Fatalf("no .npy file: %q", b)
	}
	end := 10 + int(binary.LittleEndian.Uint16([]byte(b[8:])))
	if end%64 != 0 || b[end-1] != '\n' {
		ts.Fatalf("header ends at %d with %q", end, b[end-1])
	}
	if got := strings.TrimRight(b[10:end], " \n"); got != args[1] {
		ts.Fatalf("header %s, want %s", got, args[1])
	}
	if got := hex.EncodeToString([]byte(b[end:])); got != args[2] {
		ts.Fatalf("elements %s, want %s", got, args[2])
	}
}
