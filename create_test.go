package zarr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestDefaultChunksAreAboutAMebibyte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 1<<40), 0, 5).Draw(t, "shape")
		size := rapid.SampledFrom([]int{1, 2, 8, 16, 1 << 22}).Draw(t, "size")
		chunks := zarr.DefaultChunks(shape, size, nil)
		n, ok := nd.Bytes(chunks, size)
		if !ok || n > 1<<20 && n > size {
			t.Fatalf("%v of %d bytes: chunks of %v", shape, size, chunks)
		}
		for i, c := range chunks {
			if c < 1 || c > shape[i] && shape[i] > 0 {
				t.Fatalf("%v: chunks of %v", shape, chunks)
			}
		}
	})
}

// An axis of length 0 is to grow: a row at a time must not become a file each.
func TestDefaultChunksOfEmptyAxesAreLong(t *testing.T) {
	for _, c := range []struct {
		shape []int
		size  int
	}{{[]int{0, 5}, 8}, {[]int{0}, 1}, {[]int{0, 0, 3}, 2}, {[]int{7, 0}, 4}} {
		chunks := zarr.DefaultChunks(c.shape, c.size, nil)
		if n, _ := nd.Bytes(chunks, c.size); n < 1<<18 {
			t.Errorf("%v: chunks of %v have %d bytes", c.shape, chunks, n)
		}
		for i, n := range c.shape {
			if n > 0 && chunks[i] != n {
				t.Errorf("%v: chunks of %v", c.shape, chunks)
			}
		}
	}
}

// What cannot be made leaves no folders, nor does what must not.
func TestArraysThatCannotBeLeaveNothing(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	good := zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"}
	for name, create := range map[string]func(url string) error{
		"type": func(url string) error {
			return of(zarr.CreateArray(ctx, url, zarr.ArraySpec{Shape: []int{4}, DataType: "int99"}))
		},
		"n5": func(url string) error {
			return of(zarr.CreateArray(ctx, url+".n5", zarr.ArraySpec{Shape: []int{4}, DataType: "complex64"}))
		},
		"zip": func(url string) error {
			return of(zarr.CreateArray(ctx, url+".zip", zarr.ArraySpec{Shape: []int{-4}, DataType: "uint8"}))
		},
		"ended":     func(url string) error { return of(zarr.CreateArray(ended, url, good)) },
		"group":     func(url string) error { return of(zarr.CreateGroup(ended, url)) },
		"read-only": func(url string) error { return of(zarr.CreateArray(ctx, url, good, zarr.ReadOnly())) },
	} {
		dir := t.TempDir()
		err := create(filepath.Join(dir, "deep", "down"))
		var known *zarr.Error
		if !errors.As(err, &known) || !strings.Contains(known.URL, dir) {
			t.Errorf("%s: %v", name, err)
		}
		if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
	}
	if err := of(zarr.CreateGroup(ctx, filepath.Join(t.TempDir(), "new"), zarr.ReadOnly())); !errors.Is(err, zarr.ErrReadOnly) || errors.Is(err, zarr.ErrNoNode) {
		t.Error(err)
	}
}

func TestDefaultChunksDivideShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shards := rapid.SliceOfN(rapid.IntRange(1, 3000), 1, 3).Draw(t, "shards")
		chunks := zarr.DefaultChunks(shards, 4, shards)
		for i, c := range chunks {
			if c < 1 || shards[i]%c != 0 {
				t.Fatalf("shards of %v: chunks of %v", shards, chunks)
			}
		}
		if n, _ := nd.Bytes(chunks, 4); n > 1<<20 {
			t.Fatalf("shards of %v: chunks of %v", shards, chunks)
		}
	})
}

func TestShardsOfAnotherRankAreRefused(t *testing.T) {
	for _, shards := range [][]int{{}, {2}, {2, 2, 2}} {
		for _, chunks := range [][]int{nil, {1, 1}, {1}} {
			_, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{4, 4}, Shards: shards, Chunks: chunks, DataType: "uint8"})
			wantError(t, err, "create array")
		}
	}
	for _, shards := range [][]int{{0, 2}, {-4, 2}} {
		_, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{4, 4}, Shards: shards, DataType: "uint8"})
		wantError(t, err, "create array")
	}
}

func TestCodecGivesTheChainOfAChunk(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DataType: "uint8"})
	b := must[*codec.Bound](t)(a.Codec())
	if !slices.Equal(b.Spec().Shape, []int{2, 2}) {
		t.Errorf("shape %v", b.Spec().Shape)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
	raw := must[[]byte](t)(a.RawChunk(ctx, 1, 0))
	dst := nd.Make(1, 2, 2)
	check(t, b.Decode(ctx, &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}, &codec.Memory{Bytes: raw}, nd.Whole(dst.Shape), dst))
	if !slices.Equal(dst.Data, []byte{9, 10, 13, 14}) {
		t.Errorf("got %v", dst.Data)
	}
}

func TestConfigurationsAreWrittenDown(t *testing.T) {
	for _, c := range []struct {
		spec zarr.ArraySpec
		want string
	}{
		{zarr.ArraySpec{Shape: []int{4}, DataType: "int32", Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},"blosc"]`)}, `"typesize": 4`},
		{zarr.ArraySpec{Shape: []int{4}, DataType: "int32", Codecs: json.RawMessage(`[{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"little"}},"blosc"]`)}, `"typesize": 2`},
		{zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, Shards: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","blosc"]`)}, `"typesize": 1`},
		{zarr.ArraySpec{Shape: []int{4}, DataType: "string", Codecs: json.RawMessage(`["vlen-utf8","blosc"]`)}, `"typesize": 1`},
		{zarr.ArraySpec{Shape: []int{0, 3}, DataType: "int64", Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"big"}},"blosc"]`)}, `"typesize": 8`},
	} {
		a := newArray(t, c.spec)
		doc := must[[]byte](t)(a.Metadata().Marshal())
		if !strings.Contains(string(doc), c.want) {
			t.Errorf("no %s in %s", c.want, doc)
		}
	}
}

// JSON that is none is told by the member that it was given for, and not by Go's types.
func TestWrongJSONOfANewArray(t *testing.T) {
	for name, spec := range map[string]zarr.ArraySpec{
		"codecs":             {Codecs: json.RawMessage(`["bytes"`)},
		"fill_value":         {FillValue: json.RawMessage(`x`)},
		"chunk_grid":         {Grid: json.RawMessage(`{"name"`)},
		"chunk_key_encoding": {Keys: json.RawMessage(`{]`)},
	} {
		spec.Shape, spec.DataType = []int{4}, "uint8"
		_, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
		if err == nil || !strings.Contains(err.Error(), ": "+name) || !strings.Contains(err.Error(), ": not JSON") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoOptionOfAFormatIsNone(t *testing.T) {
	if _, err := zarr.CreateGroupIn(ctx, mem.New(), "", zarr.With(nil)); err == nil || !strings.Contains(err.Error(), "option With") {
		t.Error(err)
	}
}

// A number that others take for a truth value or a text is read, but not written.
func TestFillValuesOfNewArraysAreSpelledAsTheFormatHasThem(t *testing.T) {
	for _, c := range []struct{ typ, fill, want string }{
		{"bool", "0", "false"}, {"bool", "true", "true"}, {"string", "0", `"0"`}, {"string", "-17", `"-17"`}, {"string", `"\u0061"`, `"\u0061"`},
		{"uint8", "7", "7"}, {"float32", `"0x7fc00001"`, `"0x7fc00001"`}, {"r16", "[1, 2]", "[1, 2]"},
	} {
		s := mem.New()
		a, err := zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{2}, DataType: c.typ, FillValue: json.RawMessage(c.fill)})
		check(t, err)
		check(t, a.Close())
		text, _, err := s.Get(ctx, "a/zarr.json", store.All(), nil)
		check(t, err)
		var doc struct {
			Fill json.RawMessage `json:"fill_value"`
		}
		check(t, json.Unmarshal(text, &doc))
		var got, want bytes.Buffer
		check(t, errors.Join(json.Compact(&got, doc.Fill), json.Compact(&want, json.RawMessage(c.want))))
		if got.String() != want.String() {
			t.Errorf("%s: fill value %s is written as %s, want %s", c.typ, c.fill, got.String(), want.String())
		}
	}
	if _, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{2}, DataType: "bool", FillValue: json.RawMessage("2")}); err == nil {
		t.Error("2 is a truth value")
	}
}
