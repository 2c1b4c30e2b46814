package grid

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestReversedKeys(t *testing.T) {
	for _, c := range []struct {
		inner string
		index []int
		key   string
	}{
		{`{"name":"v2","configuration":{"separator":"/"}}`, []int{2, 1, 0}, "0/1/2"},
		{`{"name":"v2","configuration":{"separator":"."}}`, []int{7}, "7"},
		{`{"name":"default","configuration":{"separator":"/"}}`, []int{5, 6}, "c/6/5"},
		{`{"name":"default","configuration":{"separator":"/"}}`, []int{}, "c"},
		{`{"name":"v2","configuration":{"separator":"/"}}`, []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, "0/1/2/3/4/5/6/7/8/9"},
	} {
		k, err := Default().ParseKeys(json.RawMessage(`{"name":"omnizarr.reversed","configuration":{"keys":` + c.inner + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		index := make([]int, len(c.index))
		if got := string(k.Append(nil, c.index)); got != c.key || !k.Parse(got, index) || !slices.Equal(index, c.index) {
			t.Errorf("%v is %s, want %s, read as %v", c.index, got, c.key, index)
		}
		raw, err := k.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Default().ParseKeys(raw); err != nil || again != k {
			t.Errorf("%s became %v, %v", raw, again, err)
		}
	}
	k := ReversedKeys{V2Keys{'/'}}
	for _, key := range []string{"", "0", "0/1/2", "0/01", "a/b"} {
		if k.Parse(key, make([]int, 2)) {
			t.Errorf("%q is the key of a chunk", key)
		}
	}
}

func TestReversedKeysErrors(t *testing.T) {
	for config, want := range map[string]string{
		`{}`:           `missing member "keys"`,
		`{"order":1}`:  "configuration.order: unknown member",
		`{"keys":"x"}`: `unknown chunk key encoding "x"`,
		`{"keys":{"name":"omnizarr.reversed","configuration":{"keys":"v2"}}}`: "are reversed themselves",
	} {
		_, err := Default().ParseKeys(json.RawMessage(`{"name":"omnizarr.reversed","configuration":` + config + `}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
}
