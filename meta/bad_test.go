package meta

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"testing"
)

// readTable reads the lines of a file of columns with tabs between them.
func readTable(t testing.TB, name string, columns int) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); line != "" && line[0] != '#' {
			row := strings.SplitN(line, "\t", columns)
			if len(row) != columns {
				t.Fatalf("%s: %d columns in %.60q", name, len(row), line)
			}
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestBadDocuments(t *testing.T) {
	for _, row := range readTable(t, "bad.tsv", 3) {
		name, want, doc := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(doc), Registry{})
			got := "opens"
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, want) || strings.ContainsAny(got, "\n\r") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

const simpleArray = `{"zarr_format":3,"node_type":"array","shape":[6],"data_type":"int32",` +
	`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},` +
	`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},` +
	`"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"a":ATTR}}`

func TestAttributeThatIsNotUTF8(t *testing.T) {
	_, err := Parse([]byte(strings.Replace(simpleArray, "ATTR", "\"\xff\xfe\"", 1)), Registry{})
	if err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("got %v", err)
	}
}

func TestDeepNestingTakesNoMemory(t *testing.T) {
	const depth = 1_000_000
	for _, open := range []string{"[", `{"a":`} {
		doc := []byte(strings.Replace(simpleArray, "ATTR", strings.Repeat(open, depth), 1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(doc, Registry{})
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasSuffix(err.Error(), "nested deeper than 256 levels") || len(err.Error()) > 200 {
			t.Errorf("got %v", err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("took %d bytes", n)
		}
	}
}
