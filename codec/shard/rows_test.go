package shard_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// noisyShard gives a shard of 8³ inner chunks, which zstd decodes two at a time, and its elements. Some are missing.
func noisyShard(t *testing.T, codecs string) (b *codec.Bound, data []byte, elements nd.View) {
	t.Helper()
	const n, inner = 128, 16
	b, err := bind(fmt.Sprintf(`[%s]`, sharded(fmt.Sprintf("[%d,%d,%d]", inner, inner, inner), codecs, checked, "end")), "uint8", n, n, n)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(13, 14))
	elements = nd.Make(1, n, n, n)
	for i := range elements.Data {
		elements.Data[i] = byte(100 + 9*r.NormFloat64())
	}
	for k := range 20 {
		at := []int{r.IntN(8) * inner, r.IntN(8) * inner, k % 8 * inner}
		hole := elements.Box(nd.Box{Start: at, Shape: []int{inner, inner, inner}})
		nd.Copy(hole, nd.Make(1, inner, inner, inner))
	}
	if data, err = b.Encode(context.Background(), limits(), nil, elements); err != nil {
		t.Fatal(err)
	}
	return b, data, elements
}

func TestInnerChunksAfterEachOther(t *testing.T) {
	for _, codecs := range []string{
		`"bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}}`,
		`"bytes",{"name":"zstd","configuration":{"level":1,"checksum":true}}`,
		`"bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}},"crc32c"`,
	} {
		b, data, elements := noisyShard(t, codecs)
		r := rand.New(rand.NewPCG(15, 16))
		for i := range thorough.Rounds(80) {
			box := nd.Box{Start: make([]int, 3), Shape: []int{128, 128, 128}}
			if i > 0 {
				for k := range box.Start {
					box.Start[k] = r.IntN(128)
					box.Shape[k] = 1 + r.IntN(128-box.Start[k])
				}
			}
			want := nd.Make(1, box.Shape...)
			nd.Copy(want, elements.Box(box))
			for name, src := range map[string]codec.Source{
				"in memory": &codec.Memory{Bytes: data},
				"near":      &codectest.Source{Data: data, IsNear: true},
				"far":       &codectest.Source{Data: data},
			} {
				got := nd.Make(1, box.Shape...)
				if err := b.Decode(context.Background(), limits(), src, box, got); err != nil || !bytes.Equal(got.Data, want.Data) {
					t.Fatalf("%s: %v, %s: other elements, %v", codecs, box, name, err)
				}
			}
		}
	}
}

// What is wrong with an inner chunk is found when it is its turn, and names it.
func TestADamagedInnerChunkAmongOthersIsNamed(t *testing.T) {
	b, data, _ := noisyShard(t, `"bytes",{"name":"zstd","configuration":{"level":3,"checksum":true}}`)
	src := bytes.Clone(data)
	at := bytes.Index(src[len(src)/3:], []byte{0x28, 0xb5, 0x2f, 0xfd}) + len(src)/3
	src[at+100] ^= 1
	all := nd.Box{Start: []int{0, 0, 0}, Shape: []int{128, 128, 128}}
	var said string
	for _, near := range []bool{true, false} {
		err := b.Decode(context.Background(), limits(), &codectest.Source{Data: src, IsNear: near}, all, nd.Make(1, all.Shape...))
		if err == nil || !strings.Contains(err.Error(), "inner chunk [") || !strings.Contains(err.Error(), "zstd") {
			t.Fatalf("near %v: %v", near, err)
		}
		if said != "" && err.Error() != said {
			t.Errorf("near %q, far %q", said, err)
		}
		said = err.Error()
	}
}
