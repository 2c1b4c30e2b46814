package jobs_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/format/std"
	zarr2jobs "github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// container is an N5 container with numbers, text and a group that is a folder
// only. Blocks at the edge are cut, or whole.
func container(t testing.TB, whole bool) store.Store {
	t.Helper()
	g, _ := jobtest.Sample(t)
	s := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, s, "", copying.Options{To: jobs.Copy{PadEdges: whole}.Format()})))
	jobtest.Check(t, s.Delete(ctx, "deep/attributes.json"))
	return s
}

// nodes opens all nodes of a store by path, in a format.
func nodes(t testing.TB, s store.Store, opt zarr.Option) map[string]zarr.Node {
	t.Helper()
	root := open[*zarr.Group](t, s, "", opt)
	out := map[string]zarr.Node{"": root}
	for n, err := range root.Walk(ctx) {
		jobtest.Check(t, err)
		out[n.Path()] = n
	}
	return out
}

// splitDocuments gives the keys of a store that Adopt writes, and all others.
func splitDocuments(all map[string]string) (zarrs, others map[string]string) {
	zarrs, others = map[string]string{}, map[string]string{}
	for key, value := range all {
		if key == "zarr.json" || strings.HasSuffix(key, "/zarr.json") {
			zarrs[key] = value
		} else {
			others[key] = value
		}
	}
	return zarrs, others
}

func TestAdoptShowsTheSameBlocks(t *testing.T) {
	s := container(t, false)
	before := jobtest.Content(t, s)
	r, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{})
	jobtest.Check(t, err)
	if r.Groups != 2 || r.Arrays != 3 || !slices.Equal(r.Written, []string{"/", "/deep", "/deep/volume", "/deep/words", "/plane"}) || r.Own["/deep/words"] != "omnizarr.n5_strings" {
		t.Errorf("got %+v", r)
	}
	zarrs, others := splitDocuments(jobtest.Content(t, s))
	jobtest.Same(t, others, before)
	if len(zarrs) != 5 {
		t.Errorf("wrote %v", zarrs)
	}
	adopted := nodes(t, s, zarr.As("zarr3"))
	for path, n := range nodes(t, s, zarr.As("n5")) {
		got := adopted[path]
		if got == nil || got.Format() != "zarr3" || got.Attributes().Len() != n.Attributes().Len() {
			t.Errorf("%q: %v", path, got)
			continue
		}
		if a, ok := n.(*zarr.Array); ok {
			sameElements(t, path, got.(*zarr.Array), a)
		}
	}
	// Again, nothing is to be done; in any form, the document says the same.
	jobtest.Check(t, put(s, "plane/zarr.json", strings.ReplaceAll(zarrs["plane/zarr.json"], ":", " : ")))
	r, err = jobs.Adopt(ctx, s, "", jobs.AdoptOptions{})
	jobtest.Check(t, err)
	if len(r.Written) != 0 || len(r.Already) != 5 {
		t.Errorf("got %+v", r)
	}
}

func put(s store.Store, key, value string) error {
	_, err := s.Put(ctx, key, []byte(value), store.PutOptions{})
	return err
}

func TestAdoptOfAPartOfAContainer(t *testing.T) {
	s := container(t, false)
	r, err := jobs.Adopt(ctx, std.Registry().Open(s, n5.Format, format.Env{}), "deep/volume", jobs.AdoptOptions{})
	jobtest.Check(t, err)
	zarrs, _ := splitDocuments(jobtest.Content(t, s))
	if !slices.Equal(r.Written, []string{"/"}) || len(zarrs) != 1 || zarrs["deep/volume/zarr.json"] == "" {
		t.Errorf("got %+v, %v", r, zarrs)
	}
}

func TestAdoptWithoutHeaders(t *testing.T) {
	for _, with := range []string{"pad", "offset"} {
		s := container(t, true)
		jobtest.Check(t, s.Delete(ctx, "deep/words/"))
		before := jobtest.Content(t, s)
		blocks := int64(0)
		r, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{With: with, Progress: func(p job.Progress) { blocks = p.Done }})
		jobtest.Check(t, err)
		if len(r.Written) != 4 || blocks != int64(len(before)-3) {
			t.Errorf("%s: got %+v after %d blocks", with, r, blocks)
		}
		_, others := splitDocuments(jobtest.Content(t, s))
		jobtest.Same(t, others, before)
		for _, path := range []string{"plane", "deep/volume"} {
			a := open[*zarr.Array](t, s, path)
			codecs := a.Metadata().Codecs
			names := []string{}
			for _, c := range codecs {
				names = append(names, c.Name)
			}
			if !slices.Equal(names, []string{"transpose", "bytes", "zstd", with}) {
				t.Errorf("codecs %v", names)
			}
			sameElements(t, with+" "+path, a, open[*zarr.Array](t, s, path, zarr.As("n5")))
			if r := verified(t, a); !r.OK {
				t.Errorf("got %+v", r)
			}
		}
	}
}

func TestAdoptRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		spoil func(s store.Store) error
		with  string
	}{
		"plane: cannot be adopted with pad: block 0/2: it is not whole, which is [4 3], but cut to [4 1]": {with: "pad",
			spoil: func(s store.Store) error {
				return errors.Join(s.Delete(ctx, "deep/"), put(s, "plane/2/0", header(0, 4, 3)), put(s, "plane/2/1", header(0, 4, 3)), put(s, "plane/2/2", header(0, 4, 3)), put(s, "plane/1/2", header(0, 4, 3)))
			}},
		"plane: cannot be adopted with offset: block 0/0: the block has mode 1 (varlength)": {with: "offset",
			spoil: func(s store.Store) error {
				return errors.Join(s.Delete(ctx, "deep/"), only(s, "plane", "0/0", header(1, 4, 3)))
			}},
		"block 0/0: the block has mode 2 (object)": {with: "pad",
			spoil: func(s store.Store) error {
				return errors.Join(s.Delete(ctx, "deep/"), only(s, "plane", "0/0", header(2, 4, 3)))
			}},
		"block 0/0: 3 bytes are too few": {with: "pad",
			spoil: func(s store.Store) error {
				return errors.Join(s.Delete(ctx, "deep/"), only(s, "plane", "0/0", "\x00\x00\x00"))
			}},
		"deep/words: cannot be adopted: its elements are string": {with: "pad"},
		"blocks cannot be adopted with fog":                      {with: "fog"},
		"there is a zarr.json that says something else": {spoil: func(s store.Store) error {
			return put(s, "deep/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"a":1}}`)
		}},
		"else (one of 2 such nodes)": {spoil: func(s store.Store) error {
			return errors.Join(put(s, "deep/zarr.json", `{`), put(s, "plane/zarr.json", `{}`))
		}},
		"deep: cannot be adopted: there is a .zgroup": {spoil: func(s store.Store) error { return put(s, "deep/.zgroup", `{"zarr_format":2}`) }},
		"attributes.json: compression": {spoil: func(s store.Store) error {
			return put(s, "plane/attributes.json", `{"dimensions":[1],"blockSize":[1],"dataType":"int8","compression":{}}`)
		}},
		"plane: cannot be adopted: codec n5_default: codecs: codec n5.compression.fog": {spoil: func(s store.Store) error {
			return put(s, "plane/attributes.json", `{"dimensions":[1],"blockSize":[1],"dataType":"int8","compression":{"type":"fog"}}`)
		}},
		"there is no dataset of N5": {spoil: func(s store.Store) error { return errors.Join(s.Delete(ctx, "deep/"), s.Delete(ctx, "plane/")) }},
	} {
		s := container(t, false)
		if c.spoil != nil {
			jobtest.Check(t, c.spoil(s))
		}
		before := jobtest.Content(t, s)
		_, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{With: c.with, Workers: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		jobtest.Same(t, jobtest.Content(t, s), before)
	}
}

// header is that of a block, in the form which all modes have in the text of N5.
func header(mode byte, shape ...byte) string {
	out := []byte{0, mode, 0, byte(len(shape))}
	for _, n := range shape {
		out = append(out, 0, 0, 0, n)
	}
	return string(out)
}

// only leaves one block of a dataset of two dimensions.
func only(s store.Store, path, key, value string) error {
	var err error
	for _, first := range []string{"0", "1", "2"} {
		err = errors.Join(err, s.Delete(ctx, path+"/"+first+"/"))
	}
	return errors.Join(err, put(s, path+"/"+key, value))
}

func TestAdoptOverwrites(t *testing.T) {
	s := container(t, false)
	jobtest.Check(t, put(s, "plane/zarr.json", "{"))
	jobtest.Check(t, put(s, "zarr.json", `{"zarr_format":3,"node_type":"group"}`))
	r, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{Overwrite: true})
	jobtest.Check(t, err)
	if len(r.Written) != 5 {
		t.Errorf("got %+v", r)
	}
	var doc struct {
		Attributes json.RawMessage `json:"attributes"`
	}
	zarrs, _ := splitDocuments(jobtest.Content(t, s))
	jobtest.Check(t, json.Unmarshal([]byte(zarrs["zarr.json"]), &doc))
	if !strings.Contains(string(doc.Attributes), "sample") {
		t.Errorf("attributes %s", doc.Attributes)
	}
}

func TestAdoptWritesTheRootLast(t *testing.T) {
	for most := range 5 {
		s := container(t, false)
		if _, err := jobs.Adopt(ctx, &jobtest.Failing{Store: s, Left: most}, "", jobs.AdoptOptions{}); !errors.Is(err, jobtest.ErrFull) {
			t.Fatalf("got %v", err)
		}
		if n := open[*zarr.Group](t, s, ""); n.Format() != "n5" {
			t.Errorf("after %d documents the root is %s", most, n.Format())
		}
		jobtest.Check(t, adopt(s))
		if r := verified(t, open[*zarr.Group](t, s, "")); !r.OK || r.Arrays != 3 {
			t.Errorf("got %+v", r)
		}
	}
}

func adopt(s store.Store) error {
	_, err := jobs.Adopt(ctx, s, "", jobs.AdoptOptions{})
	return err
}

func TestMigrateLeavesN5Alone(t *testing.T) {
	s := container(t, false)
	if _, err := zarr2jobs.Migrate(ctx, s, "", zarr2jobs.MigrateOptions{To: "zarr3"}); !errors.Is(err, zarr2jobs.ErrNoMigration) {
		t.Errorf("got %v", err)
	}
}
