// Package zerotest calls what a package exports with the zero values of what it takes:
// a program that leaves something out gets an error or nothing, and never a panic.
package zerotest

import (
	"context"
	"reflect"
	"slices"
	"testing"
)

// Methods calls every exported method of a value, but for Close and those named, in a
// folder of its own: to some of them no name is the folder where they are.
func Methods(t testing.TB, name string, of any, but ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	v := reflect.ValueOf(of)
	for i := range v.NumMethod() {
		if method := v.Type().Method(i).Name; method != "Close" && !slices.Contains(but, method) {
			try(t, name+": "+v.Type().String()+"."+method, v.Method(i))
		}
	}
}

// Func calls a function.
func Func(t testing.TB, name string, f any) {
	t.Helper()
	try(t, name, reflect.ValueOf(f))
}

// try fails the test if a function panics.
func try(t testing.TB, name string, f reflect.Value) {
	t.Helper()
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Errorf("%s with zero values: %v", name, p)
		}
	}()
	call(f)
}

// call calls a function, and goes through what it yields.
func call(f reflect.Value) {
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		switch arg := f.Type().In(i); {
		case arg == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(context.Background()))
		case f.Type().IsVariadic() && i == f.Type().NumIn()-1:
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	for _, out := range f.Call(in) {
		if out.Kind() != reflect.Func || out.IsNil() || out.Type().NumIn() != 1 || out.Type().In(0).Kind() != reflect.Func {
			continue
		}
		yield := out.Type().In(0)
		out.Call([]reflect.Value{reflect.MakeFunc(yield, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })})
	}
}
