package n5

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Mode is what a block holds.
type Mode uint16

// The modes of N5.
const (
	Default   Mode = 0 // an array of as many elements as the block's shape has
	Varlength Mode = 1 // elements, or bytes of text, that are counted
	Object    Mode = 2 // bytes that mean something to who wrote them
)

// Block is a block of any mode, decompressed.
type Block struct {
	Mode  Mode
	Shape []int // as its header has it; none in mode Object
	// Count is the number of elements, of bytes in mode Object and of datasets of
	// strings.
	Count int
	// Data are the elements, big-endian, the first dimension fastest.
	Data []byte
}

// maxBlock bounds the decompressed size of a block.
const maxBlock = 1 << 30

// ReadBlock reads a block of the dataset at a path of a container, whatever its
// mode: those that an array has no place for are read so. An error wraps
// store.ErrNotExist if there is no such block.
func ReadBlock(ctx context.Context, s store.Store, dataset string, index ...int) (Block, error) {
	c := &container{store: translate.Raw(s)}
	key := dataset
	for _, i := range index {
		key = path.Join(key, strconv.Itoa(i))
	}
	b, err := c.block(ctx, dataset, key, len(index))
	return b, store.WrapError("get", c.store.URL(), key, err)
}

func (c *container) block(ctx context.Context, dataset, key string, rank int) (Block, error) {
	attrs, _, _, err := c.read(ctx, dataset)
	if err != nil {
		return Block{}, err
	}
	if !isDataset(attrs) {
		return Block{}, fmt.Errorf("there is no dataset %q", dataset)
	}
	m, err := c.opt.array(attrs)
	if err != nil {
		return Block{}, err
	}
	if rank != len(m.Shape) {
		return Block{}, fmt.Errorf("an index of %d numbers, the dataset has %d dimensions", rank, len(m.Shape))
	}
	x, err := compressionOf(attrs, m.DataType.Size())
	if err != nil {
		return Block{}, err
	}
	list := []meta.Extension{}
	if x != nil {
		list = append(list, *x)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return Block{}, err
	}
	payload, err := n5.ParsePayload(std.Registry(), raw)
	if err != nil {
		return Block{}, err
	}
	data, _, err := c.store.Get(ctx, key, store.UpTo(maxBlock), nil)
	if err != nil {
		return Block{}, err
	}
	size := 1
	if m.DataType.Kind() != dtype.String && m.DataType.Kind() != dtype.Bytes {
		size = m.DataType.Size()
	}
	h, data, err := n5.DecodeBlock(payload, &codec.Limits{MaxChunk: room(data, size)}, data)
	if err != nil {
		return Block{}, err
	}
	b := Block{Mode(h.Mode), h.Shape, h.Count, data}
	if b.Mode == Default {
		b.Count = len(data) / size
	}
	if b.Mode != Object && len(data) != b.Count*size {
		return Block{}, codec.Bad("the block has %d bytes, which are not %d elements of %d bytes", len(data), b.Count, size)
	}
	return b, nil
}

// room is how many bytes the elements of a block can have by what its header says.
func room(data []byte, size int) int {
	h, err := n5block.Parse(data)
	if err != nil || h.Mode == n5block.Object {
		return maxBlock
	}
	n := h.Count
	if h.Mode == n5block.Default {
		n, _ = nd.Len(h.Shape)
	}
	return min(max(n, 0), maxBlock/size) * size
}
