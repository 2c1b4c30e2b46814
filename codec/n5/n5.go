// Package n5 holds the codecs for blocks of the N5 format.
//
// "n5_default" is a block in its default mode, a header that tells its shape, and
// the elements, encoded by codecs inside: all axes reversed, since N5 runs through
// its first dimension fastest, big-endian, and compressed or not. The shape in the
// header is that of what is stored, so blocks at the edge of an array may be
// shorter than the others: they are written so, as Java's N5 does it, or padded
// where the configuration says so, and blocks that others wrote are read whatever
// their shape is.
//
// "omnizarr.n5_strings" is a block of strings, and "omnizarr.n5_blocks" one that is
// read for its bytes alone. "omnizarr.n5_jpeg" is a compressor that only N5 has.
package n5

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Name is the name in metadata.
const Name = "n5_default"

// Codec is a parsed entry.
type Codec struct {
	// Codecs encode what follows the header: transpose, bytes, and at most one
	// codec that works on bytes.
	Codecs *codec.Chain
	// Padded has blocks at the edge of an array written as large as the others,
	// as tensorstore does it, and not cut.
	Padded bool
}

// config is the registered configuration, and which blocks are written at the
// edge: "truncated", which is the default, or "padded". The latter is our own.
type config struct {
	Codecs     json.RawMessage `json:"codecs"`
	EdgeBlocks string          `json:"edge_blocks,omitempty"`
}

// Parse reads the configuration.
func Parse(r *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Codecs == nil {
		return nil, errors.New("configuration lacks codecs")
	}
	chain, err := r.ParseList(c.Codecs)
	if err == nil {
		err = checkList(chain.Codecs())
	}
	if err != nil {
		return nil, fmt.Errorf("codecs: %w", err)
	}
	switch c.EdgeBlocks {
	case "", "truncated", "padded":
		return Codec{chain, c.EdgeBlocks == "padded"}, nil
	}
	return nil, fmt.Errorf("edge_blocks is %s: must be \"truncated\" or \"padded\"", strictjson.Quote(c.EdgeBlocks))
}

// checkList checks that inner codecs are those of a block. What they are configured
// to is asked of their metadata, which any registry's codecs have.
func checkList(list []codec.Codec) error {
	switch {
	case len(list) < 2:
		return fmt.Errorf("there is only %s: must be transpose and bytes", list[0].Name())
	case list[0].Name() != "transpose":
		return fmt.Errorf("the first is %s: must be transpose", list[0].Name())
	case list[1].Name() != "bytes":
		return fmt.Errorf("the second is %s: must be bytes", list[1].Name())
	case len(list) > 3:
		return fmt.Errorf("there are %d: one may follow transpose and bytes", len(list))
	}
	var first struct {
		Configuration struct {
			Order codec.Order `json:"order"`
		} `json:"configuration"`
	}
	if err := reread(list[0], &first); err != nil {
		return err
	}
	order := first.Configuration.Order
	if order.Name == "C" {
		return errors.New(`the order of transpose is "C": must reverse all axes`)
	}
	for i, k := range order.Axes {
		if k != len(order.Axes)-1-i {
			return fmt.Errorf("the order of transpose is %v: must reverse all axes", order.Axes)
		}
	}
	var second struct {
		Configuration struct {
			Endian *string `json:"endian"`
		} `json:"configuration"`
	}
	if err := reread(list[1], &second); err != nil {
		return err
	}
	// Without it, bytes itself refuses types that need it.
	if e := second.Configuration.Endian; e != nil && *e != "big" {
		return fmt.Errorf("the endian of bytes is %q: must be \"big\"", *e)
	}
	return nil
}

// reread reads the entry that a codec gives for metadata.
func reread(k codec.Codec, v any) error {
	raw, err := k.MarshalJSON()
	if err != nil {
		return err
	}
	return strictjson.Unmarshal(raw, v)
}

// Name is "n5_default".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	codecs, err := c.Codecs.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := config{Codecs: codecs}
	if c.Padded {
		out.EdgeBlocks = "padded"
	}
	return codec.MarshalEntry(Name, out)
}

// Complete writes down the configurations of the inner codecs.
func (c Codec) Complete(in codec.Spec) (codec.Codec, error) {
	var err error
	c.Codecs, err = c.Codecs.Complete(in)
	return c, err
}

// types are the data types of N5.
var types = []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"}

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if name := in.Type.Name(); !slices.Contains(types, name) {
		return nil, fmt.Errorf("N5 has no data type %s", name)
	}
	if err := checkShape(in.Shape, in.Type.Size()); err != nil {
		return nil, err
	}
	full, err := c.Codecs.Bind(in)
	if err != nil {
		return nil, err
	}
	s := &serializer{
		spec: in, chain: c.Codecs, raw: len(c.Codecs.Codecs()) == 2, padded: c.Padded,
		header: n5block.AppendDefault(nil, in.Shape), full: full, edges: map[string]*codec.Bound{},
	}
	if inner := full.Size(); inner.Known && inner.N <= math.MaxInt-len(s.header) {
		s.likely = codec.AtMost(len(s.header) + inner.N)
		// No compressor makes more than twice as much of elements.
		s.size = codec.AtMost(max(s.likely.N, 2*maxLonger+1<<16))
	}
	return s, nil
}

// checkShape checks that a header can tell the shape of chunks.
func checkShape(shape []int, size int) error {
	if n := len(shape); n > math.MaxUint16 {
		return fmt.Errorf("%d axes: a block of N5 has at most %d", n, math.MaxUint16)
	}
	for i, n := range shape {
		if n < 1 || uint64(n) > math.MaxUint32 {
			return fmt.Errorf("a chunk is %d long along axis %d: a block of N5 is 1 to %d long", n, i, uint32(math.MaxUint32))
		}
	}
	if _, ok := nd.Bytes(shape, size); !ok {
		return fmt.Errorf("a chunk of shape %v has more bytes than can be counted", shape)
	}
	return nil
}
