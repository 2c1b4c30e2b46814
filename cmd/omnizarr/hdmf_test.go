package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
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

// called runs the command, which must succeed, and gives its output.
func called(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(std.Kinds(), args, strings.NewReader(""), &out, &errs); code != exitOK || errs.Len() > 0 {
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
	for _, name := range names {
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

func TestFilesAreNamedAsSeenFromEachOther(t *testing.T) {
	ctx := context.Background()
	dir := nwbtest.Unpack(t, "external_v3")
	open := func(name string) *hdmf.File {
		f, err := hdmf.Open(ctx, filepath.Join(dir, "external_v3", filepath.FromSlash(name)), hdmf.Zarr(zarr.ReadOnly()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	linked, source, exported := open("linked.nwb.zarr"), open("source.nwb.zarr"), open("sub/exported.nwb.zarr")
	for _, c := range []struct {
		from, to *hdmf.File
		want     string
	}{{linked, linked, "."}, {linked, source, "../source.nwb.zarr"}, {exported, source, "../../source.nwb.zarr"}, {source, exported, "../sub/exported.nwb.zarr"}} {
		if got := place(ctx, c.from, c.to); got != c.want {
			t.Errorf("%s from %s is %s, want %s", c.to.URL(), c.from.URL(), got, c.want)
		}
	}
}

func TestAboveURLs(t *testing.T) {
	for _, c := range []struct{ url, up, name string }{
		{"https://example.org/a.zarr/units/", "https://example.org/a.zarr", "units"},
		{"https://example.org", "", ""},
		{"https://example.org/a.zarr?token=1", "", ""},
		{"a.zip|zarr3:units/id", "a.zip|zarr3:units", "id"},
		{"a.zip|zarr3:units", "a.zip|zarr3:", "units"},
		{"a.zip|zarr3:", "", ""},
		{"/", "", ""},
		{"mem:x/y", "", ""},
	} {
		up, name, ok := above(c.url)
		if up != c.up || name != c.name || ok != (c.name != "") {
			t.Errorf("above %s is %q, %q, %v, want %q, %q", c.url, up, name, ok, c.up, c.name)
		}
	}
}

func TestTracesAreDrawnInBlocks(t *testing.T) {
	tr := newTrace(8)
	for i, v := range []float64{0, 1, 2, 3} {
		tr.add(2*i+1, v)
	}
	low, high, ok := tr.bounds()
	if low != 0 || high != 3 || !ok {
		t.Errorf("bounds %v to %v, %v", low, high, ok)
	}
	tr.join()
	got := strings.Join(tr.draw(low, high, 2), "\n")
	if want := "  ▗▟\n▗▟▀ "; got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
}

func TestFloatsThatJSONLacksInLists(t *testing.T) {
	for raw, want := range map[string]string{
		`[1,NaN]`: `[1,{"$float":"NaN"}]`, `{"a":[-Infinity,Infinity],"b":"NaN ]"}`: `{"a":[{"$float":"-Infinity"},{"$float":"Infinity"}],"b":"NaN ]"}`,
	} {
		if got, err := neutralFloats(json.RawMessage(raw)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
}
