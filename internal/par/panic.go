package par

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic that was caught in work that somebody else's program asked
// for: a mistake here or in a codec or store of theirs must not end it.
type Panic struct {
	Value any
	Stack []byte
}

// Error says what the panic said.
func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// Unwrap gives the value of the panic, if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var seen atomic.Int64

// Caught makes an error of what recover gave, nil of nil.
func Caught(value any) error {
	if value == nil {
		return nil
	}
	seen.Add(1)
	return &Panic{value, debug.Stack()}
}

// Panics counts the panics that were caught, and forgets them: tests fail when
// there is one that they did not ask for.
func Panics() int64 { return seen.Swap(0) }

// Catch calls f, and makes its panic an error.
func Catch(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Caught(v)
		}
	}()
	return f()
}

// call is Catch without a closure.
func call(f func(int) error, i int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Caught(v)
		}
	}()
	return f(i)
}
