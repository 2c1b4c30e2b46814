package hdmf_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

const huge = 1 << 50 // elements that nobody wrote, more than any memory has

func TestASingleValueIsCountedBeforeItIsRead(t *testing.T) {
	w := newWriter(t)
	w.group("", ".specloc", "specs")
	array(w, "s/data", "int8", []int{2}, []int{2}, []int8{1, 2})
	array[float64](w, "s/starting_time", "float64", []int{huge}, []int{1 << 20}, nil, "rate", 1)
	array[string](w, "specs/a/1/namespace", "string", []int{huge}, []int{1 << 20}, nil)
	array[int8](w, "none", "int8", []int{3, 0}, []int{1, 1}, nil)
	array[int8](w, "wide", "int8", []int{1}, []int{huge}, nil)
	array(w, "one", "int8", []int{1, 1}, []int{1, 1}, []int8{7})
	f := w.file()
	_, err := hdmf.OpenSeries(ctx, group(t, f, "/s"))
	if err == nil || !strings.Contains(err.Error(), "starting_time") || !strings.Contains(err.Error(), "not a single value") {
		t.Errorf("%v", err)
	}
	texts, err := f.SchemaTexts(ctx)
	check(t, err)
	if len(texts) != 1 || texts[0].Err == nil || !strings.Contains(texts[0].Err.Error(), "not a single value") {
		t.Errorf("%v", texts)
	}
	for at, says := range map[string]string{"/none": "[3 0]", "/wide": "chunk"} {
		if _, err := dataset(t, f, at).Single(ctx); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", at, err)
		}
	}
	v, err := dataset(t, f, "/one").Single(ctx)
	check(t, err)
	if n, err := v.Float(0); n != 7 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}

// spaces is the chunk of one text of n spaces, compressed by Zstandard, without that anybody
// has to have them in memory: the length, and blocks that repeat a byte.
func spaces(n int) []byte {
	frame := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(n+8))
	block := func(last, kind, size int, data ...byte) {
		h := last | kind<<1 | size<<3
		frame = append(append(frame, byte(h), byte(h>>8), byte(h>>16)), data...)
	}
	block(0, 0, 8, binary.LittleEndian.AppendUint32([]byte{1, 0, 0, 0}, uint32(n))...)
	for ; n > 128<<10; n -= 128 << 10 {
		block(0, 1, 128<<10, ' ')
	}
	block(1, 1, n, ' ')
	return frame
}

func TestTheTextOfASchemaIsBoundedBeforeItIsDecoded(t *testing.T) {
	w := newWriter(t)
	w.group("", ".specloc", "specs")
	array(w, "specs/a/1/long", "string", []int{1}, []int{1}, []string{"x"})
	_, err := w.g.Store().Put(ctx, "specs/a/1/long/c/0", spaces(65<<20), store.PutOptions{})
	check(t, err)
	array(w, "specs/a/1/short", "string", []int{1}, []int{1}, []string{"{}"})
	texts, err := w.file().SchemaTexts(ctx)
	check(t, err)
	if len(texts) != 2 || texts[0].Err == nil || texts[0].Text != "" || texts[1].Text != "{}" {
		t.Errorf("%d texts, the long one of %d bytes: %v", len(texts), len(texts[0].Text), texts[0].Err)
	}
}

// asking is a store that counts what it is asked for.
type asking struct {
	store.Store
	n atomic.Int64
}

func (a *asking) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	a.n.Add(1)
	return a.Store.Get(ctx, key, r, dst)
}

// TestManyDeepPathsThatAreNotThere resolves references that each have a thousand
// parts, of which none, or all but one, is there. A look at every part would be
// thousands of requests for each of them.
func TestManyDeepPathsThatAreNotThere(t *testing.T) {
	attrs := map[string]string{"": linkTo("l", ".", "/g"), "g": `{}`}
	at := ""
	for range 900 {
		at = strings.TrimPrefix(at+"/d", "/")
		attrs[at] = `{}`
	}
	attrs[at] = linkTo("l", ".", "/g")
	s := &asking{Store: groups(t, attrs).Zarr().Store()}
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	f := hdmf.Of(ctx, n.(*zarr.Group))
	each := thorough.Of[int64](30, 200)
	before := s.n.Load()
	for i := range each {
		for _, to := range []string{fmt.Sprintf("/x%d%s", i, strings.Repeat("/a", 1000)), fmt.Sprintf("/%s/x%d", at, i)} {
			if _, err := f.Resolve(ctx, hdmf.Reference{Source: ".", Path: to}); !errors.Is(err, zarr.ErrNoNode) {
				t.Fatalf("%v", err)
			}
		}
	}
	if asked := (s.n.Load() - before) / (2 * each); asked > 60 {
		t.Errorf("%d requests for a reference", asked)
	}
	for _, to := range []string{"/" + at + "/l", "/l/../" + at + "/l"} {
		if o := object(t, f, to); o.Path() != "/g" {
			t.Errorf("%s", o.Path())
		}
	}
}

// TestLinksAnywhereInAPath finds a link however many parts lie before and behind it.
func TestLinksAnywhereInAPath(t *testing.T) {
	for before := range 8 {
		for behind := range 8 {
			attrs := map[string]string{"": `{}`, "target": `{}`}
			holder := strings.TrimPrefix(strings.Repeat("/b", before), "/")
			for n := range before {
				attrs[strings.TrimPrefix(strings.Repeat("/b", n+1), "/")] = `{}`
			}
			for n := range behind {
				attrs["target"+strings.Repeat("/c", n+1)] = `{}`
			}
			attrs[holder] = linkTo("l", ".", "/target")
			f := groups(t, attrs)
			to := "/target" + strings.Repeat("/c", behind)
			if o := object(t, f, holder+"/l"+strings.Repeat("/c", behind)); o.Path() != to {
				t.Errorf("%d before, %d behind: %s", before, behind, o.Path())
			}
			_, err := f.Object(ctx, holder+"/l"+strings.Repeat("/c", behind)+"/none")
			if !errors.Is(err, zarr.ErrNoNode) || !strings.Contains(err.Error(), to+"/none") {
				t.Errorf("%d before, %d behind: %v", before, behind, err)
			}
		}
	}
}

func TestTheFirstOfTwoLinksCounts(t *testing.T) {
	f := groups(t, map[string]string{
		"":  `{"_LINKS":[{"name":"x","path":"/a"},{"name":"x","path":"/b"},{"name":"a","path":"/b"},{"name":"x","path":"/c"}]}`,
		"a": `{}`, "b": `{}`, "c": `{}`,
	})
	if o := object(t, f, "/x"); o.Path() != "/a" {
		t.Errorf("%s", o.Path())
	}
	if got := members(t, f.Root()); strings.Join(got, " ") != "a b c x" {
		t.Errorf("%v", got)
	}
	p := f.Root().Problems()
	if len(p) != 2 || !strings.Contains(p[0].Error(), "/b, which is passed over") || !strings.Contains(p[1].Error(), "/c, which is passed over") {
		t.Errorf("%v", p)
	}
	hidden, err := f.Root().Hidden(ctx)
	check(t, err)
	if len(hidden) != 1 || hidden[0].At() != "/a" || hidden[0].Path != "/b" {
		t.Errorf("%v", hidden)
	}
}

func TestNamesThatNoLinkCanHave(t *testing.T) {
	for name, says := range map[string]string{`"a/b"`: `"a/b"`, `".."`: `".."`, `"."`: `"."`, `"a\u0000b"`: "which nothing in a group can be", `""`: "empty name", `7`: "must be a string"} {
		f := groups(t, map[string]string{"": `{"_LINKS":[{"name":` + name + `,"path":"/g"}]}`, "g": `{}`})
		if p := f.Root().Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), says) {
			t.Errorf("%s: %v", name, p)
		}
		if got := members(t, f.Root()); len(got) != 1 || got[0] != "g" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestABadReferenceSaysWhy(t *testing.T) {
	const inner = `{"source":".","path":"/m","region":[{"start":3,"stop":1}]}`
	f := groups(t, map[string]string{"": `{"two":{"zarr_dtype":"region","value":` + inner + `},"three":{"_REFERENCE":` + inner + `},"list":[{"_REFERENCE":{"path":"/"}},{"_REFERENCE":` + inner + `}],"other":[{"_REFERENCE":{"path":"/"}},7]}`})
	for _, name := range []string{"two", "three", "list"} {
		a, ok := f.Root().Attribute(name)
		if !ok || a.References != nil || !errors.Is(a.Err, hdmf.ErrNoReference) || !strings.Contains(a.Err.Error(), "stops at 1 before it starts at 3") {
			t.Errorf("%s: %v, %v", name, a.References, a.Err)
		}
	}
	if a, _ := f.Root().Attribute("other"); a.References != nil || a.Err != nil {
		t.Errorf("%v, %v", a.References, a.Err)
	}
}

func TestAFolderOfFilesIsNoFile(t *testing.T) {
	is := func(attrs map[string]string) bool {
		is, err := hdmf.Is(ctx, groups(t, attrs).Zarr())
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	const root = `{"namespace":"core","neurodata_type":"NWBFile",".specloc":"specifications"}`
	if is(map[string]string{"": `{}`, "a.nwb.zarr": root, "b.nwb.zarr": root}) {
		t.Error("a folder of files is taken for one")
	}
	if !is(map[string]string{"": root}) || !is(map[string]string{"": `{}`, "a": `{"namespace":"core","neurodata_type":"TimeSeries"}`}) {
		t.Error("a file is not seen")
	}
}
