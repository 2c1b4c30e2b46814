package codec

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/omnizarr/zarr/internal/par"
)

// caught makes a panic of one of the chain's codecs an error that names it, when
// it is deferred.
func (b *Bound) caught(err *error) {
	if v := recover(); v != nil {
		*err = wrap(b.running(), par.Caught(v))
	}
}

// running is the name of the codec whose method runs, the innermost if several
// do: it is looked up on the stack, so that coding itself has nothing to keep.
func (b *Bound) running() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		for i, c := range b.arrays {
			if isMethod(f.Function, c) {
				return b.arrayNames[i]
			}
		}
		for i, c := range b.bytes {
			if isMethod(f.Function, c) {
				return b.byteNames[i]
			}
		}
		if !more || isMethod(f.Function, b.serializer) {
			return b.name
		}
	}
}

// isMethod reports whether a function is a method of v's type.
func isMethod(function string, v any) bool {
	t := reflect.TypeOf(v)
	name := "."
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
		name += "(*" + t.Name() + ")."
	} else {
		name += t.Name() + "."
	}
	return strings.HasPrefix(function, t.PkgPath()+name)
}
