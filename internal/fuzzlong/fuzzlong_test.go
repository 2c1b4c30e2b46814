package fuzzlong

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/internal/par"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// FuzzSum is a target with arguments of every kind.
func FuzzSum(f *testing.F) {
	f.Add([]byte("abc"), "text", true, byte(7), int64(-1))
	Fuzz(f, func(t *testing.T, b []byte, text string, ok bool, c byte, n int64) {
		if len(b) > 1<<20 || len(text) > 1<<20 {
			t.Errorf("%d bytes and %d", len(b), len(text))
		}
	})
}

// The long form runs the target as often as it is told, on inputs that differ.
func FuzzLongForm(f *testing.F) {
	if fuzzing() {
		f.Skip("not with Go's engine")
	}
	f.Setenv("OMNIZARR_FUZZ", "1000")
	f.Add([]byte("one"))
	f.Add([]byte("another"))
	calls, near, seen := 0, 0, map[string]bool{}
	Fuzz(f, func(t *testing.T, b []byte) {
		calls++
		seen[string(b)] = true
		if strings.Contains(string(b), "ne") || strings.Contains(string(b), "oth") {
			near++
		}
		clear(b) // it is the target's own
	})
	if f.Failed() || calls != 1002 || len(seen) < 500 || near < 300 {
		f.Errorf("%d calls, %d inputs, %d like the first", calls, len(seen), near)
	}
}

// FuzzThatFails is for TestWhatFailsIsStored.
func FuzzThatFails(f *testing.F) {
	if os.Getenv("FUZZLONG_FAILS") == "" {
		f.Skip("it is meant to fail")
	}
	f.Add("fine")
	Fuzz(f, func(t *testing.T, text string) {
		_ = par.Catch(func() error {
			if text != "fine" {
				panic(text)
			}
			return nil
		})
	})
}

// A panic that became an error fails all the same, and its input can be run again.
func TestWhatFailsIsStored(t *testing.T) {
	dir := t.TempDir()
	fails := func(n string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^FuzzThatFails$")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "FUZZLONG_FAILS=1", "OMNIZARR_FUZZ="+n)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "a panic was caught") {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := fails("1000"); !strings.Contains(out, "fails: "+filepath.Join("testdata", "fuzz", "FuzzThatFails", "long")) {
		t.Error(out)
	}
	if out := fails(""); !strings.Contains(out, "FuzzThatFails/long") {
		t.Error(out)
	}
}

var sum = reflect.TypeOf(func(*testing.T, []byte, string, bool, byte, int64) {})

func TestInputsAsGoHasThem(t *testing.T) {
	for _, c := range []string{`'\x07'`, `7`} {
		args, err := parse("go test fuzz v1\n[]byte(\"a\\x00(\\\")\")\nstring(`b)`)\nbool(true)\nbyte("+c+")\nint64(-9)\n", sum)
		if err != nil || len(args) != 5 {
			t.Fatal(args, err)
		}
		if string(args[0].Bytes()) != "a\x00(\")" || args[1].String() != "b)" || !args[2].Bool() || args[3].Uint() != 7 || args[4].Int() != -9 {
			t.Error(args)
		}
		again, err := parse(string(format(args)), sum)
		if err != nil || string(format(again)) != string(format(args)) {
			t.Errorf("%s, %v", format(args), err)
		}
	}
	for _, text := range []string{"", head, head + "int(1)\n", "[]byte(\"\")\nstring(\"\")\nbool(true)\nbyte(1)\nint64(1)\n", head + "[]byte(\"x)\nstring(\"\")\nbool(true)\nbyte(1)\nint64(1)\n", head + "[]byte(\"\")\nstring(\"\")\nbool(true)\nbyte(1)\nint64(x)\n"} {
		if args, err := parse(text, sum); err == nil {
			t.Errorf("%q is %v", text, args)
		}
	}
}

// Changes are the same in every run, leave the inputs as they are, and reach every
// argument.
func TestChanges(t *testing.T) {
	input := func() []reflect.Value {
		var args []reflect.Value
		for _, v := range []any{[]byte("some bytes to change"), "and text", true, byte(7), int64(-1)} {
			args = append(args, reflect.ValueOf(v))
		}
		return args
	}
	inputs := [][]reflect.Value{input(), input()}
	first := string(format(inputs[0]))
	a, b := newMutator(inputs), newMutator(inputs)
	changed := make([]int, 5)
	for range 2000 {
		args := a.next()
		if string(format(args)) != string(format(b.next())) {
			t.Fatal("two runs differ")
		}
		if size(args[:1]) > a.longer || size(args[1:2]) > a.longer {
			t.Fatalf("%s is too long", format(args))
		}
		for i, arg := range args {
			if !reflect.DeepEqual(arg.Interface(), inputs[0][i].Interface()) {
				changed[i]++
			}
		}
		clear(args[0].Bytes())
	}
	if string(format(inputs[0])) != first || slices.Min(changed) < 20 {
		t.Errorf("%s, changes %v", format(inputs[0]), changed)
	}
}

func TestInputsAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, err := readArchive(archive("FuzzSum")); got != nil || err != nil {
		t.Fatal(got, err)
	}
	var texts []string
	for i := range 9 {
		texts = append(texts, fmt.Sprintf("%s%0*d", head, 9-i, 0))
	}
	texts = append(texts, texts[0], head+string(make([]byte, 5000)))
	if err := keep("FuzzSum", slices.Clone(texts), 3); err != nil {
		t.Fatal(err)
	}
	if got, err := readArchive(archive("FuzzSum")); err != nil || !slices.Equal(got, []string{texts[8], texts[5], texts[2]}) {
		t.Errorf("%q, %v", got, err)
	}
	path := store("FuzzSum/seed#3", []reflect.Value{reflect.ValueOf("x")})
	if b, err := os.ReadFile(path); err != nil || filepath.Dir(path) != filepath.Join("testdata", "fuzz", "FuzzSum") || string(b) != head+"string(\"x\")\n" {
		t.Errorf("%s: %q, %v", path, b, err)
	}
}

func Example() {
	// A target has fuzzlong.Fuzz where others have f.Fuzz.
	_ = func(f *testing.F) {
		f.Add([]byte("an input to begin with"))
		Fuzz(f, func(t *testing.T, data []byte) {
			if len(data) > 1<<30 {
				t.Error("too long")
			}
		})
	}
	fmt.Println(filepath.ToSlash(archive("FuzzParse")))
	// Output: testdata/fuzz/FuzzParse.zip
}
