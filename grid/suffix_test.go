package grid

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// The keys are those of the tests of zarrs 0.23.14.
func TestSuffixKeys(t *testing.T) {
	for _, c := range []struct {
		config string
		index  []int
		key    string
	}{
		{`{"separator":"/","suffix":".tiff"}`, []int{1, 23, 45}, "c/1/23/45.tiff"},
		{`{"separator":".","suffix":".tiff"}`, []int{1, 23, 45}, "c.1.23.45.tiff"},
		{`{"separator":"/","suffix":".tiff"}`, []int{}, "c.tiff"},
		{`{"separator":".","suffix":".tiff"}`, []int{}, "c.tiff"},
		{`{"suffix":""}`, []int{0, 1}, "c/0/1"},
		{`{"suffix":"0"}`, []int{0, 1}, "c/0/10"},
	} {
		k, err := Default().ParseKeys(json.RawMessage(`{"name":"zarrs.default_suffix","configuration":` + c.config + `}`))
		if err != nil {
			t.Errorf("%s: %v", c.config, err)
			continue
		}
		index := make([]int, len(c.index))
		if got := string(k.Append(nil, c.index)); got != c.key || !k.Parse(got, index) || !slices.Equal(index, c.index) {
			t.Errorf("%s: %v is %s, want %s, read as %v", c.config, c.index, got, c.key, index)
		}
		raw, err := k.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Default().ParseKeys(raw); err != nil || again != k {
			t.Errorf("%s became %s, %v", c.config, raw, err)
		}
	}
	index := make([]int, 2)
	k := SuffixKeys{Suffix: ".tiff"}
	for _, key := range []string{"c/0/1", "c/0/1.tif", "c/0/01.tiff", "c/0.tiff", ".tiff", "", "c/0/1.tiff/", "c/0/1.tiff.tiff"} {
		if k.Parse(key, index) {
			t.Errorf("%q is the key of chunk %v", key, index)
		}
	}
}

func TestSuffixErrors(t *testing.T) {
	for config, want := range map[string]string{
		`{}`:                              `missing member "suffix"`,
		`{"separator":"/"}`:               `missing member "suffix"`,
		`{"suffix":1}`:                    `must be a string`,
		`{"suffix":".a","separator":"-"}`: `must be "/" or "."`,
		`{"suffix":".a","prefix":"b"}`:    `configuration.prefix: unknown member`,
		`{"suffix":"/../../x"}`:           `holds a character`,
		`{"suffix":"\u0000"}`:             `holds a character`,
		`{"suffix":"` + strings.Repeat("a", 300) + `"}`: `has 300 bytes`,
	} {
		_, err := Default().ParseKeys(json.RawMessage(`{"name":"zarrs.default_suffix","configuration":` + config + `}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
	for _, k := range []SuffixKeys{{Suffix: "a/b"}, {DefaultKeys: DefaultKeys{'-'}}} {
		if raw, err := k.MarshalJSON(); err == nil {
			t.Errorf("%+v became %s", k, raw)
		}
	}
}

func FuzzSuffixKeys(f *testing.F) {
	f.Add("c/0/1.tiff", ".tiff", 2)
	f.Add("c10", "0", 0)
	fuzzlong.Fuzz(f, func(t *testing.T, key, suffix string, rank int) {
		index := make([]int, max(0, min(rank, 32)))
		for _, sep := range []byte{'/', '.'} {
			k := SuffixKeys{DefaultKeys{sep}, suffix}
			if k.Parse(key, index) && string(k.Append(nil, index)) != key {
				t.Errorf("%q is read as %v", key, index)
			}
		}
	})
}
