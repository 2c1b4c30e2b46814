package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
)

// Types that inherit from themselves are told, and what has other types is checked.
func TestSchemaThatInheritsFromItself(t *testing.T) {
	schema := catalog(t, `{"groups":[{"data_type_def":"A","data_type_inc":"B","doc":"d"},{"data_type_def":"B","data_type_inc":"A","doc":"d"},
		{"data_type_def":"Nest","doc":"d","groups":[{"data_type_inc":"Nest","quantity":"*","doc":"d"},{"name":"a","data_type_inc":"A","quantity":"?","doc":"d"}]}]}`)
	f := made(typed("Nest"))
	f.group("n", typed("Nest"))
	f.group("n/n", typed("Nest"))
	f.group("n/x", "")
	f.group("a", typed("A"))
	found := findings(t, in(t, f), check.Options{Schema: schema})
	want(t, found, "/a MissingSpec inherits from itself", "/n/x ExtraField group")
}

// Links that lead up or in circles do not make the check go on for ever.
func TestLinksThatLeadUp(t *testing.T) {
	schema := catalog(t, `{"groups":[{"data_type_def":"Nest","doc":"d","groups":[{"data_type_inc":"Nest","quantity":"*","doc":"d"}]}]}`)
	f := made(typed("Nest"))
	at := ""
	for i := range 40 {
		at = strings.TrimPrefix(at+"/n", "/")
		f.group(at, typed("Nest", fmt.Sprintf(`"_LINKS":[{"name":"up","source":".","path":"/"},{"name":"self","source":".","path":"/%s"},{"name":"loop%d","source":".","path":"/%s/loop%d"}]`, at, i, at, i)))
	}
	found := findings(t, in(t, f), check.Options{Schema: schema})
	if len(found) != 40 {
		t.Errorf("%d findings", len(found))
	}
	for _, x := range found {
		if x.Rule != check.DanglingLink || !strings.Contains(x.Problem, "circle") {
			t.Errorf("%v", x)
		}
	}
}

func TestDeepGroups(t *testing.T) {
	f := made("")
	at := strings.Repeat("n/", 600)
	for i := 2; i <= len(at); i += 2 {
		f.group(at[:i-1], "")
	}
	found := findings(t, in(t, f), check.Options{})
	if len(found) != 2 || found[1].Rule != check.Unreadable || !strings.Contains(found[1].Problem, "more than 512 deep") {
		t.Errorf("%v", found)
	}
}

// A file of many objects, all of them wrong, is checked in bounded time and memory.
func TestManyObjects(t *testing.T) {
	n := thorough.Rounds(20_000)
	schema := catalog(t, `{"datasets":[{"data_type_def":"List","dtype":"int8","shape":[null],"doc":"d","attributes":[{"name":"label","dtype":"text","doc":"d"}]}],
		"groups":[{"data_type_def":"Root","doc":"d","datasets":[{"data_type_inc":"List","quantity":"*","doc":"d"}]}]}`)
	f := made(typed("Root"))
	for i := range n {
		f.empty(fmt.Sprint("t", i), "int8", typed("List"), 3)
	}
	file := in(t, f)
	var found []check.Finding
	used := alloctest.Bytes(func() { found = findings(t, file, check.Options{Schema: schema}) }) / int64(n)
	if len(found) != n {
		t.Errorf("%d findings", len(found))
	}
	if used > 30_000 {
		t.Errorf("%d bytes were allocated per object", used)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := made("")
	f.group("a", "")
	if _, err := check.File(ctx, in(t, f), check.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Whatever attributes hold, the check ends with findings or without.
func FuzzAttributes(f *testing.F) {
	for _, s := range []string{
		`"label":"x","tags":["a",[1]],"made":"2024-05-01"`, `"_LINKS":[{"name":"b","path":"/a"}]`, `"peer":{"_REFERENCE":{"path":"/d","region":[{"start":0,"stop":9}]}}`,
		`"zarr_link":[{"name":"x","path":"/x"}],"zarr_dtype":"object"`, `"_DTYPE":"object_reference"`, `"scale":NaN`, `"size":[[[[]]]]`,
	} {
		f.Add(s)
	}
	schema := catalog(f, things)
	fuzzlong.Fuzz(f, func(t *testing.T, attrs string) {
		file := made(typed("Root"))
		file.group("a", typed("Thing", attrs))
		file.texts("a/friends", attrs, false, "/a", "/b", attrs)
		file.floats("d", attrs, []int{2}, 1, 2)
		if _, err := check.File(context.Background(), in(t, file), check.Options{Schema: schema, Inspect: true}); err != nil {
			t.Skip(err)
		}
	})
}
