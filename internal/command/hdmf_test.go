package command

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// unpack puts files of other libraries into the folder of a script: nwb
// session_v3.nwb.zarr.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: nwb name...")
	}
	ts.Check(nwbtest.UnpackTo(ts.MkAbs("."), args...))
}

// unneeded is what a session has besides an electrical series, a stimulus, and tables that refer
// to them.
var unneeded = regexp.MustCompile(`^(processing/\w+|stimulus/templates/\w+|stimulus/presentation/shown|general/(optophysiology|lab|keywords|notes|institution|experimenter|was_generated_by|related_publications|session_id)|scratch/\w+|` +
	`acquisition/(bool_events|counts|nothing|sharded|video|words))/`)

// sessionIn puts a session of pynwb's, session_v2 or session_v3, into a folder. Where time
// matters it is a part of one, without consolidated metadata, which would tell of the rest.
func sessionIn(t testing.TB, name, dir string) {
	t.Helper()
	files := nwbtest.Files(t, name+thorough.Of("_plain.nwb.zarr", ".nwb.zarr"))
	for key, data := range files {
		if !thorough.Enabled && unneeded.MatchString(key) {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(key))
		must(t, os.MkdirAll(filepath.Dir(to), 0o777))
		must(t, os.WriteFile(to, data, 0o666))
	}
}

// called runs the command, which must succeed, and gives its output.
func called(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Run(std.Kinds(), args, strings.NewReader(""), &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Fatalf("omnizarr %s: exit code %d, %s", strings.Join(args, " "), code, &errs)
	}
	return out.Bytes()
}

// TestDumpIsWhatTheRealReaderSees compares with what the reader of hdmf_zarr found
// in its own files.
func TestDumpIsWhatTheRealReaderSees(t *testing.T) {
	names := []string{
		"session_v2.nwb", "session_v2_plain.nwb", "session_v2_json.nwb", "session_v3.nwb", "session_v3_plain.nwb",
		"custom_v2_pickle", "custom_v2_json", "custom_v3", "legacy_v2_0.10.nwb",
		"external_v2/source.nwb", "external_v2/linked.nwb", "external_v2/copied.nwb",
		"external_v3/source.nwb", "external_v3/linked.nwb", "external_v3/copied.nwb", "external_v3/sub/exported.nwb",
	}
	type document struct {
		Specifications, Nodes map[string]any
	}
	var tops []string
	for _, name := range names {
		top, _, inside := strings.Cut(name, "/")
		if !inside {
			top += ".zarr"
		}
		tops = append(tops, top)
	}
	slices.Sort(tops)
	dir := nwbtest.Unpack(t, slices.Compact(tops)...)
	for i, name := range names {
		if (i+1)%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var want, got document
			if err := json.Unmarshal(nwbtest.Read(t, name+".expected.json"), &want); err != nil {
				t.Fatal(err)
			}
			out := called(t, "dump", "--json", "--allow", dir, filepath.Join(dir, filepath.FromSlash(name)+".zarr"))
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			// The description of the oldest file lacks the schemas, which are there.
			if want.Specifications["location"] != nil && !reflect.DeepEqual(got.Specifications, want.Specifications) {
				t.Errorf("schemas: %v, want %v", got.Specifications, want.Specifications)
			}
			for _, at := range slices.Sorted(maps.Keys(got.Nodes)) {
				if want.Nodes[at] == nil {
					t.Errorf("%s is not expected", at)
				}
			}
			for at, w := range want.Nodes {
				if !reflect.DeepEqual(got.Nodes[at], w) {
					t.Errorf("%s:\n%v, want\n%v", at, got.Nodes[at], w)
				}
			}
		})
	}
}

// Some versions of hdmf-zarr cache the schemas when metadata is consolidated already.
func TestSchemasNeedNotBeInConsolidatedMetadata(t *testing.T) {
	of := thorough.Of("external_v2/source.nwb.zarr", "session_v2.nwb.zarr") // the first is smaller
	file := filepath.Join(nwbtest.Unpack(t, of), filepath.FromSlash(of))
	name := filepath.Join(file, ".zmetadata")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
		Format   int                        `json:"zarr_consolidated_format"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	left := len(doc.Metadata)
	maps.DeleteFunc(doc.Metadata, func(key string, _ json.RawMessage) bool { return strings.HasPrefix(key, "specifications") })
	if left -= len(doc.Metadata); left < 20 {
		t.Fatalf("%d documents of schemas", left)
	}
	if raw, err = json.Marshal(doc); err == nil {
		err = os.WriteFile(name, raw, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	called(t, "verify", file)
	called(t, "validate", file)
	// What is no schema must be there.
	if err = os.Mkdir(filepath.Join(file, "later"), 0o777); err == nil {
		err = os.WriteFile(filepath.Join(file, "later", ".zgroup"), []byte(`{"zarr_format":2}`), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	code, out, _ := ran(t, "verify", file)
	if code != exitWrong || strings.Count(out, "✗ /") != 1 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// Older files have times as bytes, which are ASCII by the layout. cat prints them as
// what they are; what is no text stays as it is stored, and so does everything that is
// no HDMF file.
func TestTimesOfOlderFilesAreText(t *testing.T) {
	dir := nwbtest.Unpack(t, "session_v2.nwb.zarr")
	file := filepath.Join(dir, "session_v2.nwb.zarr")
	for args, want := range map[string]string{
		"cat":            `["2023-04-05T10:11:12.345678-05:00"]` + "\n",
		"cat --as csv":   "2023-04-05T10:11:12.345678-05:00\n",
		"cat --as text":  `["2023-04-05T10:11:12.345678-05:00"]` + "\n\n1  variable_length_bytes\n",
		"cat --plain":    `["MjAyMy0wNC0wNVQxMDoxMToxMi4zNDU2NzgtMDU6MDA="]` + "\n",
		"cat --slice 0:": `["2023-04-05T10:11:12.345678-05:00"]` + "\n",
	} {
		if got := string(called(t, append(strings.Fields(args), file+"/session_start_time")...)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if err := os.Rename(filepath.Join(file, "session_start_time"), filepath.Join(dir, "alone")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "alone", ".zattrs")); err != nil {
		t.Fatal(err)
	}
	if got := string(called(t, "cat", filepath.Join(dir, "alone"))); got != `["MjAyMy0wNC0wNVQxMDoxMToxMi4zNDU2NzgtMDU6MDA="]`+"\n" {
		t.Errorf("an array that says nothing: %s", got)
	}
}
