package fuzzlong

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// head begins every file of Go's own format for inputs: a line for each argument.
const head = "go test fuzz v1\n"

// archive is where the inputs of a target are kept.
func archive(name string) string { return filepath.Join("testdata", "fuzz", name+".zip") }

// readArchive reads what is kept, if anything is.
func readArchive(name string) ([]string, error) {
	z, err := zip.OpenReader(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var texts []string
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", file.Name, name, err)
		}
		r.Close()
		texts = append(texts, string(b))
	}
	return texts, nil
}

// fuzzing is whether Go's engine runs the target.
func fuzzing() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

// readCache reads what Go's engine found for a target.
func readCache(name string) ([]string, error) {
	dir := flag.Lookup("test.fuzzcachedir").Value.String()
	if dir == "" || fuzzing() {
		return nil, nil // or the engine reads it
	}
	paths, err := filepath.Glob(filepath.Join(dir, name, "*"))
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(b))
	}
	return texts, nil
}

// keep makes the archive of n inputs, small and less small ones.
func keep(name string, texts []string, n int) error {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return len(text) > 2<<10 })
	n = min(n, len(texts))
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range n {
		w, err := z.Create(strconv.Itoa(i))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, texts[i*len(texts)/n]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(archive(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(archive(name), out.Bytes(), 0o644)
}

// parse reads the arguments of a target, whose first is the test.
func parse(text string, target reflect.Type) ([]reflect.Value, error) {
	text, ok := strings.CutPrefix(text, head)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !ok || len(lines) != target.NumIn()-1 {
		return nil, fmt.Errorf("no input with %d arguments", target.NumIn()-1)
	}
	var args []reflect.Value
	for i, line := range lines {
		_, text, _ := strings.Cut(strings.TrimSuffix(line, ")"), "(")
		arg := reflect.New(target.In(i + 1)).Elem()
		var err error
		switch {
		case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "`"):
			text, err = strconv.Unquote(text)
			setBytes(arg, []byte(text))
		case strings.HasPrefix(text, `'`):
			var c rune
			c, _, _, err = strconv.UnquoteChar(text[1:], '\'')
			text = strconv.Itoa(int(c))
			fallthrough
		default:
			if err == nil {
				_, err = fmt.Sscan(text, arg.Addr().Interface())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		args = append(args, arg)
	}
	return args, nil
}

// format is the other way.
func format(args []reflect.Value) []byte {
	out := []byte(head)
	for _, a := range args {
		switch _, isText := getBytes(a); {
		case isText:
			out = fmt.Appendf(out, "%s(%q)\n", name(a.Type()), a.Interface())
		default:
			out = fmt.Appendf(out, "%s(%v)\n", name(a.Type()), a.Interface())
		}
	}
	return out
}

// name is how Go's format has a type.
func name(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "[]byte"
	}
	return t.String()
}

// getBytes are the bytes of an argument that is text or bytes.
func getBytes(v reflect.Value) ([]byte, bool) {
	switch v.Kind() {
	case reflect.String:
		return []byte(v.String()), true
	case reflect.Slice:
		return v.Bytes(), true
	}
	return nil, false
}

// setBytes is the other way; of other arguments it does nothing.
func setBytes(v reflect.Value, b []byte) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(b))
	case reflect.Slice:
		v.SetBytes(b)
	}
}
