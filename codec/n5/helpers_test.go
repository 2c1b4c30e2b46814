package n5_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

const big = `{"name":"bytes","configuration":{"endian":"big"}}`

// block spells the codec for so many axes; more follows transpose.
func block(rank int, more ...string) string {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	text, err := json.Marshal(order)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":%s}},%s]}}`,
		text, strings.Join(more, ","))
}

// bind makes a chain for chunks whose fill value is the given number.
func bind(codecs, typ, fill string, shape ...int) (*codec.Bound, error) {
	chain, err := std.Registry().ParseList(json.RawMessage("[" + codecs + "]"))
	if err != nil {
		return nil, err
	}
	dt := dtype.MustParse(typ)
	elem, err := dt.ParseFill(json.RawMessage(fill), nil)
	if err != nil {
		return nil, err
	}
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: elem})
}

func mustBind(t testing.TB, codecs, typ, fill string, shape ...int) *codec.Bound {
	t.Helper()
	b, err := bind(codecs, typ, fill, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// chunk is one of which extent lies inside the array; nil is all of it.
func chunk(extent []int) *codec.Chunk {
	var index []int
	if extent != nil {
		index = make([]int, len(extent))
	}
	return &codec.Chunk{Index: index, Extent: extent, Limits: &codec.Limits{Workers: par.NewLimiter(2, 1<<30), MaxChunk: 1 << 20}}
}

// decode decodes a box of a block into new memory.
func decode(b *codec.Bound, src codec.Source, box nd.Box) (nd.View, error) {
	v := nd.Make(b.Spec().Type.Size(), box.Shape...)
	return v, b.Decode(context.Background(), chunk(nil), src, box, v)
}

func memory(data []byte) *codec.Memory { return &codec.Memory{Bytes: data} }
