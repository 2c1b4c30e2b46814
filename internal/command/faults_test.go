package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/kind/std"
)

// madeFile is an HDMF file on disk that a test makes.
type madeFile struct {
	t   *testing.T
	dir string
}

// madeRoot starts a file with attributes of its root besides its type.
func madeRoot(t *testing.T, attrs string) *madeFile {
	f := &madeFile{t, filepath.Join(t.TempDir(), "made.zarr")}
	f.group("", strings.TrimSuffix(`"namespace":"core","neurodata_type":"NWBFile",`+attrs, ","))
	return f
}

func (f *madeFile) put(name string, data []byte) {
	f.t.Helper()
	name = filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func (f *madeFile) group(node, attrs string) {
	f.put(node+"/zarr.json", fmt.Appendf(nil, `{"zarr_format":3,"node_type":"group","attributes":{%s}}`, attrs))
}

func (f *madeFile) array(node, dtype, fill, codec, attrs string, shape ...int) {
	list, _ := json.Marshal(append([]int{}, shape...))
	f.put(node+"/zarr.json", fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":%q,"fill_value":%s,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":%s}},`+
		`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"codecs":[%s],"attributes":{%s}}`, list, dtype, fill, list, codec, attrs))
}

// floats adds float64 that are all 0.
func (f *madeFile) floats(node, attrs string, shape ...int) {
	f.array(node, "float64", "0", `{"name":"bytes","configuration":{"endian":"little"}}`, attrs, shape...)
}

// text adds a list of text, or a single one without an axis.
func (f *madeFile) text(node, attrs string, single bool, values ...string) {
	shape, key := []int{len(values)}, node+"/c/0"
	if single {
		shape, key = nil, node+"/c"
	}
	f.array(node, "string", `""`, `{"name":"vlen-utf8","configuration":{}}`, attrs, shape...)
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(values)))
	for _, s := range values {
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(s))), s...)
	}
	f.put(key, data)
}

// ran runs the command and gives its exit code and what it wrote.
func ran(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(std.Kinds(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// matches wants every pattern in a text.
func matches(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("no match for %s in\n%s", p, text)
		}
	}
}

func TestInfoReadsNoLargeDatasets(t *testing.T) {
	f := madeRoot(t, "")
	f.floats("identifier", "", 64, 64, 64, 64)
	f.text("session_description", "", false, "one", "two")
	f.group("general", "")
	f.text("general/keywords", "", false, "one", "two")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, out, errs := ran(t, "info", f.dir)
	runtime.ReadMemStats(&after)
	if code != exitOK || errs != "" || strings.Contains(out, "identifier") || strings.Contains(out, "description") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
	matches(t, out, `^  keywords +one; two$`)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 64 {
		t.Errorf("%d MiB were allocated", n)
	}
}

func TestProblemsOfTablesAreTold(t *testing.T) {
	f := madeRoot(t, "")
	f.group("t", `"namespace":"hdmf-common","neurodata_type":"DynamicTable","colnames":["a","gone","b"]`)
	f.floats("t/id", "", 2)
	f.floats("t/a", "", 3)
	f.floats("t/b", "", 2)
	want := []string{`^omnizarr: note: /t: column "gone": .`, `^omnizarr: note: /t: column "a" has 3 rows, the table 2$`}
	for _, args := range [][]string{{"cat", "--as", "csv", f.dir + "/t"}, {"cat", "--as", "text", f.dir + "/t"}, {"info", f.dir}, {"info", f.dir + "/t"}} {
		code, out, errs := ran(t, args...)
		if code != exitOK || strings.Count(errs, "\n") != 2 {
			t.Errorf("%v: exit code %d\n%s%s", args, code, errs, out)
		}
		matches(t, errs, want...)
	}
	if _, out, _ := ran(t, "cat", "--as", "csv", f.dir+"/t"); out != "id,a,b\n0.0,0.0,0.0\n0.0,0.0,0.0\n" {
		t.Errorf("rows\n%s", out)
	}
}

func TestValidateGoesOn(t *testing.T) {
	f := madeRoot(t, `"_LINKS":[5]`)
	f.put("bad/zarr.json", []byte(`{`))
	code, out, errs := ran(t, "validate", f.dir)
	if code != exitWrong {
		t.Errorf("exit code %d", code)
	}
	matches(t, out, `^✗ / DanglingLink: _LINKS\[0\]`, `^✗ / MissingSpec: `, `^✗ /bad metadata: not JSON`)
	matches(t, errs, `: [0-9]+ problems$`)
	var report struct {
		OK       bool
		Problems []struct{ Path, Rule string }
	}
	_, out, _ = ran(t, "validate", "--json", f.dir)
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.OK || len(report.Problems) < 3 {
		t.Errorf("%v\n%s", err, out)
	}
	bad := 0
	for _, p := range report.Problems {
		if p.Path == "/bad" {
			bad++
		}
	}
	if bad != 1 {
		t.Errorf("told %d times of /bad\n%s", bad, out)
	}
}

// A server that lists nothing is told of once, after what was found.
func TestStoresThatCannotList(t *testing.T) {
	f := madeRoot(t, `"r":{"_REFERENCE":{"path":"/none"}}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, filepath.Join(f.dir, filepath.Clean(r.URL.Path)))
	}))
	defer s.Close()
	code, out, _ := ran(t, "validate", s.URL)
	if code != exitWrong {
		t.Errorf("exit code %d", code)
	}
	matches(t, out, `^✗ / DanglingReference: `, `^✗ / Unreadable: .*cannot list`)
	for _, command := range []string{"info", "tree", "refs"} {
		if _, _, errs := ran(t, command, s.URL); strings.Count(errs, "list "+s.URL) != 1 {
			t.Errorf("%s: %s", command, errs)
		}
	}
	// What a plain group holds is nothing that info must know.
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/g/zarr.json" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"zarr_format":3,"node_type":"group"}`)
	}))
	defer plain.Close()
	if code, out, errs := ran(t, "info", plain.URL+"/g"); code != exitOK || errs != "" {
		t.Errorf("a plain group: exit code %d, %s\n%s", code, errs, out)
	}
}

func TestReferencesThatCannotBeReadAreListed(t *testing.T) {
	f := madeRoot(t, `"r":{"_REFERENCE":{"source":"."}}`)
	code, out, _ := ran(t, "refs", f.dir)
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	matches(t, out, `^✗ object / @r -> is no reference: has no "path"$`, `^1 link or reference, 1 leads nowhere$`)
	f.group("g", `"_LINKS":[{"name":"l","path":"/"},{"path":"/"}]`)
	_, out, _ = ran(t, "refs", f.dir)
	matches(t, out, `^✗ link   /g -> _LINKS\[1\]`, `^✓ link   /g/l -> /$`, `^3 links and references, 2 lead nowhere$`)
	_, out, _ = ran(t, "refs", "--json", f.dir)
	var list []convention.Reference
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 3 || list[0].Resolved || list[0].Reason == "" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Terminals obey nothing that a file says, whatever command shows it.
func TestControlCharactersAreShown(t *testing.T) {
	esc, bell := "\x1b[31m", "\u0007"
	f := madeRoot(t, `"nwb_version":"2\u001b[31m\"","é\u009b":"\u202e\u009b31m","_LINKS":[{"name":"x\u001b]0;t\u0007","source":"\u001b[2J","path":"/\u001b[31m"}],"ref":{"_REFERENCE":{"path":"/\u001b[5m"}}`)
	f.text("identifier", "", true, "hi"+esc+bell+"there")
	f.group("t"+esc, `"namespace":"core\u001b[31m","neurodata_type":"Dyn\u001b[31m","colnames":["a\u001b[31m"],"description":"d\u009b\u001b[31m"`)
	f.text("t"+esc+"/a"+esc, `"unit\u007f":"\u007f"`, false, "v"+esc+"\u0085", "w\x7f")
	for _, args := range [][]string{
		{"info", f.dir}, {"info", f.dir + "/t" + esc}, {"info", f.dir + "/t" + esc + "/a" + esc}, {"info", "--plain", f.dir}, {"tree", f.dir}, {"tree", "--plain", f.dir},
		{"refs", f.dir}, {"validate", f.dir}, {"verify", f.dir}, {"dump", f.dir}, {"cat", "--as", "text", f.dir + "/t" + esc},
		{"cat", "--as", "text", f.dir + "/t" + esc + "/a" + esc}, {"cat", f.dir + "/no" + esc},
	} {
		_, out, errs := ran(t, args...)
		for _, r := range out + errs {
			if r != '\n' && words.Visible(string(r)) != string(r) {
				t.Errorf("%q: %q\n%q", args, out, errs)
				break
			}
		}
		if out+errs == "" {
			t.Errorf("%q says nothing", args)
		}
	}
	_, out, _ := ran(t, "info", f.dir)
	matches(t, out, `^  file +NWB 2\\x1b\[31m", `, `^  identifier +hi\\x1b\[31m\\x07there$`)
}

func TestVisibleText(t *testing.T) {
	for s, want := range map[string]string{
		"plain × é 日本 👩‍🔬": "plain × é 日本 👩‍🔬", "a\x1b[31m": `a\x1b[31m`, "a\nb\tc": `a\x0ab\x09c`, "\u009b": `\u009b`, "\u202etxt": `\u202etxt`, "\u2028": `\u2028`,
		"a\xffb": `a\xffb`, "\ufffd": "\ufffd", "\U000e0041": `\U000e0041`, `back\slash`: `back\slash`,
	} {
		if got := words.Visible(s); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
	if got := words.OneLine("list a://b: list a://b: no\n{\"x\": {\"x\": 1}}"); got != `list a://b: no; {"x": {"x": 1}}` {
		t.Errorf("one line: %s", got)
	}
}

// The oldest file keeps its schemas out of consolidated metadata.
func TestSchemasOfTheOldestFileAreTold(t *testing.T) {
	url := filepath.Join(nwbtest.Unpack(t, "legacy_v2_0.10.nwb.zarr"), "legacy_v2_0.10.nwb.zarr")
	for _, command := range []string{"info", "tree"} {
		_, out, _ := ran(t, command, url)
		matches(t, out, `schemas:? +core 2\.7\.0, hdmf-common 1\.8\.0, hdmf-experimental 0\.5\.0$`)
	}
}

func TestRateNeedsATimeForEverySample(t *testing.T) {
	f := madeRoot(t, "")
	for name, times := range map[string]int{"same": 3, "more": 4} {
		f.group(name, `"namespace":"core","neurodata_type":"TimeSeries"`)
		f.floats(name+"/data", `"unit":"V"`, 3)
		f.floats(name+"/timestamps", "", times)
		data := make([]byte, 8*times)
		data[8*times-2], data[8*times-1] = 0xf0, 0x3f // the last is 1
		f.put(name+"/timestamps/c/0", data)
	}
	_, out, _ := ran(t, "info", f.dir)
	matches(t, out, `^    /same .* about 2 Hz, 1 s, in V$`, `^    /more .* float64, 1 s, in V$`)
}
