package n5

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Adapt gives a new array the codecs that make blocks of its chunks, in place of
// those that turn elements into bytes and compress them, or says what N5 lacks.
func (c *container) Adapt(m *meta.Array) error {
	if _, ok := m.Grid.(*grid.Regular); !ok {
		return fmt.Errorf("no grid %s in N5, only regular blocks", m.Grid.Name())
	}
	rank := len(m.Shape)
	if rank == 0 {
		return errors.New("no arrays without dimensions in N5")
	}
	list := m.Codecs
	if c.opt.reversed && len(list) == 2 && list[0].Name == "transpose" && isBlock(list[1].Name) {
		list = list[1:]
	}
	serial, err := split(m.DataType, list)
	if err != nil {
		return err
	}
	if serial.compressor != nil {
		if err := translate.DropChecksum(serial.compressor); err != nil {
			return err
		}
	}
	serial.padded = serial.padded || c.opt.padEdges
	if serial.name == blocksCodec && slices.ContainsFunc(m.Grid.Uniform(), func(n int) bool { return n > 1 }) {
		return errors.New("an object of N5 is a block of its own: chunks must be 1 long along every axis")
	}
	if m.Codecs, err = serial.codecs(rank, m.DataType.Size()); err != nil {
		return err
	}
	if c.opt.reversed {
		m.Codecs = append([]meta.Extension{reversal(rank)}, m.Codecs...)
	}
	_, err = c.opt.members(m, nil)
	return err
}

func isBlock(name string) bool {
	return name == defaultCodec || name == stringsCodec || name == blocksCodec
}

// split takes the codecs of an array apart: those of blocks, or plain ones that
// blocks can have instead.
func split(t dtype.Type, list []meta.Extension) (serialization, error) {
	var s serialization
	if len(list) == 1 && isBlock(list[0].Name) {
		var config struct {
			Codecs json.RawMessage `json:"codecs"`
			Edges  string          `json:"edge_blocks"`
		}
		if err := strictjson.Unmarshal(list[0].Configuration, &config); err != nil {
			return s, fmt.Errorf("codec %s: %w", list[0].Name, err)
		}
		inner, err := meta.ParseCodecs(config.Codecs)
		if string(config.Codecs) == "[]" {
			inner, err = nil, nil
		}
		if err != nil {
			return s, fmt.Errorf("codec %s: codecs: %w", list[0].Name, err)
		}
		s.name, s.padded = list[0].Name, config.Edges == "padded"
		if s.name == defaultCodec {
			inner = inner[min(2, len(inner)):]
		}
		if len(inner) > 0 {
			s.compressor = &inner[0]
		}
		return s, nil
	}
	switch name := list[0].Name; {
	case name == "bytes" && slices.Contains(numbers, t.Name()):
		s.name = defaultCodec
	case name == "vlen-utf8" && t.Kind() == dtype.String:
		s.name = stringsCodec
	case name == "vlen-bytes" && t.Kind() == dtype.Bytes:
		s.name = blocksCodec
	case name == "sharding_indexed":
		return s, errors.New("no shards in N5")
	case name == "bytes":
		return s, fmt.Errorf("no data type %s in N5, only %s, %s and variable_length_bytes", t.Name(), strings.Join(numbers, ", "), stringType)
	default:
		return s, fmt.Errorf("no codec %s in N5, only bytes and at most one that compresses", name)
	}
	if len(list) > 2 {
		return s, fmt.Errorf("%d codecs behind %s, N5 has at most one", len(list)-1, list[0].Name)
	}
	if len(list) == 2 {
		s.compressor = &list[1]
	}
	return s, nil
}

// members gives the members of attributes.json that make the dataset that m is, in
// their order. A compression that old has already stays as it is spelled there,
// also one that N5 does not have.
func (o options) members(m *meta.Array, old *meta.Attributes) ([]strictjson.Member, error) {
	m = m.Clone()
	if o.reversed {
		if err := restore(m); err != nil {
			return nil, err
		}
	}
	if keys, ok := m.Keys.(grid.V2Keys); !ok || keys.Sep != '/' {
		return nil, errors.New(`no chunk keys in N5 but those of the encoding v2 with the separator "/"`)
	}
	if len(m.Transformers) > 0 {
		return nil, errors.New("no storage transformers in N5")
	}
	for _, x := range m.Extra {
		return nil, fmt.Errorf("no member %s in N5", strictjson.Quote(x.Name))
	}
	if !isZero(m) {
		return nil, fmt.Errorf("the fill value is %s: a missing block of N5 is zeros", strictjson.Excerpt(m.FillValue))
	}
	if len(m.Codecs) != 1 || !isBlock(m.Codecs[0].Name) {
		return nil, fmt.Errorf("no codec %s in N5", m.Codecs[0].Name)
	}
	s, err := split(m.DataType, m.Codecs)
	if err != nil {
		return nil, err
	}
	kind := m.DataType.Name()
	switch s.name {
	case stringsCodec:
		kind = stringType
	case blocksCodec:
		kind = objectType
	}
	compression := old.Raw(compressionMember)
	if was, err := compressionOf(old, m.DataType.Size()); compression == nil || err != nil || !sameCodec(was, s.compressor) {
		if compression, err = marshalCompression(s.compressor); err != nil {
			return nil, err
		}
	}
	shape, block := m.Shape, m.Grid.Uniform()
	if s.name == blocksCodec {
		shape, block = objectLengths(shape, old)
	}
	return []strictjson.Member{
		{Name: dataTypeMember, Raw: strictjson.AppendString(nil, kind)},
		{Name: compressionMember, Raw: compression},
		{Name: blockSizeMember, Raw: strictjson.AppendInts(nil, block)},
		{Name: dimensionsMember, Raw: strictjson.AppendInts(nil, shape)},
	}, nil
}

// objectLengths gives the dimensions and the block size of a dataset of objects
// with so many blocks along each axis, where old may have blocks of some length.
func objectLengths(blocks []int, old *meta.Attributes) (dims, size []int) {
	dims, size = slices.Clone(blocks), slices.Repeat([]int{1}, len(blocks))
	was, err := strictjson.Lengths(old.Raw(dimensionsMember), 0, nd.MaxRank)
	if err != nil || !isDataset(old) || len(was) != len(blocks) {
		return dims, size
	}
	length := was
	if said(old, blockSizeMember) {
		if length, err = strictjson.Lengths(old.Raw(blockSizeMember), 1, nd.MaxRank); err != nil || len(length) != len(blocks) {
			return dims, size
		}
	}
	for i, n := range blocks {
		size[i] = max(length[i], 1)
		if dims[i] = was[i]; (was[i]+size[i]-1)/size[i] != n {
			dims[i] = n * size[i]
		}
	}
	return dims, size
}

// isZero reports whether the fill value is that of blocks which are missing: zero,
// or no text.
func isZero(m *meta.Array) bool {
	if len(m.DataType.Refs()) > 0 {
		return string(m.FillValue) == `""`
	}
	fill, err := m.DataType.ParseFill(m.FillValue, nil)
	return err == nil && !slices.ContainsFunc(fill, func(b byte) bool { return b != 0 })
}

func sameCodec(a, b *meta.Extension) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && compact(a.Configuration) == compact(b.Configuration)
}
