package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestAnArrayWithoutAxesHasOneElement(t *testing.T) {
	for keys, want := range map[string]string{"default": "a/c", "v2": "a/0"} {
		a := newArray(t, zarr.ArraySpec{DataType: "int32", FillValue: json.RawMessage("7"), Keys: json.RawMessage(`"` + keys + `"`)})
		for _, sel := range []zarr.Selection{zarr.All(), zarr.Slice(""), zarr.Slice("..."), zarr.Select(), zarr.WholeChunks(), zarr.Box(nil, nil)} {
			got := must[ndArray[int32]](t)(readArray[int32](a, sel))
			if len(got.Shape) != 0 || got.At() != 7 {
				t.Errorf("got %v", got)
			}
		}
		check(t, zarr.Write(ctx, a, zarr.All(), []int32{9}))
		if !exists(t, a.Store(), want) {
			t.Errorf("no chunk %s", want)
		}
		if got := must[ndArray[int32]](t)(readArray[int32](reopen(t, a), zarr.All())); got.At() != 9 {
			t.Errorf("got %v", got)
		}
		for _, sel := range []zarr.Selection{zarr.Points(), zarr.Mask([]bool{true}), zarr.Slice("0"), zarr.Slice(":")} {
			if _, err := zarr.Read[int32](ctx, a, sel); err == nil {
				t.Errorf("%v accepted", sel)
			}
		}
		check(t, a.Resize(ctx))
		check(t, a.DeleteChunk(ctx))
		if got := must[ndArray[int32]](t)(readArray[int32](a, zarr.All())); got.At() != 7 {
			t.Errorf("got %v after the chunk was deleted", got)
		}
		wantError(t, zarr.Append(ctx, a, 0, []int32{1}), "no axis 0")
	}
}

func TestAxesOfNoLengthHoldNothing(t *testing.T) {
	for _, shape := range [][]int{{0}, {3, 0}, {0, 1 << 60}, {1 << 60, 0, 1 << 60}} {
		chunks := make([]int, len(shape))
		for i := range chunks {
			chunks[i] = 2
		}
		a := newArray(t, zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: "uint8"})
		got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All()))
		if len(got.Data) != 0 || !slices.Equal(got.Shape, shape) {
			t.Errorf("got %v", got)
		}
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{}))
		for range a.Grid() {
			t.Error("a chunk of nothing")
		}
		for range zarr.Chunks[uint8](ctx, a) {
			t.Error("a chunk of nothing was read")
		}
		for range a.Stream(ctx, zarr.All(), 100) {
			t.Error("nothing was streamed")
		}
		if err := a.Resize(ctx, slices.Repeat([]int{4}, len(shape))...); err != nil {
			t.Error(err)
		}
	}
}

func TestSingleElementsOfHugeArraysAreReadAndWritten(t *testing.T) {
	const far = 1<<60 - 1
	for _, c := range []struct {
		name   string
		chunks []int
		codecs string
	}{
		{"small chunks", []int{1000, 1000}, `["bytes","zstd"]`},
		{"huge missing chunks", []int{1 << 40, 1 << 20}, `["bytes"]`},
		{"shards", []int{1 << 10, 1 << 10}, `[{"name":"sharding_indexed","configuration":{"chunk_shape":[64,64],"codecs":["bytes"],"index_codecs":` + littleBytes + `}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newArray(t, zarr.ArraySpec{Shape: []int{1 << 60, 1 << 60}, Chunks: c.chunks, DataType: "uint8", FillValue: json.RawMessage("3"), Codecs: json.RawMessage(c.codecs)})
			got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("-1, 5")))
			if got.At() != 3 {
				t.Errorf("got %v", got)
			}
			list := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Points([]int{0, far, -1}, []int{far, 0, 7})))
			if !slices.Equal(list.Data, []uint8{3, 3, 3}) {
				t.Errorf("got %v", list)
			}
			_, err := zarr.Read[uint8](ctx, a, zarr.All())
			wantError(t, err, "MaxRead", a.URL())
			if c.chunks[0] > 1<<30 {
				// More memory than there is: an error, no attempt.
				wantError(t, zarr.Write(ctx, a, zarr.Slice("-1, 5"), []uint8{9}), "memory", "c/")
				_, err := zarr.Read[uint8](ctx, a, zarr.Points([]int{0, 1<<40 - 1}, []int{0, 1<<20 - 1}))
				wantError(t, err, "memory", "c/0/0")
				return
			}
			check(t, zarr.Write(ctx, a, zarr.Slice("-1, 5"), []uint8{9}))
			if got := must[ndArray[uint8]](t)(readArray[uint8](reopen(t, a), zarr.Slice("-2:, 4:6"))); !slices.Equal(got.Data, []uint8{3, 3, 3, 9}) {
				t.Errorf("got %v", got)
			}
			check(t, a.Resize(ctx, 1<<60, 5))
			check(t, a.Resize(ctx, 1<<60, 6))
			if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("-1, 5"))); got.At() != 3 {
				t.Errorf("got %v after the array was smaller", got)
			}
		})
	}
}

func TestMaxReadBoundsWhatAReadAllocates(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{100}, DataType: "int32"}, zarr.MaxRead(200))
	_, err := zarr.Read[int32](ctx, a, zarr.All())
	wantError(t, err, "a result of shape [100] needs more than the 200 bytes that MaxRead allows", a.URL())
	must[ndArray[int32]](t)(readArray[int32](a, zarr.Slice(":50")))
	_, err = zarr.Read[int32](ctx, a, zarr.Slice(":51"))
	wantError(t, err, "MaxRead")
	check(t, zarr.ReadSlice(ctx, a, zarr.All(), make([]int32, 100)))
}

func TestEmptyChunksAreLeftOutUnlessKept(t *testing.T) {
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", small))
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{0, 0, 0, 4}))
	if exists(t, s, "c/0") || !exists(t, s, "c/1") {
		t.Errorf("keys %v", keys(t, s))
	}
	check(t, zarr.Write(ctx, a, zarr.All(), make([]uint8, 4)))
	if exists(t, s, "c/1") {
		t.Error("a chunk of fill values is left")
	}
	kept := reopen(t, a, zarr.KeepEmpty())
	check(t, zarr.Write(ctx, kept, zarr.All(), make([]uint8, 4)))
	if !exists(t, s, "c/0") || !exists(t, s, "c/1") {
		t.Errorf("keys %v", keys(t, s))
	}
}

func TestNegativeZeroAndNaNsAreNoFillValues(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{2}, DataType: "float32", Codecs: json.RawMessage(littleBytes)})
	minus := nd.Of([]byte{0, 0, 0, 0x80, 0, 0, 0, 0}, 4, 2)
	check(t, a.WriteFrom(ctx, zarr.All(), minus))
	got := nd.Make(4, 2)
	check(t, a.ReadInto(ctx, zarr.All(), got))
	if !slices.Equal(got.Data, minus.Data) {
		t.Errorf("got %v", got.Data)
	}
}

func TestFailMissingWantsEveryChunk(t *testing.T) {
	a := newArray(t, small, zarr.FailMissing())
	check(t, zarr.Write(ctx, a, zarr.Slice(":2"), []uint8{1, 2}))
	must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice(":2")))
	_, err := zarr.Read[uint8](ctx, a, zarr.All())
	if !errors.Is(err, zarr.ErrMissing) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, a.URL(), "c/1", "chunk is missing")
	for c := range a.Grid() {
		if err := a.CheckChunk(ctx, c); (err != nil) != (c.Index[0] == 1) || err != nil && !errors.Is(err, zarr.ErrMissing) {
			t.Errorf("%v: %v", c.Index, err)
		}
	}
	if got := must[ndArray[uint8]](t)(readArray[uint8](reopen(t, a), zarr.All())); !slices.Equal(got.Data, []uint8{1, 2, 0, 0}) {
		t.Errorf("got %v", got.Data)
	}
}

func TestChunksAreFoundByIndexAndKey(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{5, 3}, Chunks: []int{2, 2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	check(t, zarr.Write(ctx, a, zarr.Slice("4, 2"), []uint8{9}))
	var grid, stored []string
	for c := range a.Grid() {
		grid = append(grid, fmt.Sprint(c.Key, c.Box))
	}
	if len(grid) != 6 || grid[5] != "a/c/2/1{[4 2] [1 1]}" {
		t.Errorf("grid %v", grid)
	}
	_, err := a.Store().Put(ctx, "a/c/9/9", []byte("outside"), store.PutOptions{})
	check(t, err)
	_, err = a.Store().Put(ctx, "a/c/x", []byte("no chunk"), store.PutOptions{})
	check(t, err)
	for c, err := range a.Stored(ctx) {
		check(t, err)
		stored = append(stored, c.Key)
	}
	if !slices.Equal(stored, []string{"a/c/2/1"}) {
		t.Errorf("stored %v", stored)
	}
	raw := must[[]byte](t)(a.RawChunk(ctx, 2, 1))
	if !slices.Equal(raw, []byte{9, 0, 0, 0}) {
		t.Errorf("raw chunk %v", raw)
	}
	if _, err := a.RawChunk(ctx, 0, 0); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, idx := range [][]int{{0}, {-1, 0}, {3, 0}, {0, 2}, {0, 0, 0}} {
		wantError(t, a.DeleteChunk(ctx, idx...), "no such chunk")
	}
	wantError(t, func() error { _, err := a.RawChunk(ctx, 1); return err }(), "no such chunk")
}

func TestResizeRefusesWhatIsNoShape(t *testing.T) {
	a := newArray(t, small)
	for _, shape := range [][]int{{}, {1, 1}, {-1}} {
		wantError(t, a.Resize(ctx, shape...), "resize", a.URL())
	}
	wantError(t, zarr.Append(ctx, a, 1, []uint8{1}), "no axis 1")
	wantError(t, zarr.Append(ctx, a, 0, []int8{1}), "uint8")
	if !slices.Equal(a.Shape(), []int{4}) {
		t.Errorf("shape %v", a.Shape())
	}
	b := newArray(t, zarr.ArraySpec{Shape: []int{2, 3}, DataType: "uint8"})
	wantError(t, zarr.Append(ctx, b, 0, []uint8{1, 2}), "whole layers")
}

func TestSelectionsThatMakeNoSenseAreRefused(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4, 5}, DataType: "uint8"})
	for want, sel := range map[string]zarr.Selection{
		"index 4 is outside an axis of 4":       zarr.Slice("4"),
		"index -5 is outside an axis of 4":      zarr.Select(zarr.At(-5)),
		"axis 1: index 5 is outside":            zarr.Select(zarr.Full(), zarr.List(0, 5)),
		"selection of 3 axes in an array of 2":  zarr.Slice("0,0,0"),
		"more than one ellipsis":                zarr.Slice("...,..."),
		"step must not be zero":                 zarr.Slice("::0"),
		`"x" is no index or slice`:              zarr.Slice("x"),
		`"1:2:3:4" is no index or slice`:        zarr.Slice("1:2:3:4"),
		"mask of 3 for an axis of 4":            zarr.Select(zarr.Where(make([]bool, 3))),
		"mask of 3 for an array of shape [4 5]": zarr.Mask(make([]bool, 3)),
		"points of 1 coordinates":               zarr.Points([]int{1}),
		"2 points along axis 0, 1 along axis 1": zarr.Points([]int{1, 2}, []int{1}),
		"axis 1, point 0: index 9":              zarr.Points([]int{1}, []int{9}),
		"chunks are selected by index or":       zarr.WholeChunks(zarr.Step(0, 2, 2)),
		"axis 0, in chunks: index 7 is outside": zarr.WholeChunks(zarr.At(7)),
	} {
		_, err := zarr.Read[uint8](ctx, a, sel)
		wantError(t, err, want, "read", a.URL())
		err = a.WriteFrom(ctx, sel, nd.Make(1, 1))
		wantError(t, err, want, "write", a.URL())
		_, err = a.ResultShape(sel)
		wantError(t, err, want)
		for _, err := range a.Stream(ctx, sel, 10) {
			wantError(t, err, want)
		}
	}
}

func TestMemoryThatDoesNotFitIsRefused(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "uint16"})
	text := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "string"})
	for want, f := range map[string]func() error{
		"memory has shape [3]":           func() error { return a.ReadInto(ctx, zarr.All(), nd.Make(2, 3)) },
		"memory has elements of 1 bytes": func() error { return a.ReadInto(ctx, zarr.All(), nd.Make(1, 4)) },
		"reaches outside its 8 bytes": func() error {
			return a.ReadInto(ctx, zarr.All(), nd.View{Data: make([]byte, 8), Size: 2, Shape: []int{4}, Strides: []int{3}})
		},
		"reaches outside its 7 bytes": func() error {
			return a.WriteFrom(ctx, zarr.All(), nd.View{Data: make([]byte, 7), Size: 2, Shape: []int{4}, Strides: []int{2}})
		},
		"needs a heap": func() error { return text.ReadInto(ctx, zarr.All(), nd.Make(nd.RefSize, 4)) },
		"1 lengths and 2 strides": func() error {
			return a.ReadInto(ctx, zarr.All(), nd.View{Data: make([]byte, 8), Size: 2, Shape: []int{4}, Strides: []int{2, 1}})
		},
	} {
		wantError(t, f(), want)
	}
}

func TestSpecsThatMakeNoArrayAreRefused(t *testing.T) {
	for want, spec := range map[string]zarr.ArraySpec{
		"unknown data type":       {Shape: []int{1}, DataType: "int7"},
		"shape":                   {Shape: []int{-1}, DataType: "int8", Chunks: []int{1}},
		"chunks [1] for an array": {Shape: []int{2, 2}, DataType: "int8", Chunks: []int{1}},
		"give chunks or a grid":   {Shape: []int{2}, DataType: "int8", Chunks: []int{1}, Grid: json.RawMessage(`{}`)},
		"give shards or a grid":   {Shape: []int{2}, DataType: "int8", Shards: []int{1}, Grid: json.RawMessage(`{}`)},
		"do not divide":           {Shape: []int{6}, DataType: "int8", Shards: []int{3}, Chunks: []int{2}},
		"dimension_names":         {Shape: []int{6}, DataType: "int8", DimensionNames: []string{"x", "y"}},
		"fill":                    {Shape: []int{6}, DataType: "int8", FillValue: json.RawMessage(`300`)},
		"endian":                  {Shape: []int{6}, DataType: "int16", Codecs: json.RawMessage(`["bytes"]`)},
		"more than 32":            {Shape: make([]int, 33), DataType: "int8", Chunks: slices.Repeat([]int{1}, 33)},
	} {
		s := mem.New()
		_, err := zarr.CreateArrayIn(ctx, s, "a", spec)
		wantError(t, err, want, "create array")
		if got := keys(t, s); len(got) > 0 {
			t.Errorf("%s: %v was written", want, got)
		}
	}
}

func TestDefaultsAreWhatMostReadersTake(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{1000, 1000, 100}, DataType: "uint16", DimensionNames: []string{"z", "", "x"}})
	text, _, err := a.Store().Get(ctx, "a/zarr.json", store.All(), nil)
	check(t, err)
	for _, want := range []string{`"zstd"`, `"level": 3`, `"checksum": true`, `"endian": "little"`, `"separator": "/"`, `null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("document lacks %s: %s", want, text)
		}
	}
	if n, _ := nd.Bytes(a.ChunkShape(), 2); n > 1<<20 || n < 1<<18 {
		t.Errorf("chunks of %v are %d bytes", a.ChunkShape(), n)
	}
	if got := a.DimensionNames(); !slices.Equal(got, []string{"z", "", "x"}) {
		t.Errorf("names %q", got)
	}
	sharded := newArray(t, zarr.ArraySpec{Shape: []int{100, 100}, DataType: "uint16", Shards: []int{50, 30}})
	if !slices.Equal(sharded.ShardShape(), []int{50, 30}) {
		t.Errorf("shards %v", sharded.ShardShape())
	}
	both := newArray(t, zarr.ArraySpec{Shape: []int{100, 100}, DataType: "uint16", Shards: []int{50, 30}, Chunks: []int{10, 15}})
	if !slices.Equal(both.ChunkShape(), []int{10, 15}) || !slices.Equal(both.ShardShape(), []int{50, 30}) || a.ShardShape() != nil {
		t.Errorf("chunks %v in shards %v; %v", both.ChunkShape(), both.ShardShape(), a.ShardShape())
	}
}

// Chunks as large as numbers go, of which there are a few bytes: every codec
// notices, without the memory that such a chunk would need.
func TestChunksBeyondAllMemoryAreErrors(t *testing.T) {
	for _, codecs := range []string{
		`["bytes"]`, `["bytes","crc32c"]`, `["bytes","gzip"]`, `["bytes","zstd"]`, `["bytes","gzip","crc32c"]`, `["bytes","crc32c","crc32c","zstd"]`,
		`[{"name":"transpose","configuration":{"order":[0]}},"bytes"]`,
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[4611686018427387904],"codecs":["bytes"],"index_codecs":` + littleBytes + `}}]`,
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[4611686018427387904],"codecs":["bytes","gzip"],"index_codecs":` + littleBytes + `}},"crc32c"]`,
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes","gzip"],"index_codecs":` + littleBytes + `}}]`,
	} {
		for _, length := range []int{1 << 40, 1 << 62, 1<<63 - 1} {
			for _, opts := range [][]zarr.Option{nil, {zarr.WithCache(newCache())}} {
				s := mem.New()
				doc := fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d]}},`+
					`"chunk_key_encoding":"default","fill_value":0,"codecs":%s}`, length, length, codecs)
				_, err := s.Put(ctx, "zarr.json", []byte(doc), store.PutOptions{})
				check(t, err)
				n, err := zarr.OpenStore(ctx, s, "", opts...)
				if err != nil {
					continue // the shape of the inner chunks does not divide it
				}
				a := n.(*zarr.Array)
				// A missing chunk is no problem, but for an index of impossible size.
				got, err := zarr.Read[uint8](ctx, a, zarr.Slice("-1"))
				if err == nil && got.At() != 0 || err != nil && !strings.Contains(err.Error(), "index") {
					t.Errorf("%s: a missing chunk has %v, %v", codecs, got, err)
				}
				for _, chunk := range [][]byte{{}, {1, 2, 3}, {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 1, 0, 0xfe, 0xff, 7, 0, 0, 0, 0, 1, 0, 0, 0}, make([]byte, 100)} {
					_, err := s.Put(ctx, "c/0", chunk, store.PutOptions{})
					check(t, err)
					if got, err := zarr.Read[uint8](ctx, a, zarr.Slice("5")); err == nil {
						t.Errorf("%s: %d bytes were read as %v", codecs, len(chunk), got)
					}
					if err := zarr.Write(ctx, a, zarr.Slice("5"), []uint8{1}); err == nil {
						t.Errorf("%s: a chunk of %d bytes was changed", codecs, length)
					}
				}
			}
		}
	}
}

func TestAnArrayMayHaveThirtyTwoAxes(t *testing.T) {
	shape := slices.Repeat([]int{1}, nd.MaxRank)
	shape[3], shape[31] = 3, 2
	order := make([]int, nd.MaxRank)
	for i := range order {
		order[i] = nd.MaxRank - 1 - i
	}
	b := newArray(t, zarr.ArraySpec{Shape: shape, Chunks: slices.Repeat([]int{1}, nd.MaxRank), DataType: "uint8",
		Codecs: json.RawMessage(`[{"name":"transpose","configuration":{"order":` + string(marshal(order)) + `}},{"name":"sharding_indexed","configuration":{"chunk_shape":` +
			string(marshal(slices.Repeat([]int{1}, nd.MaxRank))) + `,"codecs":["bytes","zstd"],"index_codecs":` + littleBytes + `}}]`)})
	check(t, zarr.Write(ctx, b, zarr.All(), []uint8{1, 2, 3, 4, 5, 6}))
	check(t, zarr.Write(ctx, b, zarr.Select(zarr.Ellipsis(), zarr.List(1)), []uint8{7, 8, 9}))
	if got := must[ndArray[uint8]](t)(readArray[uint8](b, zarr.All())); !slices.Equal(got.Data, []uint8{1, 7, 3, 8, 5, 9}) {
		t.Errorf("got %v", got.Data)
	}
}
