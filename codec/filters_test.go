package codec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Codecs of kinds that the registry of this module need not have, to show that
// chains carry them: two that compute elements, and one of bytes that can be
// read in parts.

// wide stores bytes as numbers of two bytes, three times as large.
type wide struct{}

func (wide) Name() string                 { return "wide" }
func (wide) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("wide", nil) }

func (wide) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if in.Type.Name() != "uint8" {
		return nil, fmt.Errorf("cannot widen %s", in.Type.Name())
	}
	in.Type = dtype.MustParse("uint16")
	in.Fill = []byte{byte(3 * int(in.Fill[0])), byte(3 * int(in.Fill[0]) >> 8)}
	return wideFilter{in}, nil
}

type wideFilter struct{ out codec.Spec }

func (f wideFilter) Out() codec.Spec       { return f.out }
func (f wideFilter) Needs(b nd.Box) nd.Box { return b }
func (f wideFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	return pairs(dst, src, func(d, s []byte) { d[0], d[1] = byte(3*int(s[0])), byte(3*int(s[0])>>8) })
}

func (f wideFilter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	bad := 0
	err := pairs(dst, src, func(d, s []byte) {
		n := int(s[0]) | int(s[1])<<8
		bad += n % 3
		d[0] = byte(n / 3)
	})
	if err == nil && bad > 0 {
		err = codec.Bad("a number is not three times another")
	}
	return err
}

// pairs calls f with the elements of two views of the same shape.
func pairs(a, b nd.View, f func(a, b []byte)) error {
	if !slices.Equal(a.Shape, b.Shape) {
		return fmt.Errorf("shapes %v and %v", a.Shape, b.Shape)
	}
	idx := make([]int, len(a.Shape))
	for {
		f(a.At(idx...), b.At(idx...))
		if !nd.Next(idx, a.Shape) {
			return nil
		}
	}
}

// delta stores the differences along the last axis: a part needs all before it.
type delta struct{}

func (delta) Name() string                 { return "delta" }
func (delta) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("delta", nil) }

func (delta) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if in.Type.Size() != 1 || len(in.Shape) == 0 {
		return nil, fmt.Errorf("cannot take differences of %s %v", in.Type.Name(), in.Shape)
	}
	return deltaFilter{in}, nil
}

type deltaFilter struct{ out codec.Spec }

func (f deltaFilter) Out() codec.Spec { return f.out }

func (f deltaFilter) Needs(b nd.Box) nd.Box {
	last := len(b.Start) - 1
	out := nd.Box{Start: slices.Clone(b.Start), Shape: slices.Clone(b.Shape)}
	out.Start[last], out.Shape[last] = 0, b.Start[last]+b.Shape[last]
	return out
}

func (f deltaFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	last := len(src.Shape) - 1
	idx := make([]int, len(src.Shape))
	for {
		v := src.At(idx...)[0]
		if idx[last] > 0 {
			idx[last]--
			v -= src.At(idx...)[0]
			idx[last]++
		}
		dst.At(idx...)[0] = v
		if !nd.Next(idx, src.Shape) {
			return nil
		}
	}
}

func (f deltaFilter) Decode(_ *codec.Chunk, dst nd.View, b nd.Box, src nd.View) error {
	last := len(src.Shape) - 1
	sum := byte(0)
	idx := make([]int, len(src.Shape))
	for {
		if idx[last] == 0 {
			sum = 0
		}
		sum += src.At(idx...)[0]
		if k := idx[last] - b.Start[last]; k >= 0 {
			at := slices.Clone(idx)
			at[last] = k
			dst.At(at...)[0] = sum
		}
		if !nd.Next(idx, src.Shape) {
			return nil
		}
	}
}

// header puts a word before the bytes; what follows can be read by range.
type header struct{}

const word = "HDR!"

func (header) Name() string                 { return "header" }
func (header) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("header", nil) }

func (header) BindBytes(_ codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	size.N += len(word)
	return headerFilter{size}, nil
}

type headerFilter struct{ size codec.Size }

func (f headerFilter) Size() codec.Size { return f.size }

func (f headerFilter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	return append(append(dst, word...), src...), nil
}

func (f headerFilter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if !strings.HasPrefix(string(src), word) || len(src)-len(word) > limit {
		return nil, codec.Bad("no header")
	}
	return append(dst, src[len(word):]...), nil
}

func (f headerFilter) Range(_ *codec.Chunk, src codec.Source) codec.Source { return behind{src} }

type behind struct{ src codec.Source }

func (b behind) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	const skip = int64(len(word))
	at := len(dst)
	if off, n, ok := r.IsPart(); ok {
		out, info, err := b.src.Get(ctx, store.Part(off+skip, n), dst)
		info.Size -= skip
		return out, info, err
	}
	if n, ok := r.IsSuffix(); ok {
		out, info, err := b.src.Get(ctx, store.Suffix(n), dst)
		info.Size -= skip
		return out, info, err
	}
	limit, _ := r.IsAll()
	whole := store.All()
	if limit >= 0 {
		whole = store.UpTo(limit + skip)
	}
	out, info, err := b.src.Get(ctx, whole, dst)
	if err != nil {
		return dst, info, err
	}
	info.Size -= skip
	return append(out[:at], out[min(len(out), at+int(skip)):]...), info, nil
}

func registry() *codec.Registry {
	r := std.Registry()
	for _, c := range []codec.Codec{wide{}, delta{}, header{}} {
		r.Register(func(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
			return c, codec.ParseConfig(raw, &struct{}{})
		}, c.Name())
	}
	return r
}

func TestCodecsOfOtherKindsPassTheSuite(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	const shard = `{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["delta","wide",` + little + `],"index_codecs":[` + little + `,"crc32c"]}}`
	for _, c := range []codectest.Case{
		{Codecs: `["wide",` + little + `]`, Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: `["delta","bytes"]`, Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: `["delta","delta","wide",{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`, Type: "uint8", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},"delta",{"name":"transpose","configuration":{"order":[1,0]}},"wide",` + little + `,"crc32c"]`, Type: "uint8", Shape: []int{4, 6}},
		{Codecs: `[` + shard + `]`, Type: "uint8", Shape: []int{4, 6}, Fill: "7"},
		{Codecs: `["delta",` + shard + `]`, Type: "uint8", Shape: []int{4, 6}},
		{Codecs: `["bytes","header"]`, Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: `["bytes","header","header"]`, Type: "uint8", Shape: []int{5, 6}},
		{Codecs: `["bytes","gzip","header"]`, Type: "uint8", Shape: []int{5, 6}},
		{Codecs: `["bytes","header","crc32c"]`, Type: "uint8", Shape: []int{5, 6}},
		{Codecs: `[` + shard + `,"header"]`, Type: "uint8", Shape: []int{4, 6}},
		{Codecs: `["vlen-utf8","header"]`, Type: "string", Shape: []int{4}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestAPartBehindAHeaderIsReadByRange(t *testing.T) {
	chain, err := registry().ParseList(json.RawMessage(`["bytes","header"]`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{1 << 20}, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte(word), make([]byte, 1<<20)...)
	data[len(word)+77] = 9
	src := &codectest.Source{Data: data}
	dst := nd.Make(1, 3)
	if err := b.Decode(ctx, limits(), src, nd.Box{Start: []int{76}, Shape: []int{3}}, dst); err != nil {
		t.Fatal(err)
	}
	if src.Bytes.Load() != 3 || dst.Data[1] != 9 {
		t.Errorf("%d bytes, %v", src.Bytes.Load(), dst.Data)
	}
}
