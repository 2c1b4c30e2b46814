package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// The bytes of numcodecs' filter PackBits, which Zarr v2 has, by themselves:
// NAME.raw holds truth values, a byte each, and NAME.packed what the filter
// makes of them.

// filterLengths are the numbers of truth values.
func filterLengths() []int {
	out := []int{0, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 100_003}
	for n := 1; n <= 33; n++ {
		out = append(out, n)
	}
	return out
}

// writeFilter writes pairs of files.
func writeFilter(ctx context.Context, dir string) error {
	for _, n := range filterLengths() {
		for i, kind := range []string{"random", "false", "true"} {
			raw := bytes.Repeat([]byte{byte(i / 2)}, n)
			if i == 0 {
				raw = random(dtype.MustParse(`"bool"`), []int{n}, uint64(n)).Data
			}
			f, err := bindFilter(n)
			if err != nil {
				return err
			}
			packed, err := f.encode(ctx, raw)
			if err != nil {
				return err
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%06d", kind, n))
			if err := errors.Join(os.WriteFile(path+".raw", raw, 0o666), os.WriteFile(path+".packed", packed, 0o666)); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFilter compares pairs of files: each must give the other.
func readFilter(ctx context.Context, dir, results string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.raw"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	var out []result
	for _, path := range paths {
		r := result{Case: strings.TrimSuffix(filepath.Base(path), ".raw")}
		if err := comparePair(ctx, path, filepath.Join(dir, r.Case+".packed")); err != nil {
			r.Error = err.Error()
		}
		out = append(out, r)
	}
	return saveResults(results, out)
}

func comparePair(ctx context.Context, rawPath, packedPath string) error {
	raw, err := os.ReadFile(rawPath)
	if err != nil {
		return err
	}
	packed, err := os.ReadFile(packedPath)
	if err != nil {
		return err
	}
	f, err := bindFilter(len(raw))
	if err != nil {
		return err
	}
	encoded, err := f.encode(ctx, raw)
	if err != nil {
		return err
	}
	if !bytes.Equal(encoded, packed) {
		return errors.New("encodes to different bytes")
	}
	decoded := nd.Make(1, len(raw))
	if err := f.bound.Decode(ctx, f.chunk, &codec.Memory{Bytes: packed}, nd.Whole(decoded.Shape), decoded); err != nil {
		return err
	}
	if !bytes.Equal(decoded.Data, raw) {
		return errors.New("decodes to different values")
	}
	return nil
}

// boundFilter is the filter for chunks of one length.
type boundFilter struct {
	bound *codec.Bound
	chunk *codec.Chunk
}

func bindFilter(n int) (boundFilter, error) {
	chain, err := std.Registry().ParseList(json.RawMessage(`["numcodecs.packbits","bytes"]`))
	if err != nil {
		return boundFilter{}, err
	}
	b, err := chain.Bind(codec.Spec{Type: dtype.MustParse(`"bool"`), Shape: []int{n}, Fill: []byte{0}})
	return boundFilter{b, &codec.Chunk{Limits: &codec.Limits{MaxChunk: n + 1}}}, err
}

func (f boundFilter) encode(ctx context.Context, raw []byte) ([]byte, error) {
	return f.bound.Encode(ctx, f.chunk, nil, nd.Of(raw, 1, len(raw)))
}
