package hdf5_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
)

// badCase is a broken file, and what may come of it.
type badCase struct {
	ID, File, Expect, Stage, Part, Path string
	Mention                             []string `json:"must_mention"`
	MaxAlloc                            int64    `json:"max_alloc_mb"`
	Values                              []int64
}

// use does with an object all that can be done with it.
func use(f *hdf5.File, o *hdf5.Object, values *[]int64) error {
	if _, err := o.Attributes(); err != nil {
		return err
	}
	attributes, _ := o.Attributes()
	for _, a := range attributes {
		if _, err := a.Value(); err != nil {
			return err
		}
	}
	switch o.Kind {
	case hdf5.KindGroup:
		_, err := o.Links()
		return err
	case hdf5.KindDatatype:
		_, err := o.Datatype()
		return err
	}
	d, err := o.Dataset()
	if err != nil {
		return err
	}
	var raw []byte
	n, ok := d.Space.Len()
	if size := uint64(d.Type.Size); ok && size < 1<<20 && n > 1<<26/size { // one element is enough
		start, count := make([]uint64, len(d.Space.Shape)), make([]uint64, len(d.Space.Shape))
		for i := range count {
			count[i] = 1
		}
		start[len(start)-1] = min(5, d.Space.Shape[len(start)-1]-1)
		raw = make([]byte, size)
		err = d.Read(raw, start, count)
	} else {
		raw, err = d.ReadAll()
	}
	if err != nil {
		return err
	}
	for i := 0; i+d.Type.Size <= len(raw); i += d.Type.Size {
		v, err := f.Decode(d.Type, raw[i:i+d.Type.Size])
		if err != nil {
			return err
		}
		if r, ok := v.(hdf5.Ref); ok && r.Address != 0 {
			if _, err := f.Object(r.Address); err != nil {
				return fmt.Errorf("reference: %w", err)
			}
		}
		switch v := v.(type) {
		case int64:
			*values = append(*values, v)
		case uint64:
			*values = append(*values, int64(v))
		}
	}
	return nil
}

// tried is what came of a file.
type tried struct {
	err    error // of the path, or the first of all
	others []error
	values []int64
}

// try reads all of a broken file, and tells errors of one path from others.
func try(files map[string][]byte, c badCase) (out tried) {
	f, err := open(files, c.File)
	if err != nil {
		out.err = err
		return out
	}
	defer f.Close()
	note := func(path string, err error) {
		switch {
		case err == nil:
		case (path == c.Path || c.Path == "") && out.err == nil:
			out.err = err
		default:
			out.others = append(out.others, fmt.Errorf("%s: %w", path, err))
		}
	}
	root := f.Root()
	var none []int64
	note("/", use(f, root, &none))
	_ = root.Walk(func(path string, l hdf5.Link, x *hdf5.Object, err error) error {
		if path == "" {
			return nil // of the root, which was used
		}
		if err == nil && x == nil {
			x, err = root.Follow(l)
		}
		if err == nil {
			var values []int64
			err = use(f, x, &values)
			if path == c.Path {
				out.values = values
			}
		}
		note(path, err)
		return nil
	})
	if c.Path != "" && out.err == nil {
		x, err := f.Lookup(c.Path)
		if err == nil {
			err = use(f, x, &none)
		}
		note(c.Path, err)
	}
	return out
}

var address = regexp.MustCompile(`at address \d+`)

// alike reports whether an error of another node is that of the broken part,
// which other links lead to, or one that the file has anyway.
func alike(err, broken error) bool {
	s := err.Error()
	if strings.Contains(s, "other.h5: file does not exist") || strings.Contains(s, "filter 32000") {
		return true
	}
	return broken != nil && (strings.HasSuffix(s, broken.Error()) || address.FindString(s) == address.FindString(broken.Error()))
}

func TestBrokenFiles(t *testing.T) {
	files := archive(t, "bad.tar.zst")
	var doc struct{ Cases []badCase }
	check(t, json.Unmarshal(files["bad.json"], &doc))
	if len(doc.Cases) != 221 {
		t.Errorf("%d cases", len(doc.Cases))
	}
	for _, c := range doc.Cases {
		var got tried
		if used := alloctest.Bytes(func() { got = try(files, c) }) >> 20; used > c.MaxAlloc && !race.Enabled {
			t.Errorf("%s: %d MB were allocated", c.ID, used)
		}
		switch {
		case got.err == nil && c.Expect == "error":
			t.Errorf("%s: no error (others: %v)", c.ID, got.others)
		case got.err != nil && c.Expect == "read":
			t.Errorf("%s: %v", c.ID, got.err)
		}
		if got.err == nil && c.Values != nil && fmt.Sprint(got.values) != fmt.Sprint(c.Values) {
			t.Errorf("%s: %v, not %v", c.ID, got.values, c.Values)
		}
		for _, m := range c.Mention {
			if got.err != nil && !strings.HasSuffix(m, "-") && !regexp.MustCompile("(?i)"+m).MatchString(got.err.Error()) {
				t.Errorf("%s: %v does not mention %s", c.ID, got.err, m)
			}
		}
		for _, err := range got.others {
			if c.Path != "" && !alike(err, got.err) {
				t.Errorf("%s: %v, and elsewhere: %v", c.ID, got.err, err)
			}
		}
		t.Logf("%s: %v", c.ID, got.err)
	}
}
