package zarr_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goWords are ways for Go's types to get into what people read: the errors of
// encoding/json and %T.
var goWords = regexp.MustCompile(`(?:err :?= |return )json\.Unmarshal\(|\.Errorf\("[^"]*%T`)

// Errors about JSON come from package strictjson, which says them in plain words.
func TestNoErrorOfEncodingJSONIsPassedOn(t *testing.T) {
	check(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, nested := statModule(file)
			if file != "." && (strings.HasPrefix(d.Name(), ".") || nested) || strings.HasSuffix(d.Name(), "test") || file == filepath.Join("internal", "strictjson") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, []byte("json.")) && !bytes.Contains(line, []byte("%T")) {
				continue // sooner than the expression says so
			}
			if word := goWords.Find(line); word != nil {
				t.Errorf("%s: %s", file, word)
			}
		}
		return err
	}))
}
