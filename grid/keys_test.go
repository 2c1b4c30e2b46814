package grid

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		raw   string
		index []int
		key   string
	}{
		{`"default"`, []int{0, 12}, "c/0/12"},
		{`"default"`, nil, "c"},
		{`{"name":"default"}`, []int{1}, "c/1"},
		{`{"name":"default","configuration":{}}`, []int{1, 2}, "c/1/2"},
		{`{"name":"default","configuration":{"separator":"."}}`, []int{1, 2}, "c.1.2"},
		{`"v2"`, []int{0, 12}, "0.12"},
		{`"v2"`, nil, "0"},
		{`{"name":"v2","configuration":{"separator":"/"}}`, []int{1, 2}, "1/2"},
		{`{"name":"v2","configuration":{"separator":"\u002f"}}`, []int{1, 2}, "1/2"},
	} {
		k, err := Default().ParseKeys(json.RawMessage(c.raw))
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		if got := string(k.Append([]byte("x/"), c.index)); got != "x/"+c.key {
			t.Errorf("%s: got %s, want %s", c.raw, got, c.key)
		}
		index := make([]int, len(c.index))
		if !k.Parse(c.key, index) || !slices.Equal(index, c.index) {
			t.Errorf("%s: parsed %v", c.key, index)
		}
	}
	for raw, want := range map[string]string{
		`"morton"`: `unknown chunk key encoding "morton", known are default, omnizarr.reversed, v2, zarrs.default_suffix`,
		`{"name":"v2","configuration":{"separator":"-"}}`:  `configuration.separator: must be "/" or "."`,
		`{"name":"v2","configuration":{"separator":1}}`:    `configuration.separator: must be a string, not a number`,
		`{"name":"v2","configuration":{"sep":"/"}}`:        `configuration.sep: unknown member`,
		`{"name":"default","configuration":["separator"]}`: `configuration: must be an object, not an array`,
	} {
		if _, err := Default().ParseKeys(json.RawMessage(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	index := make([]int, 2)
	for _, key := range []string{
		"", "c", "c/", "c/0", "c/0/", "c/0/1/2", "c/00/1", "c/0/01", "c/+1/0", "c/-1/0", "c/ 1/0", "c//0", "c/0x1/0",
		"c/0/9223372036854775808", "c.0.1", "0/1", "C/0/1", "c/1_0/0", "/c/0/1", "c/0/1 ", "c/0/٣", "zarr.json",
	} {
		if (DefaultKeys{}).Parse(key, index) {
			t.Errorf("%q is the key of chunk %v", key, index)
		}
	}
	for _, key := range []string{"", "0", "0.", ".0", "0.1.2", "00.1", "0/1", "c.0", ".zarray"} {
		if (V2Keys{}).Parse(key, index) {
			t.Errorf("%q is the key of chunk %v", key, index)
		}
	}
	if (DefaultKeys{}).Parse("c/0", nil) || (V2Keys{}).Parse("", nil) || (V2Keys{}).Parse("0.0", nil) {
		t.Error("key of an array without dimensions")
	}
	if _, err := (DefaultKeys{'-'}).MarshalJSON(); err == nil {
		t.Error("separator - written")
	}
}

func TestKeysReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index := rapid.SliceOfN(rapid.IntMin(0), 0, 6).Draw(t, "index")
		sep := rapid.SampledFrom([]byte{0, '/', '.'}).Draw(t, "sep")
		for _, k := range []Keys{DefaultKeys{sep}, V2Keys{sep}} {
			got := make([]int, len(index))
			if !k.Parse(string(k.Append(nil, index)), got) || !slices.Equal(got, index) {
				t.Fatalf("%v became %v", index, got)
			}
			raw, err := k.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Default().ParseKeys(raw)
			if err != nil || string(again.Append(nil, index)) != string(k.Append(nil, index)) {
				t.Fatalf("%s: %v", raw, err)
			}
		}
	})
}

func TestAppendAllocatesNothing(t *testing.T) {
	buf, index := make([]byte, 0, 64), []int{1, 22, 333}
	for _, k := range []Keys{DefaultKeys{}, V2Keys{}} {
		if n := testing.AllocsPerRun(100, func() { buf = k.Append(buf[:0], index) }); n != 0 {
			t.Errorf("%s: %v allocations", k.Name(), n)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("c/0/1", 2)
	f.Add("0.1", 2)
	fuzzlong.Fuzz(f, func(t *testing.T, key string, rank int) {
		index := make([]int, max(0, min(rank, 32)))
		for _, k := range []Keys{DefaultKeys{'/'}, DefaultKeys{'.'}, V2Keys{'/'}, V2Keys{'.'}} {
			if k.Parse(key, index) && string(k.Append(nil, index)) != key {
				t.Errorf("%q is read as %v", key, index)
			}
		}
	})
}
