package write_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper() // which looks at the stack, and takes longer than most of what is checked
		t.Fatal(err)
	}
}

func open(t testing.TB, url string, opts ...hdmf.Option) *hdmf.File {
	t.Helper()
	f, err := hdmf.Open(ctx, url, opts...)
	check(t, err)
	t.Cleanup(func() { check(t, f.Close()) })
	return f
}

// memory puts a fixture into a store in memory.
func memory(t testing.TB, name string) *mem.Store {
	t.Helper()
	s := mem.New()
	for key, data := range nwbtest.Files(t, name+".zarr") {
		_, err := s.Put(ctx, key, data, store.PutOptions{})
		check(t, err)
	}
	return s
}

func in(t testing.TB, s store.Store, opts ...zarr.Option) *hdmf.File {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, "", opts...)
	check(t, err)
	return hdmf.Of(ctx, n.(*zarr.Group))
}

// dump is all that a file says, by path: what is the same in both layouts.
func dump(t testing.TB, f *hdmf.File) map[string]any {
	t.Helper()
	out := map[string]any{"/": dumpObject(t, f, f.Root())}
	for m, err := range f.Root().Walk(ctx) {
		check(t, err)
		if m.Link != nil {
			out[m.Link.At()] = "link to " + where(f, m.Link.Reference)
			continue
		}
		out[m.Object.Path()] = dumpObject(t, f, m.Object)
	}
	texts, err := f.SchemaTexts(ctx)
	check(t, err)
	for _, s := range texts {
		check(t, s.Err)
		out["schema "+s.Namespace+" "+s.Version+" "+s.Source] = s.Text
	}
	return out
}

// where names what a reference leads to: the file by its last part, since copies
// lie elsewhere.
func where(f *hdmf.File, r hdmf.Reference) string {
	s := r.Path
	if !strings.HasPrefix(s, "/") {
		s = "/" + s
	}
	if r.Region != nil {
		s += r.Region.String()
	}
	o, err := f.Resolve(ctx, hdmf.Reference{Source: r.Source, Path: "/"})
	switch {
	case err != nil:
		return filepath.Base(r.Source) + ":" + s + " (no file)"
	case o.File() != f:
		s = filepath.Base(o.File().URL()) + ":" + s
	}
	if _, err := f.Resolve(ctx, r); err != nil {
		return s + " (dangling)"
	}
	return s
}

func dumpObject(t testing.TB, f *hdmf.File, o hdmf.Object) map[string]any {
	t.Helper()
	attrs := map[string]any{}
	for _, a := range o.Attributes() {
		var v any
		if a.References != nil {
			var list []string
			for _, r := range a.References {
				list = append(list, where(f, r))
			}
			v = fmt.Sprint(list, a.List)
		} else {
			check(t, strictjson.Decode(a.Raw, &v))
			v = fmt.Sprint(v) // NaN is not equal to itself
		}
		attrs[a.Name] = v
	}
	out := map[string]any{"type": o.Type(), "id": o.ID(), "attributes": attrs}
	if d, ok := o.(*hdmf.Dataset); ok {
		out["shape"], out["scalar"] = fmt.Sprint(d.Shape()), d.Scalar()
		v, err := d.Read(ctx, zarr.All())
		check(t, err)
		out["values"] = dumpValues(t, f, v)
	}
	return out
}

func dumpValues(t testing.TB, f *hdmf.File, v *hdmf.Values) any {
	t.Helper()
	var out []string
	switch v.Kind {
	case hdmf.Compound:
		fields := map[string]any{}
		for _, field := range v.Fields {
			part, err := v.Field(field.Name)
			check(t, err)
			fields[field.Name] = dumpValues(t, f, part)
		}
		return fields
	case hdmf.ObjectRef, hdmf.RegionRef:
		for i := range v.Len() {
			r, err := v.Reference(i)
			if errors.Is(err, hdmf.ErrNoReference) {
				out = append(out, "none")
				continue
			}
			check(t, err)
			out = append(out, where(f, r))
		}
	case hdmf.Text, hdmf.Bytes:
		for i := range v.Len() {
			out = append(out, string(v.Blob(i)))
		}
	default:
		out = append(out, v.Name)
		for i := range v.Len() {
			raw, err := v.JSON(i)
			check(t, err)
			out = append(out, string(raw))
		}
	}
	return out
}

// same compares two dumps.
func same(t testing.TB, got, want map[string]any) {
	t.Helper()
	for _, at := range slices.Sorted(maps.Keys(want)) {
		switch {
		case got[at] == nil:
			t.Errorf("%s is missing", at)
		case !reflect.DeepEqual(got[at], want[at]):
			t.Errorf("%s is\n%v, want\n%v", at, clip(got[at]), clip(want[at]))
		}
	}
	for at := range got {
		if want[at] == nil {
			t.Errorf("%s is new", at)
		}
	}
}

func clip(v any) string {
	text, _ := json.Marshal(v)
	return string(bytes.ToValidUTF8(text[:min(len(text), 600)], nil))
}

// copyFile copies a file.
func copyFile(ctx context.Context, dst string, src *hdmf.File, opts write.Options) error {
	_, err := write.Copy(ctx, dst, src, opts)
	return err
}
