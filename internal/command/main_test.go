package command

import (
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/leaktest"
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

// TestScripts runs testdata/*.txtar: what people type, and what they get.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "60")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // it would sleep a second per command
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "hex": writeHex, "isnpy": isNpy, "aged": aged, "nwb": unpack, "sample": sample,
		},
	})
}

// exits runs a program and wants a certain exit code: exits 2 omnizarr nonsense.
// The output can be matched afterwards.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [arg...]")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
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
	if err := exec.Command("omnizarr", "demo", "--no-serve", "--dir", dir).Run(); err != nil {
		return nil, err
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

// sample puts what the demo writes into a folder, as "exec omnizarr demo --no-serve --dir" does:
// sample s.zarr.
func sample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sample folder")
	}
	files, err := sampled()
	ts.Check(err)
	for name, data := range files {
		to := ts.MkAbs(filepath.Join(args[0], name))
		ts.Check(os.MkdirAll(filepath.Dir(to), 0o777))
		ts.Check(os.WriteFile(to, data, 0o666))
	}
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
