package write_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// v2 is a file of the layout V2 with one list, whose only chunk is raw bytes.
func v2(t testing.TB, dtype, fill, said, chunk string, n int) *mem.Store {
	t.Helper()
	s := mem.New()
	putText(t, s, ".zgroup", `{"zarr_format":2}`)
	putText(t, s, ".zattrs", `{"namespace":"core","neurodata_type":"NWBFile","object_id":"x"}`)
	putText(t, s, "d/.zattrs", `{"zarr_dtype":`+said+`}`)
	putText(t, s, "d/.zarray", fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[2],"dtype":%s,"compressor":null,"fill_value":%s,"order":"C","filters":null}`, n, dtype, fill))
	if chunk != "" {
		putText(t, s, "d/0", chunk)
	}
	return s
}

func putText(t testing.TB, s store.Store, key, text string) {
	t.Helper()
	_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
	check(t, err)
}

// afterCopy copies a file and gives its dataset d.
func afterCopy(t testing.TB, s store.Store, o write.Options) (*hdmf.Dataset, *mem.Store) {
	t.Helper()
	out := mem.New()
	check(t, copyFile(ctx, "test://", in(t, s), to(out, o)))
	found, err := in(t, out).Object(ctx, "/d")
	check(t, err)
	return found.(*hdmf.Dataset), out
}

func blobs(t testing.TB, d *hdmf.Dataset) (out []string) {
	t.Helper()
	v, err := d.Read(ctx, zarr.All())
	check(t, err)
	for i := range v.Len() {
		out = append(out, v.Text(i))
	}
	return out
}

// tight is what the layout says of the type, without spaces.
func tight(d *hdmf.Dataset) string { return strings.Join(strings.Fields(string(d.Stored())), "") }

// utf32 is text as NumPy lays it down in n code points.
func utf32(text string, n int) string {
	var b []byte
	for _, c := range text {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	return string(b) + strings.Repeat("\x00", 4*n-len(b))
}

func TestWhatFillsTheRoomOfFixedLengthsIsNoValue(t *testing.T) {
	for name, c := range map[string]struct {
		s    *mem.Store
		want []string
	}{
		"bytes":          {v2(t, `"|S4"`, `""`, `"bytes"`, "ab\x00\x00\x00\x00\x00\x00", 2), []string{"ab", ""}},
		"no text":        {v2(t, `"|S4"`, `""`, `"bytes"`, "\xff\x00x\x00abcd", 2), []string{"\xff\x00x", "abcd"}},
		"scalar":         {v2(t, `"|S4"`, `""`, `"scalar"`, "ab\x00\x00\x00\x00\x00\x00", 1), []string{"ab"}},
		"fill value":     {v2(t, `"|S3"`, `"cXE="`, `"bytes"`, "x\x00\x00qq\x00", 4), []string{"x", "qq", "qq", "qq"}},
		"text":           {v2(t, `"<U4"`, `""`, `"str"`, utf32("x\x00y", 4)+utf32("", 4), 2), []string{"x\x00y", ""}},
		"raw bytes":      {v2(t, `"|V3"`, `null`, `"bytes"`, "abca\x00\x00", 2), []string{"abc", "a\x00\x00"}},
		"raw bytes only": {v2(t, `"|V3"`, `null`, `"scalar"`, "abca\x00\x00", 1), []string{"abc"}},
	} {
		stored, err := in(t, c.s).Object(ctx, "/d")
		check(t, err)
		if got := blobs(t, stored.(*hdmf.Dataset)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s: read %q, want %q", name, got, c.want)
		}
		for _, o := range layouts[:3] {
			d, out := afterCopy(t, c.s, o)
			if got := blobs(t, d); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("%s to %v: got %q, want %q", name, o.Layout, got, c.want)
			}
			if isRaw := strings.HasPrefix(name, "raw"); isRaw && d.DType().Kind != hdmf.Bytes {
				t.Errorf("%s to %v: kind %v", name, o.Layout, d.DType().Kind)
			}
			back, _ := afterCopy(t, out, write.Options{Layout: hdmf.V2})
			if got := blobs(t, back); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("%s to %v and back: got %q, want %q", name, o.Layout, got, c.want)
			}
		}
	}
}

func TestTextOfCompoundsKeepsZerosInIt(t *testing.T) {
	row := func(n byte, text string) string { return string([]byte{n, 0, 0, 0}) + utf32(text, 4) }
	s := v2(t, `[["a","<i4"],["s","<U4"]]`, `null`, `[{"name":"a","dtype":"int32"},{"name":"s","dtype":"str_"}]`, row(1, "x\x00y")+row(2, "z"), 2)
	for _, o := range layouts[:3] {
		d, _ := afterCopy(t, s, o)
		v, err := d.Read(ctx, zarr.All())
		check(t, err)
		text, err := v.Field("s")
		check(t, err)
		if a, b := text.Text(0), text.Text(1); a != "x\x00y" || b != "z" {
			t.Errorf("%v: %q, %q", o.Layout, a, b)
		}
	}
	// A zero at the end would be lost in a fixed length.
	c := write.Compounds(write.Field{Name: "n", Data: write.Numbers([]int8{1})}, write.Field{Name: "s", Data: write.Text([]string{"z\x00"})})
	for _, o := range layouts[:3] {
		err := write.Create(ctx, "test://", &write.Group{Datasets: map[string]*write.Dataset{"c": {Data: c}}}, to(mem.New(), o))
		if refused := err != nil && strings.Contains(err.Error(), "ends with a zero"); refused != (o.Layout == hdmf.V3) {
			t.Errorf("%v: got %v", o.Layout, err)
		}
	}
}

// mixed is a compound with text and types that a codec for objects does not know.
func mixed(t testing.TB) *mem.Store {
	t.Helper()
	s := mem.New()
	root, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	attrs := root.Attributes()
	check(t, attrs.Set("object_id", "x"))
	check(t, root.SetAttributes(ctx, attrs))
	a, err := root.CreateArray(ctx, "d", zarr.ArraySpec{Shape: []int{3}, Chunks: []int{2}, DataType: `{"name":"struct","configuration":{"fields":[
		{"name":"s","data_type":{"name":"null_terminated_bytes","configuration":{"length_bytes":4}}},
		{"name":"t","data_type":{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}},
		{"name":"m","data_type":{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}},
		{"name":"c","data_type":"complex128"}]}}`, Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}}]`)})
	check(t, err)
	row := func(s, text string, m int64, c byte) string {
		when := binary.LittleEndian.AppendUint64(nil, uint64(m))
		return s + strings.Repeat("\x00", 4-len(s)) + utf32(text, 2) + string(when) + strings.Repeat("\x00", 6) + string([]byte{c, 0x3f}) + strings.Repeat("\x00", 8)
	}
	putText(t, s, a.Path()+"/c/0", row("ab", "q", 1577836800000000000, 0xf0)+row("", "zz", -1<<63, 0))
	return s
}

func TestCompoundsWithTextAndOtherTypes(t *testing.T) {
	s := mixed(t)
	want := ""
	for _, o := range layouts[:3] {
		d, out := afterCopy(t, s, o)
		back, _ := afterCopy(t, out, write.Options{Layout: hdmf.V3})
		v, err := back.Read(ctx, zarr.All())
		check(t, err)
		got := ""
		for _, name := range []string{"s", "t"} {
			f, err := v.Field(name)
			check(t, err)
			got += fmt.Sprint(f.Text(0), ",", f.Text(1), ",", f.Text(2), " ")
		}
		for _, name := range []string{"m", "c"} {
			f, err := v.Field(name)
			check(t, err)
			for i := range 3 {
				raw, err := f.JSON(i)
				check(t, err)
				got += string(raw)
			}
		}
		if want == "" {
			want = got
		}
		if !strings.Contains(got, `1577836800000000000"NaT"0[1`) || got != want {
			t.Errorf("%v pickle %v: %s, want %s", o.Layout, o.Pickle, got, want)
		}
		if said := tight(d); o.Layout == hdmf.V2 && said != `[{"dtype":"bytes","name":"s"},{"dtype":"str_","name":"t"},{"dtype":"datetime64[ns]","name":"m"},{"dtype":"complex128","name":"c"}]` {
			t.Errorf("%v: %s", o.Layout, said)
		}
	}
}

func TestObjectsThatAreNumbersOnlyBecomeAPlainStruct(t *testing.T) {
	s := v2(t, `"|O"`, `0`, `[{"name":"a","dtype":"int32"},{"name":"b","dtype":"float64"}]`, "", 2)
	putText(t, s, "d/.zarray", `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","compressor":null,"fill_value":0,"order":"C","filters":[{"id":"json2"}]}`)
	putText(t, s, "d/0", `[[1,2.5],[2,-3.5],"|O",[2]]`)
	d, _ := afterCopy(t, s, write.Options{Layout: hdmf.V3})
	if got := fmt.Sprint(d.Array().DataType()); !strings.Contains(got, `"int32"`) || !strings.Contains(got, `"float64"`) || len(d.Array().DataType().Refs()) > 0 {
		t.Errorf("type %s", got)
	}
	v, err := d.Read(ctx, zarr.All())
	check(t, err)
	b, err := v.Field("b")
	check(t, err)
	if f, err := b.Floats(); err != nil || fmt.Sprint(f) != "[2.5 -3.5]" {
		t.Errorf("%v, %v", f, err)
	}
}

func TestTypesAreNamedAsNumPyDoes(t *testing.T) {
	for dtype, want := range map[string]string{`"<M8[ns]"`: "datetime64[ns]", `"<m8[10us]"`: "timedelta64[10us]", `"|V8"`: "bytes", `"<f8"`: "float64", `"<c8"`: "complex64"} {
		for _, o := range layouts[1:3] {
			d, _ := afterCopy(t, v2(t, dtype, "null", `"any"`, "", 2), o)
			if got := string(d.Stored()); got != `"`+want+`"` {
				t.Errorf("%s to %v: %s, want %s", dtype, o.Layout, got, want)
			}
		}
	}
	sub := v2(t, `[["a","<i4"],["s","<i2",[2]]]`, `null`, `[{"name":"a","dtype":"int32"},{"name":"s","dtype":"int16"}]`, "", 2)
	d, _ := afterCopy(t, sub, write.Options{Layout: hdmf.V2})
	if got := tight(d); !strings.Contains(got, `{"dtype":"int16","name":"s"}`) {
		t.Error(got)
	}
	err := copyFile(ctx, "test://", in(t, sub), to(mem.New(), write.Options{Layout: hdmf.V3}))
	if err == nil || !strings.Contains(err.Error(), `field "s"`) || !strings.Contains(err.Error(), "zarr-python") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyTheDefaultCompressorGivesWay(t *testing.T) {
	for zstd, want := range map[string]bool{`{"level":0,"checksum":false}`: false, `{"level":0,"checksum":true}`: true, `{"level":3,"checksum":false}`: true} {
		s := mem.New()
		root, err := zarr.CreateGroupIn(ctx, s, "")
		check(t, err)
		_, err = root.CreateArray(ctx, "d", zarr.ArraySpec{Shape: []int{2}, DataType: "int8", Codecs: json.RawMessage(`["bytes",{"name":"zstd","configuration":` + zstd + `}]`)})
		check(t, err)
		_, out := afterCopy(t, s, write.Options{Layout: hdmf.V2})
		text, _, err := out.Get(ctx, "d/.zarray", store.All(), nil)
		check(t, err)
		if got := strings.Contains(string(text), "zstd"); got != want {
			t.Errorf("%s: %s", zstd, text)
		}
	}
}

func TestElementsThatReferToNothingStaySuch(t *testing.T) {
	s := mem.New()
	check(t, write.Create(ctx, "test://", &write.Group{Object: typed("Root"), Datasets: map[string]*write.Dataset{"d": {Data: write.Text([]string{"", "/d"})}}}, to(s, write.Options{Plain: true})))
	text, _, err := s.Get(ctx, "d/zarr.json", store.All(), nil)
	check(t, err)
	putText(t, s, "d/zarr.json", strings.Replace(string(text), `"str"`, `"object_reference"`, 1))
	for _, o := range layouts {
		_, out := afterCopy(t, s, o)
		d, _ := afterCopy(t, out, write.Options{Layout: hdmf.V3})
		if got := blobs(t, d); d.DType().Kind != hdmf.ObjectRef || fmt.Sprintf("%q", got) != `["" "/d"]` {
			t.Errorf("%v: %v %q", o.Layout, d.DType().Kind, got)
		}
	}
}
