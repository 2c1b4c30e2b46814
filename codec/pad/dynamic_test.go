package pad_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/store"
)

func writing(fn pad.Func) *codec.Registry {
	r := registry()
	r.Register(pad.Parser(fn), "pad", "offset")
	return r
}

const sixteen = `{"name":"pad","configuration":{"location":"start","nbytes":16}}`

// A function "sees the chunk's coordinates, shape, data type, the bytes it is to
// pad and the fixed number of bytes it must return".
func TestAFunctionSeesTheChunk(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	r := writing(func(c *pad.Context) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		seen[fmt.Sprint(c.Index)] = fmt.Sprintf("%v %v %s %d %d %s", c.Extent, c.Shape, c.Type.Name(), len(c.Data), c.Size, c.Location)
		return fmt.Appendf(c.Room, "%-16s", fmt.Sprint("chunk ", c.Index)), nil
	})
	s, a := create(t, zarr.ArraySpec{Shape: []int{5, 7}, Chunks: []int{3, 4}, DataType: "uint16", Codecs: json.RawMessage("[" + little + "," + sixteen + "]")}, r)
	want := counted(35)
	if err := zarr.Write(context.Background(), a, zarr.All(), want); err != nil {
		t.Fatal(err)
	}
	for index, text := range map[string]string{
		"[0 0]": "[3 4] [3 4] uint16 24 16 start",
		"[0 1]": "[3 3] [3 4] uint16 24 16 start",
		"[1 0]": "[2 4] [3 4] uint16 24 16 start",
		"[1 1]": "[2 3] [3 4] uint16 24 16 start",
	} {
		if seen[index] != text {
			t.Errorf("chunk %s: got %s, want %s", index, seen[index], text)
		}
	}
	if data := get(t, s, "c/1/0"); string(data[:16]) != "chunk [1 0]     " {
		t.Errorf("got %q", data[:16])
	}
	// What is stored in zarr.json stays static, and any reader decodes it.
	if doc := string(get(t, s, "zarr.json")); strings.Contains(doc, "padding") || !strings.Contains(doc, `"nbytes": 16`) {
		t.Error(doc)
	}
	got, err := zarr.Read[uint16](context.Background(), openArray(t, s, registry()), zarr.All())
	if err != nil || !slices.Equal(got.Data, want) {
		t.Errorf("read something else, %v", err)
	}
	// Changing one element computes the padding of its chunk anew.
	clear(seen)
	if err := zarr.Write(context.Background(), a, zarr.Select(zarr.At(4), zarr.At(0)), []uint16{9}); err != nil || len(seen) != 1 {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestAFunctionSeesItsOwnAxes(t *testing.T) {
	var text string
	r := writing(func(c *pad.Context) ([]byte, error) {
		text = fmt.Sprint(c.Index, c.Extent, c.Shape)
		return c.Static(), nil
	})
	_, a := create(t, zarr.ArraySpec{Shape: []int{5, 7}, Chunks: []int{3, 4}, DataType: "uint16",
		Codecs: json.RawMessage(`[{"name":"transpose","configuration":{"order":[1,0]}},` + little + "," + sixteen + "]")}, r)
	if err := zarr.Write(context.Background(), a, zarr.Select(zarr.Span(0, 3), zarr.Span(4, 7)), counted(9)); err != nil {
		t.Fatal(err)
	}
	if text != "[1 0] [3 3] [4 3]" {
		t.Error(text)
	}
}

// "A wrong length is an error before anything is written."
func TestAWrongLengthIsAnErrorBeforeAnythingIsWritten(t *testing.T) {
	for _, n := range []int{0, 15, 17, 1000} {
		r := writing(func(c *pad.Context) ([]byte, error) { return append(c.Room, make([]byte, n)...), nil })
		s, a := create(t, zarr.ArraySpec{Shape: []int{5, 7}, Chunks: []int{3, 4}, DataType: "uint16", Codecs: json.RawMessage("[" + little + "," + sixteen + "]")}, r)
		err := zarr.Write(context.Background(), a, zarr.All(), counted(35))
		if want := fmt.Sprintf("codec pad: the computed padding has %d bytes: must have 16", n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		for e, err := range s.List(context.Background(), "", "") {
			if err != nil || e.Key != "zarr.json" {
				t.Errorf("%s was written, %v", e.Key, err)
			}
		}
	}
}

func TestAnErrorOfTheFunctionIsPassedOn(t *testing.T) {
	own := errors.New("no header for you")
	r := writing(func(*pad.Context) ([]byte, error) { return nil, own })
	s, a := create(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint16", Codecs: json.RawMessage("[" + little + "," + sixteen + "]")}, r)
	if err := zarr.Write(context.Background(), a, zarr.All(), counted(4)); !errors.Is(err, own) {
		t.Error(err)
	}
	if _, _, err := s.Get(context.Background(), "c/0", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
		t.Error(err)
	}
}

func TestSeveralEntriesAreToldApart(t *testing.T) {
	r := writing(func(c *pad.Context) ([]byte, error) {
		if c.Location == pad.End {
			return fmt.Appendf(c.Room, "%04d", len(c.Data)), nil
		}
		return c.Static(), nil
	})
	entries := header + `,{"name":"pad","configuration":{"location":"end","nbytes":4}},` + prefix
	s, a := create(t, zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes",` + entries + `]`)}, r)
	if err := zarr.Write(context.Background(), a, zarr.All(), []uint8("data")); err != nil {
		t.Fatal(err)
	}
	if got := string(get(t, s, "c/0")); got != "\x00\x00\x00\x00\x00\x00\x00head:data0009" {
		t.Errorf("%q", got)
	}
}

// Inner chunks know where they lie in the array; the index of a shard is no
// chunk.
func TestInnerChunksAndIndexesOfShards(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	r := writing(func(c *pad.Context) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%v %v %s", c.Index, c.Extent, c.Type.Name()))
		return c.Static(), nil
	})
	_, a := create(t, zarr.ArraySpec{Shape: []int{7}, Chunks: []int{4}, DataType: "uint16",
		Codecs: json.RawMessage("[" + sharded("[2]", ","+header, ","+footer, "end") + "]")}, r)
	if err := zarr.Write(context.Background(), a, zarr.All(), counted(7)); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	want := []string{"[0] [2] uint16", "[1] [2] uint16", "[2] [2] uint16", "[3] [1] uint16", "[] [] uint64", "[] [] uint64"}
	if !slices.Equal(seen, want) {
		t.Error(seen)
	}
}
