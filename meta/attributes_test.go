package meta

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAttributes(t *testing.T) {
	a, err := ParseAttributes([]byte(` {"n": 1, "x": NaN, "list": [1, 2], "big": 9007199254740993} `))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if ok, err := a.Get("n", &n); !ok || err != nil || n != 1 {
		t.Errorf("got %d, %v, %v", n, ok, err)
	}
	if ok, err := a.Get("none", &n); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	if ok, err := a.Get("list", &n); !ok || err == nil || !strings.HasPrefix(err.Error(), "list: ") {
		t.Errorf("got %v, %v", ok, err)
	}
	var big int64
	if _, err := a.Get("big", &big); err != nil || big != 9007199254740993 {
		t.Errorf("got %d, %v", big, err)
	}
	for name, v := range map[string]any{"n": "<new>", "y": []float64{1, math.Inf(-1)}} {
		if err := a.Set(name, v); err != nil {
			t.Error(err)
		}
	}
	if err := a.Set("raw", json.RawMessage(" 1.50 ")); err != nil {
		t.Error(err)
	}
	for _, v := range []any{make(chan int), json.RawMessage("{"), json.RawMessage(`{"a":1,"a":1}`), json.RawMessage(nil)} {
		if err := a.Set("bad", v); err == nil || !strings.HasPrefix(err.Error(), "bad") {
			t.Errorf("%v: got %v", v, err)
		}
	}
	if !a.Delete("list") || a.Delete("list") {
		t.Error("list was not deleted once")
	}
	if got := string(a.Append(nil)); got != `{"n":"<new>","x":NaN,"big":9007199254740993,"y":[1,-Infinity],"raw":1.50}` {
		t.Errorf("got %s", got)
	}
	strict, err := json.Marshal(map[string]any{"attributes": a})
	if err != nil || !strings.Contains(string(strict), `"x":"NaN"`) || !strings.Contains(string(strict), `[1,"-Infinity"]`) {
		t.Errorf("got %s, %v", strict, err)
	}
	m, err := a.Map()
	if x, ok := m["x"].(float64); err != nil || !ok || !math.IsNaN(x) || m["n"] != "<new>" || len(m) != 5 {
		t.Errorf("got %v, %v", m, err)
	}
	if !slices.Equal(a.Names(), []string{"n", "x", "big", "y", "raw"}) || string(a.Raw("raw")) != "1.50" || a.Raw("none") != nil {
		t.Errorf("names %v", a.Names())
	}
	c := a.Clone()
	if c.Delete("n"); a.Len() != 5 || c.Len() != 4 {
		t.Error("a clone is not independent")
	}
	if err := c.Set("x", 1); err != nil || string(a.Raw("x")) != "NaN" {
		t.Errorf("a clone changed the original: %v", err)
	}
	if _, err := ParseAttributes([]byte(`[]`)); err == nil {
		t.Error("a list accepted")
	}
	var read Attributes
	text := []byte(`{"b":[1, 2],"a":7}`)
	if err := json.Unmarshal(text, &read); err != nil || string(read.Raw("b")) != "[1, 2]" || !slices.Equal(read.Names(), []string{"b", "a"}) {
		t.Errorf("got %q, %v", read.Names(), err)
	}
	if clear(text); string(read.Raw("a")) != "7" {
		t.Error("refers to what was read")
	}
	if err := json.Unmarshal([]byte(`[]`), &read); err == nil {
		t.Error("a list accepted")
	}
}

func TestNoAttributes(t *testing.T) {
	var a *Attributes
	if ok, err := a.Get("x", nil); ok || err != nil || a.Len() != 0 || len(a.Names()) != 0 || a.Raw("x") != nil || a.Clone() != nil || a.Delete("x") {
		t.Error("nil is not empty")
	}
	for _, n := range []Node{&Array{}, &Group{}} {
		if err := n.Attrs().Set("x", 1); err != nil || n.Attrs().Len() != 1 {
			t.Errorf("%s: %v", n.NodeType(), err)
		}
	}
	out, err := (&Group{}).Marshal()
	if err != nil || string(out) != "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\"\n}\n" {
		t.Errorf("got %s, %v", out, err)
	}
}
