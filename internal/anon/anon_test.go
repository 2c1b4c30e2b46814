package anon_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/omnizarr/zarr/internal/anon"
	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestNamesAreOfValues(t *testing.T) {
	a, b := new(int), new(int)
	one := anon.Of(a)
	if anon.Of(a) != one || anon.Of(b).String() == one.String() {
		t.Error("a pointer has two names, or two have one")
	}
	type pair struct{ x, y any }
	if anon.Of(pair{a, 1}).String() == anon.Of(pair{b, 1}).String() {
		t.Error("two structs have one name")
	}
	kept := anon.Of(pair{a, 1})
	runtime.GC()
	if anon.Of(pair{a, 1}) != kept || anon.Of(a) != one {
		t.Error("a name that is kept was given up")
	}
	if anon.Of(pair{a, []int{}}) != nil {
		t.Error("what cannot be compared has a name")
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(one)
}

func Example() {
	type value struct{ n int }
	v := &value{1}
	name := anon.Of(v)
	fmt.Println(anon.Of(v) == name, anon.Of(&value{1}) == name)
	// Output: true false
}
