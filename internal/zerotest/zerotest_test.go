package zerotest_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/omnizarr/zarr/internal/zerotest"
)

// told keeps what a test is told.
type told struct {
	testing.TB
	lines []string
}

func (t *told) Helper() {}

func (t *told) TempDir() string { return "." }

func (t *told) Chdir(string) {}

func (t *told) Errorf(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

type thing struct{}

func (thing) Bad(p *int) int { return *p }

func (thing) Good(p *int) bool { return p == nil }

func (thing) Yields() iter.Seq[int] { return func(yield func(int) bool) { yield(1); panic("late") } }

// Panics are found, also those of what is yielded.
func Example() {
	var t told
	zerotest.Methods(&t, "one", thing{})
	zerotest.Func(&t, "two", func(m map[string]int) { m["a"] = 1 })
	for _, line := range t.lines {
		fmt.Println(line)
	}
	// Output:
	// one: zerotest_test.thing.Bad with zero values: runtime error: invalid memory address or nil pointer dereference
	// one: zerotest_test.thing.Yields with zero values: late
	// two with zero values: assignment to entry in nil map
}
