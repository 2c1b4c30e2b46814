package hdmf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// byHand makes a file of texts.
func byHand(t testing.TB, values map[string]string) *hdmf.File {
	t.Helper()
	s := mem.New()
	for key, text := range values {
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		check(t, err)
	}
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	g, ok := n.(*zarr.Group)
	if !ok {
		t.Fatal("the root is no group")
	}
	return hdmf.Of(ctx, g)
}

// regions are those of a dataset of 4 by 5 that counts up, and what they select.
var regions = []struct {
	json string
	want []int64
	at   string
}{
	{`[{"start":1,"stop":3},{"start":0,"stop":2}]`, []int64{5, 6, 10, 11}, "[1:3, 0:2]"},
	{`[{"start":0,"stop":4,"step":3},{"indices":[4,0]}]`, []int64{4, 0, 19, 15}, "[0:4:3, [4,0]]"},
	{`[{"indices":[3]}]`, []int64{15, 16, 17, 18, 19}, "[[3]]"},
	{`[]`, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, "[]"},
	{`{"points":[[3,4],[0,0],[3,4]]}`, []int64{19, 0, 19}, "[3 points]"},
	{`[{"start":2,"stop":2}]`, []int64{}, "[2:2]"},
}

// regionFile has the regions as attributes and as a dataset in a layout.
func regionFile(t testing.TB, layout hdmf.Layout, regions []string) *hdmf.File {
	t.Helper()
	numbers := make([]byte, 20)
	for i := range numbers {
		numbers[i] = byte(i)
	}
	var refs, texts, attrs []string
	for i, r := range regions {
		ref := `{"source":".","path":"/x","region":` + r + `}`
		refs = append(refs, ref)
		text, err := json.Marshal(ref)
		check(t, err)
		texts = append(texts, string(text))
		form := `"r%d":{"_REFERENCE":%s}`
		if layout == hdmf.V2 {
			form = `"r%d":{"zarr_dtype":"region","value":%s}`
		}
		attrs = append(attrs, fmt.Sprintf(form, i, ref))
	}
	n := len(regions)
	if layout == hdmf.V2 {
		return byHand(t, map[string]string{
			".zgroup":       `{"zarr_format":2}`,
			".zattrs":       `{` + strings.Join(attrs, ",") + `}`,
			"x/.zarray":     `{"zarr_format":2,"shape":[4,5],"chunks":[4,5],"dtype":"|u1","compressor":null,"filters":null,"fill_value":0,"order":"C"}`,
			"x/0.0":         string(numbers),
			"parts/.zarray": fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%d],"dtype":"|O","compressor":null,"filters":[{"id":"json2"}],"fill_value":0,"order":"C"}`, n, n),
			"parts/.zattrs": `{"zarr_dtype":"region"}`,
			"parts/0":       fmt.Sprintf(`[%s,"|O",[%d]]`, strings.Join(refs, ","), n),
		})
	}
	w := newWriter(t)
	array(w, "x", "uint8", []int{4, 5}, []int{2, 5}, numbers)
	elements := make([]string, n)
	for i, text := range texts {
		check(t, json.Unmarshal([]byte(text), &elements[i]))
	}
	array(w, "parts", "string", []int{n}, []int{n}, elements, "_DTYPE", "region_reference")
	check(t, w.g.SetAttributes(ctx, w.attrs()))
	a := w.attrs()
	for i, r := range refs {
		check(t, a.Set(fmt.Sprint("r", i), json.RawMessage(`{"_REFERENCE":`+r+`}`)))
	}
	check(t, w.g.SetAttributes(ctx, a))
	return w.file()
}

func TestRegionsSelectPartsOfDatasets(t *testing.T) {
	var list []string
	for _, r := range regions {
		list = append(list, r.json)
	}
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		f := regionFile(t, layout, list)
		if f.Layout() != layout {
			t.Fatalf("%s, want %s", f.Layout(), layout)
		}
		d := dataset(t, f, "/parts")
		if d.DType().Kind != hdmf.RegionRef {
			t.Fatalf("%s: %+v", layout, d.DType())
		}
		elements, err := d.Read(ctx, zarr.All())
		check(t, err)
		for i, w := range regions {
			a, ok := f.Root().Attribute(fmt.Sprint("r", i))
			if !ok || len(a.References) != 1 {
				t.Fatalf("%s: attribute %d is %+v", layout, i, a)
			}
			r, err := elements.Reference(i)
			check(t, err)
			for _, r := range []hdmf.Reference{r, a.References[0]} {
				if r.Region == nil || r.String() != "/x"+w.at {
					t.Errorf("%s: %s, want %s", layout, r, w.at)
				}
				v, err := f.Select(ctx, r)
				check(t, err)
				got, err := v.Ints()
				check(t, err)
				if !slices.Equal(got, w.want) {
					t.Errorf("%s: %s gives %v, want %v", layout, r, got, w.want)
				}
				again, err := json.Marshal(r.Region)
				if err != nil || string(again) != w.json {
					t.Errorf("%s: written as %s, want %s (%v)", layout, again, w.json, err)
				}
			}
		}
		if _, err := f.Select(ctx, hdmf.Reference{Source: ".", Path: "/", Region: &hdmf.Region{}}); err == nil {
			t.Errorf("%s: a region of a group was read", layout)
		}
	}
}

func TestRegionsOutOfBounds(t *testing.T) {
	bad := []string{
		`[{"start":0,"stop":5}]`,
		`[{"start":0,"stop":1},{"indices":[5]}]`,
		`[{"start":0,"stop":1},{"start":0,"stop":1},{"start":0,"stop":1}]`,
		`{"points":[[0,0],[4,0]]}`,
		`{"points":[[0]]}`,
	}
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		f := regionFile(t, layout, bad)
		elements, err := dataset(t, f, "/parts").Read(ctx, zarr.All())
		check(t, err)
		for i, text := range bad {
			r, err := elements.Reference(i)
			check(t, err)
			if _, err := f.Select(ctx, r); !errors.Is(err, hdmf.ErrRegion) || !strings.Contains(err.Error(), "[4 5]") {
				t.Errorf("%s: %s: %v", layout, text, err)
			}
		}
	}
}

func TestRegionsThatAreNone(t *testing.T) {
	for _, text := range []string{
		`7`, `"all"`, `{}`, `{"points":[[0,0]],"more":1}`, `{"points":[[0,0],[1]]}`, `{"points":[[-1,0]]}`, `{"points":7}`,
		`[7]`, `[{"start":0}]`, `[{"stop":1}]`, `[{"start":2,"stop":1}]`, `[{"start":-1,"stop":1}]`, `[{"start":0,"stop":1,"step":0}]`,
		`[{"start":0,"stop":1,"more":1}]`, `[{"start":0,"stop":1,"step":1,"more":1}]`, `[{"indices":[0],"start":0}]`, `[{"indices":["x"]}]`, `[{"start":1e400,"stop":1}]`,
		`[` + strings.Repeat(`{"start":0,"stop":1},`, 64) + `{"start":0,"stop":1}]`,
	} {
		if r, err := hdmf.ParseReference([]byte(`{"source":".","path":"/x","region":` + text + `}`)); err == nil {
			t.Errorf("%s was taken for the region %s", text, r)
		}
	}
}

func FuzzReference(f *testing.F) {
	for _, r := range regions {
		f.Add(`{"source":".","path":"/x","region":` + r.json + `}`)
	}
	f.Add(`/x`)
	f.Add(`{"source":"../a","path":"/x","object_id":null}`)
	fuzzlong.Fuzz(f, func(t *testing.T, text string) {
		r, err := hdmf.ParseText(text)
		if err != nil {
			return
		}
		if r.Path == "" || r.Source == "" {
			t.Errorf("%q gives %+v", text, r)
		}
		if r.Region == nil {
			return
		}
		raw, err := json.Marshal(r.Region)
		check(t, err)
		again, err := hdmf.ParseReference([]byte(`{"path":"/x","region":` + string(raw) + `}`))
		if err != nil || again.Region.String() != r.Region.String() {
			t.Errorf("%s became %s: %v", r.Region, raw, err)
		}
		if sel, err := r.Region.Selection([]int{4, 5}); err == nil && sel == nil {
			t.Errorf("%s selects nothing at all", r.Region)
		}
	})
}
