// Package anon gives names to values that have none of their own.
package anon

import (
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"weak"
)

// Name is what a value is called. No other value is ever called so.
type Name struct{ text string }

// String is its text.
func (n *Name) String() string { return n.text }

var (
	mu    sync.Mutex
	names = map[any]weak.Pointer[Name]{}
	count int
)

// Of gives the name of a value, which is that of all that are equal to it: of the
// same pointer, if it is one. It stays the same as long as somebody keeps it; the
// value is kept along. What cannot be compared has no name: nil.
func Of(v any) *Name {
	if !reflect.ValueOf(v).Comparable() {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	if n := names[v].Value(); n != nil {
		return n
	}
	count++
	n := &Name{"s" + strconv.Itoa(count)}
	names[v] = weak.Make(n)
	runtime.AddCleanup(n, forget, v)
	return n
}

// forget drops a value whose name nobody keeps.
func forget(v any) {
	mu.Lock()
	defer mu.Unlock()
	if names[v].Value() == nil {
		delete(names, v)
	}
}
