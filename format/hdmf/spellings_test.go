package hdmf_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

// spelled are the types of the text's table by their spellings, each with a value.
var spelled = []struct {
	name  string
	kind  hdmf.Kind
	value string
}{
	{"float", hdmf.Number, "1"}, {"float32", hdmf.Number, "1"}, {"double", hdmf.Number, "1"}, {"float64", hdmf.Number, "1"},
	{"long", hdmf.Number, "1"}, {"int64", hdmf.Number, "1"}, {"int", hdmf.Number, "1"}, {"int32", hdmf.Number, "1"}, {"int16", hdmf.Number, "1"}, {"int8", hdmf.Number, "1"},
	{"uint32", hdmf.Number, "1"}, {"uint16", hdmf.Number, "1"}, {"uint8", hdmf.Number, "1"}, {"bool", hdmf.Number, "true"}, {"complex64", hdmf.Number, "1"},
	{"text", hdmf.Text, `"x"`}, {"utf", hdmf.Text, `"x"`}, {"utf8", hdmf.Text, `"x"`}, {"utf-8", hdmf.Text, `"x"`}, {"ascii", hdmf.Text, `"x"`}, {"str", hdmf.Text, `"x"`}, {"str_", hdmf.Text, `"x"`}, {"bytes", hdmf.Text, `"x"`},
	{"isodatetime", hdmf.Text, `"2018-09-28T14:43:54.123+02:00"`},
	{"ref", hdmf.ObjectRef, `{"source":".","path":"/g"}`}, {"reference", hdmf.ObjectRef, `{"source":".","path":"/g"}`}, {"object", hdmf.ObjectRef, `{"source":".","path":"/g"}`},
	{"region", hdmf.RegionRef, `{"source":".","path":"/g","region":[]}`},
}

// objectArray adds an array of one JSON element to a file by hand.
func objectArray(values map[string]string, at, said, elem string) {
	values[at+"/.zarray"] = `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|O","fill_value":0,"order":"C","filters":[{"id":"json2"}],"compressor":null}`
	values[at+"/.zattrs"] = `{"zarr_dtype":` + said + `}`
	values[at+"/0"] = `[` + elem + `,"|O",[1]]`
}

func TestEverySpellingOfAType(t *testing.T) {
	values := map[string]string{".zgroup": `{"zarr_format":2}`, "g/.zgroup": `{"zarr_format":2}`}
	var said, elem, attrs []string
	for _, s := range spelled {
		name, err := json.Marshal(s.name)
		check(t, err)
		said = append(said, fmt.Sprintf(`{"name":%s,"dtype":%s}`, name, name))
		elem = append(elem, s.value)
		attrs = append(attrs, fmt.Sprintf(`%s:{"zarr_dtype":%s,"value":%s}`, name, name, s.value))
		if s.kind != hdmf.Number {
			objectArray(values, "d_"+s.name, string(name), s.value)
		}
	}
	objectArray(values, "all", "["+strings.Join(said, ",")+"]", "["+strings.Join(elem, ",")+"]")
	values[".zattrs"] = "{" + strings.Join(attrs, ",") + "}"
	f := byHand(t, values)
	all, err := dataset(t, f, "/all").Read(ctx, zarr.All())
	check(t, err)
	see := func(where string, v *hdmf.Values, kind hdmf.Kind) {
		if v.Kind != kind {
			t.Errorf("%s is of kind %d, want %d", where, v.Kind, kind)
			return
		}
		switch kind {
		case hdmf.Number:
			if n, err := v.Float(0); n != 1 {
				t.Errorf("%s: %v, %v", where, n, err)
			}
		case hdmf.Text:
			if v.Text(0) == "" {
				t.Errorf("%s: no text", where)
			}
		default:
			if r, err := v.Reference(0); r.Path != "/g" {
				t.Errorf("%s: %v, %v", where, r, err)
			}
		}
	}
	for _, s := range spelled {
		field, err := all.Field(s.name)
		check(t, err)
		see("field "+s.name, field, s.kind)
		if s.kind != hdmf.Number {
			v, err := dataset(t, f, "/d_"+s.name).Read(ctx, zarr.All())
			check(t, err)
			see("dataset "+s.name, v, s.kind)
		}
		a, _ := f.Root().Attribute(s.name)
		if refers := s.kind == hdmf.ObjectRef || s.kind == hdmf.RegionRef; (len(a.References) == 1) != refers || a.Err != nil {
			t.Errorf("attribute %s: %v, %v", s.name, a.References, a.Err)
		}
	}
}
