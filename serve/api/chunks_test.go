package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
)

func TestChunksOfEveryFormat(t *testing.T) {
	c := samples(t)
	for path, want := range map[string]string{
		"/plain.zarr/a": "[3 2] [2 4] [4 8] 2 0", "/sub/old.zarr/a": "[2 1] [2 5] [] 2 0", "/sub/cells.n5/s0": "[1 2] [4 3] [] 2 0", "/image.tif/0": "[3 4] [128 128] [] 12 0", "/packed.zip/a": "[1] [3] [] 1 0",
		"/" + session + "/acquisition/ElectricalSeries/data": "[4 2] [128 4] [] 8 0",
	} {
		var got api.Chunks
		c.get(&got, "chunks", "source", "data", "path", path, "x", fmt.Sprint(strings.Count(want[:strings.Index(want, "]")], " ")))
		if text := fmt.Sprint(got.Grid, got.Chunks, got.Shards, " ", *got.Stored, " ", *got.Missing); strings.ReplaceAll(text, "][", "] [") != want {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
		if got.Plane == nil || !got.Complete {
			t.Fatalf("%s: %+v", path, got)
		}
		sum := int64(0)
		for i, n := range got.Plane.Sizes {
			at := []int{i % got.Plane.Shape[1]}
			if len(got.Grid) > 1 {
				at = []int{i / got.Plane.Shape[1], at[0]}
			}
			var one api.Chunk
			c.get(&one, "chunks", "source", "data", "path", path, "chunk", strings.Trim(strings.ReplaceAll(fmt.Sprint(at), " ", ","), "[]"))
			if !one.Stored || one.Size != *n || *n <= 0 {
				t.Errorf("%s: chunk %v is %+v, in the plane %d", path, at, one, *n)
			}
			sum += *n
		}
		if sum > *got.Bytes || got.Shards == nil && sum != *got.Bytes {
			t.Errorf("%s: chunks have %d bytes of %d", path, sum, *got.Bytes)
		}
	}
}

// A chunk in a shard is where the answer says.
func TestWhereAChunkLies(t *testing.T) {
	dir := servetest.Samples(t)
	c := serving(t, filepath.Join(dir, "plain.zarr"))
	raw := [][]byte{}
	for _, at := range []string{"0,0", "0,1", "2,1"} {
		var one api.Chunk
		c.get(&one, "chunks", "source", "plain.zarr", "path", "/a", "chunk", at)
		if one.Offset == nil || one.Key != "a/c/"+map[string]string{"0,0": "0/0", "0,1": "0/0", "2,1": "1/0"}[at] || len(one.Shard) != 2 {
			t.Fatalf("%s: %+v", at, one)
		}
		data, err := os.ReadFile(filepath.Join(dir, "plain.zarr", filepath.FromSlash(one.Key)))
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, data[*one.Offset:*one.Offset+one.Size])
	}
	for i, chunk := range raw { // which are frames of Zstandard
		if !strings.HasPrefix(string(chunk), "\x28\xb5\x2f\xfd") {
			t.Errorf("%d: %x", i, chunk)
		}
	}
}

func TestMissingChunksAndWrongPlanes(t *testing.T) {
	dir := t.TempDir()
	for name, shards := range map[string][]int{"plain.zarr": nil, "sharded.zarr": {4, 4}} {
		a, err := zarr.CreateArray(t.Context(), filepath.Join(dir, name), zarr.ArraySpec{Shape: []int{8, 8}, DataType: "uint8", Chunks: []int{2, 2}, Shards: shards})
		if err == nil {
			err = zarr.Write(t.Context(), a, zarr.Box([]int{0, 0}, []int{2, 2}), []uint8{1, 2, 3, 4})
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		c := serving(t, filepath.Join(dir, name))
		var got api.Chunks
		c.get(&got, "chunks", "source", name, "x", "1", "y", "0")
		missing := 0
		for _, n := range got.Plane.Sizes {
			if *n == -1 {
				missing++
			}
		}
		if missing != 15 || *got.Stored != 1 || *got.Plane.Sizes[0] <= 0 {
			t.Errorf("%s: %d missing, %+v", name, missing, got)
		}
		var one api.Chunk
		c.get(&one, "chunks", "source", name, "chunk", "0,1")
		if one.Stored || one.Size != 0 || one.Offset != nil {
			t.Errorf("%s: %+v", name, one)
		}
		for _, bad := range []string{"0", "0,4", "-1,0", "a", "0,0,0", ""} {
			c.problem(400, "chunks", "source", name, "chunk", bad)
		}
		for _, bad := range []string{"2", "-1", "x"} {
			c.problem(400, "chunks", "source", name, "x", bad)
		}
		c.problem(400, "chunks", "source", name, "x", "0", "y", "0")
		for _, axis := range [][2]string{{"x", "0"}, {"y", "1"}, {"x", "1"}, {"y", "0"}} { // the other is the one that is left
			var got api.Chunks
			c.get(&got, "chunks", "source", name, axis[0], axis[1])
			if got.Plane.Shape != [2]int{4, 4} {
				t.Errorf("%v: %v", axis, got.Plane.Shape)
			}
		}
		c.problem(400, "chunks", "source", name, "x", "0", "at", "0:99")
		c.problem(400, "chunks", "source", name, "x", "0", "at", "9:0")
	}
	big, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "big.zarr"), zarr.ArraySpec{Shape: []int{1 << 30, 1 << 30}, DataType: "uint8", Chunks: []int{2, 2}})
	if err == nil {
		err = big.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, filepath.Join(dir, "big.zarr"))
	c.problem(413, "chunks", "source", "big.zarr", "x", "1")
	var got api.Chunks
	c.get(&got, "chunks", "source", "big.zarr")
	if got.Plane != nil || *got.Stored != 0 {
		t.Errorf("%+v", got)
	}
}
