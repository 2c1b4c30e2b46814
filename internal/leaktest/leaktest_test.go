package leaktest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/internal/par"
)

func TestMain(m *testing.M) { Main(m) }

type run func() int

func (r run) Run() int { return r() }

// watch runs tests and returns their code and what was said of leaks.
func watch(tests func() int) (int, string) {
	var out strings.Builder
	code := checked{run(tests), &out, 0}.Run()
	return code, out.String()
}

func TestNothingIsLeft(t *testing.T) {
	code, said := watch(func() int {
		f, err := os.Open("leaktest.go")
		if err != nil {
			t.Error(err)
		}
		f.Close()
		done := make(chan bool)
		go close(done)
		<-done
		return 0
	})
	if code != 0 || said != "" {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestFilesAmongTheSourcesAreFound(t *testing.T) {
	t.Chdir(t.TempDir())
	code, said := watch(func() int {
		for _, name := range []string{"left.zarr", "cpu.prof"} {
			if err := os.WriteFile(name, nil, 0o666); err != nil {
				t.Error(err)
			}
		}
		return 0
	})
	if code != 1 || !strings.Contains(said, "left.zarr") || strings.Contains(said, "cpu.prof") {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestOpenFileIsFound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open descriptors are counted on Linux")
	}
	var f *os.File
	code, said := watch(func() int {
		f, _ = os.Open("leaktest.go")
		return 0
	})
	f.Close()
	if code != 1 || !strings.Contains(said, "/leaktest.go") {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestOpenSocketIsFound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open descriptors are counted on Linux")
	}
	var l net.Listener
	code, said := watch(func() int {
		l, _ = net.Listen("tcp", "127.0.0.1:0")
		return 0
	})
	l.Close()
	if code != 1 || !strings.Contains(said, "socket:") {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestWhatIsSharedEndsBeforeTheSearch(t *testing.T) {
	code, said := watch(func() int {
		stop := make(chan bool)
		AtEnd(func() { close(stop) })
		go forgotten(stop)
		return 0
	})
	if code != 0 || said != "" {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestRunningGoroutineIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is given time to end
		stop := make(chan bool)
		code, said := watch(func() int {
			go forgotten(stop)
			return 0
		})
		close(stop)
		if code != 1 || !strings.Contains(said, "forgotten") {
			t.Errorf("code %d: %s", code, said)
		}
	})
}

func forgotten(stop chan bool) { <-stop }

func TestCaughtPanicIsFound(t *testing.T) {
	code, said := watch(func() int {
		_ = par.Catch(func() error { panic("a bug") })
		return 0
	})
	if code != 1 || !strings.Contains(said, "panic") {
		t.Errorf("code %d: %s", code, said)
	}
}

func TestFailedTestsAreNotSearched(t *testing.T) {
	var f *os.File
	code, said := watch(func() int {
		f, _ = os.Open("leaktest.go")
		return 2
	})
	f.Close()
	if code != 2 || said != "" {
		t.Errorf("code %d: %s", code, said)
	}
}

// TestEveryPackageIsChecked wants a TestMain that looks for leaks in every
// package with tests.
func TestEveryPackageIsChecked(t *testing.T) {
	checked := map[string]bool{}
	for file := range testFiles(t) {
		pkg := filepath.Dir(file)
		checked[pkg] = checked[pkg] || hasMain(t, file)
	}
	for pkg, ok := range checked {
		if !ok {
			t.Errorf("%s has no TestMain that calls leaktest: add main_test.go as other packages have it", pkg)
		}
	}
}

// testFiles yields all files of tests of the module.
func testFiles(t *testing.T) iter.Seq[string] {
	return func(yield func(string) bool) {
		const root = "../.."
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(file)) {
					return filepath.SkipDir
				}
				return nil
			}
			if strings.HasSuffix(file, "_test.go") && !yield(file) {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// hasMain reports whether a file has a TestMain that uses this package.
func hasMain(t *testing.T, file string) bool {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return false
	}
	if !strings.Contains(string(src), "func TestMain(") {
		return false
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
	if err != nil {
		t.Error(err)
		return false
	}
	found := false
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "TestMain" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && (id.Name == "leaktest" || parsed.Name.Name == "leaktest" && id.Name == "Main")
			return true
		})
	}
	return found
}
