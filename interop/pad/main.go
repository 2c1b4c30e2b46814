// Command pad writes arrays whose chunks are TIFF files or N5 blocks, for other
// programs to read; see run beside it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// array is one array in the manifest. Its elements are in the file Path.raw, in C
// order and little-endian.
type array struct {
	Name   string          `json:"name"`
	Path   string          `json:"path"`
	Format string          `json:"format"` // tiff or n5
	Type   string          `json:"type"`
	Shape  []int           `json:"shape"`
	Chunks []int           `json:"chunks"`
	Order  []int           `json:"order,omitempty"` // of a transpose in front
	Grid   json.RawMessage `json:"-"`
	Codecs string          `json:"-"`

	format pad.Format
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pad DIR")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pad:", err)
		os.Exit(1)
	}
}

// write writes every array and the manifest.
func write(ctx context.Context, dir string) error {
	arrays := append(tiffArrays(), n5Arrays()...)
	for _, a := range arrays {
		if err := a.write(ctx, dir); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	text, err := json.MarshalIndent(arrays, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), append(text, '\n'), 0o666)
}

const transpose = `{"name":"transpose","configuration":{"order":[%s]}},`

// chain spells a codecs list.
func chain(order []int, endian, compressor string) string {
	out := "["
	if order != nil {
		out += fmt.Sprintf(transpose, strings.Trim(strings.ReplaceAll(fmt.Sprint(order), " ", ","), "[]"))
	}
	out += `{"name":"bytes","configuration":{"endian":"` + endian + `"}}`
	if compressor != "" {
		out += `,"` + compressor + `"`
	}
	return out + "]"
}

func (a *array) write(ctx context.Context, dir string) error {
	t, err := dtype.Lookup(a.Type)
	if err != nil {
		return err
	}
	r := std.Registry()
	codecs, err := a.format.Codecs(r, json.RawMessage(a.Codecs), t, a.Chunks)
	if err != nil {
		return err
	}
	a.format.Register(r)
	spec := zarr.ArraySpec{Shape: a.Shape, DataType: a.Type, Codecs: codecs, Grid: a.Grid, Keys: json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`)}
	if a.Grid == nil {
		spec.Chunks = a.Chunks
	}
	path := filepath.Join(dir, a.Path)
	out, err := zarr.CreateArray(ctx, path, spec, zarr.Codecs(r))
	if err != nil {
		return err
	}
	v := sample(t, a.Shape)
	if err := out.WriteFrom(ctx, zarr.All(), v); err != nil {
		return err
	}
	if a.Format == "n5" {
		if err := a.attributes(path); err != nil {
			return err
		}
	}
	return os.WriteFile(path+".raw", v.Data, 0o666)
}

// attributes makes an N5 dataset of the array.
func (a *array) attributes(path string) error {
	compression := map[string]any{"type": "raw"}
	switch {
	case strings.Contains(a.Codecs, "zlib"):
		compression = map[string]any{"type": "gzip", "useZlib": true}
	case strings.Contains(a.Codecs, "gzip"):
		compression = map[string]any{"type": "gzip"}
	case strings.Contains(a.Codecs, "zstd"):
		compression = map[string]any{"type": "zstd"}
	}
	text, err := json.Marshal(map[string]any{
		"dimensions": a.Shape, "blockSize": a.Chunks, "dataType": a.Type, "compression": compression,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, "attributes.json"), text, 0o666)
}

// sample is data that compresses, and in which no chunk is empty.
func sample(t dtype.Type, shape []int) nd.View {
	v := nd.Make(t.Size(), slices.Clone(shape)...)
	r := rand.New(rand.NewPCG(7, uint64(len(v.Data))))
	k := 0
	v.Each(func(elem []byte) {
		if k++; k%7 == 0 || k%11 < 3 {
			return
		}
		for i := range elem {
			elem[i] = byte(r.IntN(3) * (i + 1))
		}
		if t.Kind() == dtype.Bool {
			elem[0] &= 1
		}
	})
	return v
}
