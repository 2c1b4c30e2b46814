package check_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const goodArray = `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
	"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},"codecs":[%s]}`

func documents(t *testing.T, docs map[string]string) *mem.Store {
	t.Helper()
	s := mem.New()
	for path, doc := range docs {
		if _, err := s.Put(context.Background(), path+"zarr.json", []byte(doc), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestEveryRuleHasItsName(t *testing.T) {
	array := func(codecs string) string { return fmt.Sprintf(goodArray, codecs) }
	// Shards whose index goes through a codec before it is bytes.
	shard := func(inner, index string) string {
		if index != "" {
			index += ","
		}
		return `{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[` + inner + `],"index_codecs":[` + index + `{"name":"bytes","configuration":{"endian":"little"}}]}}`
	}
	for doc, want := range map[string]string{
		array(`"bytes"`): "",
		array(`"bytes",{"name":"pad","configuration":{"location":"end","nbytes":1,"padding":"AA=="}}`): "",
		array(`"bytes",{"name":"offset","configuration":{"offset":2,"prefix":"AA=="}}`):                "codecs",
		array(`"bytes","pad"`):                              "codecs",
		array(`"bytes",{"name":"pad","configuration":[1]}`): "codecs",
		array(`{"name":"transpose","configuration":{"order":[0]}},{"name":"packbits","configuration":{"first_bit":8}}`): "codecs",
		array(`"gzip"`): "codecs",
		array(shard(`"bytes"`, `{"name":"numcodecs.bitround","configuration":{"keepbits":3}}`)):                                                         "codecs",
		array(shard(shard(`"bytes"`, `{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":0,"scale":1,"dtype":"<u8","astype":"<u4"}}`), ``)): "codecs",
		array(shard(shard(`"bytes"`, ``), ``)):  "",
		array(``):                               "codecs",
		array(`"bytes"`)[1:]:                    "metadata",
		`{}`:                                    "metadata",
		`{"zarr_format":2,"node_type":"group"}`: "metadata",
		`{"zarr_format":3,"node_type":"group","attributes":[]}`:           "attributes",
		`{"zarr_format":3,"node_type":"group","consolidated_metadata":7}`: "consolidated",
	} {
		s := documents(t, map[string]string{"": doc})
		got, err := check.Validate(context.Background(), s, "", check.ValidateOptions{})
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		rule := ""
		if len(got.Problems) > 0 {
			rule = got.Problems[0].Rule
		}
		if rule != want || got.OK != (want == "") {
			t.Errorf("%s: got %+v, want %s", doc, got, want)
		}
	}
}

func TestValidationGoesOnAfterProblems(t *testing.T) {
	bad := fmt.Sprintf(goodArray, `"bytes","pad"`)
	docs := map[string]string{
		"": "{", "a/": `{"zarr_format":3,"node_type":"group"}`, "a/b/": bad, "folder/c/": bad, "a/d/": fmt.Sprintf(goodArray, `"bytes"`), "a/d/inside/": "{",
	}
	for root, want := range map[string]string{
		"":    "[/ metadata /a/b codecs /folder/c codecs]",
		"a":   "[/b codecs]",
		"a/b": "[/ codecs]",
		"a/d": "[]",
	} {
		got, err := check.Validate(context.Background(), documents(t, docs), root, check.ValidateOptions{})
		var rules []string
		for _, p := range got.Problems {
			rules = append(rules, p.Path+" "+p.Rule)
		}
		if fmt.Sprint(rules) != want || err != nil {
			t.Errorf("%q: got %v, %v, want %s", root, rules, err, want)
		}
	}
	if _, err := check.Validate(context.Background(), documents(t, docs), "nothing", check.ValidateOptions{}); !errors.Is(err, zarr.ErrNoNode) {
		t.Error(err)
	}
}

// unlisted is a store that cannot list, as most web servers.
type unlisted struct{ store.Store }

func (unlisted) List(context.Context, string, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, store.ErrNoList) }
}

func TestWithoutListingConsolidatedMetadataTellsTheNodes(t *testing.T) {
	bad := fmt.Sprintf(goodArray, `"bytes",{"name":"pad","configuration":{"location":"end","nbytes":2,"padding":"AA=="}}`)
	s := documents(t, map[string]string{
		"":   `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` + bad + `}}}`,
		"a/": bad,
	})
	got, err := check.Validate(context.Background(), unlisted{s}, "", check.ValidateOptions{})
	if err != nil || len(got.Problems) != 1 || got.Problems[0] != (check.Violation{Path: "/a", Rule: "codecs", Problem: "codec pad: padding has 1 bytes: must have as many as nbytes says, 2"}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func ExampleValidate() {
	ctx := context.Background()
	s := mem.New()
	s.Put(ctx, "zarr.json", fmt.Appendf(nil, goodArray, `"bytes", {"name": "offset", "configuration": {"offset": 2, "prefix": "AA=="}}`), store.PutOptions{})
	report, err := check.Validate(ctx, s, "", check.ValidateOptions{})
	fmt.Println(report.OK, err)
	for _, p := range report.Problems {
		fmt.Println(p.Path, p.Rule, p.Problem)
	}
	// Output:
	// false <nil>
	// / codecs codec offset: prefix has 1 bytes: must have as many as offset says, 2
}

// Warnings stand beside problems and do not count as such. A rule of a format sees
// the nodes of that format alone, one without sees all.
func TestRulesMayWarn(t *testing.T) {
	group := `{"zarr_format":3,"node_type":"group"}`
	s := documents(t, map[string]string{"": group, "in/b/": group, "in/": group})
	every := check.Rules{Meaning: func(_ context.Context, n zarr.Node, found *check.Findings) {
		if n.Path() == "in" {
			found.Warn("b", "taste", "ugly")
			found.Warn("", "taste", "odd")
		}
	}}
	other := check.Rules{Format: "n5", Meaning: func(_ context.Context, _ zarr.Node, found *check.Findings) {
		found.Problem("", "no", "of another format")
	}}
	got, err := check.Validate(context.Background(), s, "", check.ValidateOptions{Rules: []check.Rules{every, other}})
	want := []check.Violation{{Path: "/in", Rule: "taste", Problem: "odd"}, {Path: "/in/b", Rule: "taste", Problem: "ugly"}}
	if err != nil || !got.OK || len(got.Problems) != 0 || !slices.Equal(got.Warnings, want) {
		t.Errorf("%+v, %v", got, err)
	}
	other.Format = "zarr3"
	got, err = check.Validate(context.Background(), s, "", check.ValidateOptions{Rules: []check.Rules{every, other}})
	if err != nil || got.OK || len(got.Problems) != 3 || len(got.Warnings) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
