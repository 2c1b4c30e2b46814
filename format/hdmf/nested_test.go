package hdmf_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
)

func TestReferencesInsideOfAttributes(t *testing.T) {
	const (
		three  = `{"_REFERENCE":{"source":".","path":"/a"}}`
		two    = `{"zarr_dtype":"object","value":{"source":"x.zarr","path":"/b","object_id":null}}`
		region = `{"value":{"source":".","path":"/c","region":[{"start":1,"stop":2}]},"zarr_dtype":"region"}`
		broken = `{"_REFERENCE":{"source":"."}}`
		odd    = `{"\u005fREFERENCE":"/e"}`
	)
	deep := strings.Repeat(`{"x":[`, 16) + three + strings.Repeat(`]}`, 16)
	for raw, want := range map[string]string{
		`{"a":[1,` + three + `,"t"],"b c":` + two + `}`: `[.a[1]=/a ."b c"=x.zarr:/b] {"a":[1,<>,"t"],"b c":<>}`,
		`[` + region + `,NaN]`:                          `[[0]=/c[1:2]] [<>,NaN]`,
		`[[` + three + `],[` + three + `]]`:             `[[0][0]=/a [1][0]=/a] [[<>],[<>]]`,
		`{"v":` + broken + `,"w":` + odd + `}`:          `[.v! .w=/e] {"v":` + broken + `,"w":<>}`,
		`[` + broken + `,` + three + `]`:                `[] [` + broken + `,<>]`, // a list of references, of which one is none
		`{"zarr_dtype":"int64","value":[3]}`:            `[] {"zarr_dtype":"int64","value":[3]}`,
		`{"_REFERENCES":[]}`:                            `[] {"_REFERENCES":[]}`,
		`"_REFERENCE"`:                                  `[] "_REFERENCE"`,
		deep:                                            `[` + strings.Repeat(`.x[0]`, 16) + `=/a] ` + strings.Replace(deep, three, "<>", 1),
		`[` + deep + `,1]`:                              `[] [` + deep + `,1]`, // too deep
	} {
		a := hdmf.ParseAttribute("x", json.RawMessage(raw))
		found := []string{}
		for _, n := range a.Nested {
			if n.Err != nil {
				found = append(found, n.At+"!")
			} else {
				found = append(found, n.At+"="+n.Reference.String())
			}
		}
		anew, err := a.Rewrite(func(dst []byte, _ hdmf.Reference) ([]byte, error) { return append(dst, "<>"...), nil })
		check(t, err)
		if got := fmt.Sprint(found, " ", string(anew)); got != want {
			t.Errorf("%s:\n%s, want\n%s", raw, got, want)
		}
	}
}

func TestMentionsInsideOfAttributes(t *testing.T) {
	w := newWriter(t)
	ref := func(path string) map[string]any {
		return map[string]any{"_REFERENCE": map[string]any{"source": ".", "path": path}}
	}
	w.group("", "namespace", "a", "data_type", "b", "map", map[string]any{"list": []any{1, ref("/g"), ref("/none")}, "bad": map[string]any{"_REFERENCE": 7}})
	w.group("g")
	var got []string
	for m, err := range hdmf.References(ctx, w.file().Root(), true) {
		check(t, err)
		_, lost := m.Target(ctx)
		got = append(got, fmt.Sprint(m.Kind(), " ", m.Path(), " ", m.Attribute, m.Inside, " ", m.To, " ", lost == nil))
	}
	want := []string{"object / map.bad  false", "object / map.list[1] /g true", "object / map.list[2] /none false"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q, want %q", got, want)
	}
}
