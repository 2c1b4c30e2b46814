// Package fuzzlong is what fuzz targets are run by. It gives them the inputs that are
// kept in testdata/fuzz/NAME.zip, and has a long form of its own: Go's engine follows
// coverage, at a cost of 30 µs and more for an execution, which is many times that of
// most parsers. So first it looks for inputs that are new, and then
//
//	OMNIZARR_FUZZ=10000000 go test -run '^FuzzParse$' -timeout 0 ./meta -args -test.fuzzcachedir=DIR
//
// changes those in DIR and the others at random, so many times, in one process, where
// hangs and memory that is not given back show too. With OMNIZARR_FUZZ_KEEP=40 the archive
// becomes one of so many inputs, of those in DIR and of its own.
package fuzzlong

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/par"
)

// last is the content of the input that stands for all others, see Fuzz.
const last = "\x00fuzzlong\xff"

// Fuzz is f.Fuzz, with the inputs that are kept for the target. A target must have an
// argument that is text or bytes.
func Fuzz(f *testing.F, target any) {
	f.Helper()
	kept, err := readArchive(archive(f.Name()))
	if err != nil {
		f.Fatal(err)
	}
	found, err := readCache(f.Name())
	if err != nil {
		f.Fatal(err)
	}
	if n, err := strconv.Atoi(os.Getenv("OMNIZARR_FUZZ_KEEP")); err == nil && len(found) > 0 {
		if err := keep(f.Name(), slices.Concat(kept, found), n); err != nil {
			f.Fatal(err)
		}
	}
	n, _ := strconv.Atoi(os.Getenv("OMNIZARR_FUZZ"))
	if fuzzing() {
		n = 0
	}
	if n > 0 {
		kept = append(kept, found...)
	}
	fn := reflect.ValueOf(target)
	for _, text := range kept {
		args, err := parse(text, fn.Type())
		if err != nil {
			f.Fatalf("%q: %v", text, err)
		}
		add(f, args)
	}
	// What panics in a worker is an error of its chunk, which would not show here.
	checked := func(args []reflect.Value) []reflect.Value {
		fn.Call(args)
		if par.Panics() > 0 {
			args[0].Interface().(*testing.T).Fatal("a panic was caught")
		}
		return nil
	}
	if n <= 0 {
		f.Fuzz(reflect.MakeFunc(fn.Type(), checked).Interface())
		return
	}
	// Go runs the target on one input after the other, and does not tell how many there
	// are: the changes are made when it comes to the last.
	end := make([]reflect.Value, fn.Type().NumIn()-1)
	for i := range end {
		end[i] = reflect.New(fn.Type().In(i + 1)).Elem()
		setBytes(end[i], []byte(last))
	}
	add(f, end)
	var inputs [][]reflect.Value
	f.Fuzz(reflect.MakeFunc(fn.Type(), func(args []reflect.Value) []reflect.Value {
		for _, a := range args[1:] {
			if b, ok := getBytes(a); ok && string(b) == last {
				run(args[0].Interface().(*testing.T), checked, inputs, n)
				return nil
			}
		}
		inputs = append(inputs, clone(args[1:])) // targets may write into theirs
		return checked(args)
	}).Interface())
}

// add is f.Add.
func add(f *testing.F, args []reflect.Value) {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Interface()
	}
	f.Add(values...)
}

// run calls a target n times. An input that fails is stored where Go stores such.
func run(t *testing.T, target func([]reflect.Value) []reflect.Value, inputs [][]reflect.Value, n int) {
	before := heap()
	m := newMutator(inputs)
	var now atomic.Pointer[[]reflect.Value]
	done := make(chan struct{})
	defer close(done)
	go watch(t.Name(), &now, done)
	ended := false
	defer func() {
		if args := now.Load(); args != nil && (t.Failed() || !ended) {
			fmt.Fprintln(os.Stderr, "fails:", store(t.Name(), *args))
		}
	}()
	call := []reflect.Value{reflect.ValueOf(t)}
	for range n {
		args := m.next()
		now.Store(&args)
		target(append(call, args...))
		if t.Failed() {
			return
		}
	}
	ended = true
	after := heap()
	fmt.Fprintf(os.Stderr, "%s: %d executions from %d inputs, memory %d KiB before, %d KiB after\n", t.Name(), n, len(inputs), before>>10, after>>10)
	if after > before+8<<20 {
		t.Error("memory was not given back")
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// watch ends the program when one execution takes half a minute. It counts short times:
// one in which the process was halted is one of them, however long it was.
func watch(name string, now *atomic.Pointer[[]reflect.Value], done chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var was *[]reflect.Value
	for same := 0; ; {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		is := now.Load()
		if same++; is != was {
			was, same = is, 0
		}
		if same == 300 {
			panic("hangs: " + store(name, *is))
		}
	}
}

// store writes an input that fails, and says where.
func store(name string, args []reflect.Value) string {
	path := filepath.Join("testdata", "fuzz", filepath.Dir(filepath.FromSlash(name)), "long")
	text := format(args)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, text)
	}
	return path
}
