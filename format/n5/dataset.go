package n5

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// The members of attributes.json that make a node a dataset, in the order in which
// Java's N5 writes them.
const (
	dataTypeMember    = "dataType"
	compressionMember = "compression"
	blockSizeMember   = "blockSize"
	dimensionsMember  = "dimensions"
	oldMember         = "compressionType" // of version 1, instead of compression
)

var datasetMembers = []string{dataTypeMember, compressionMember, blockSizeMember, dimensionsMember, oldMember}

// The codecs of blocks: of numbers, of text, and of anything.
const (
	defaultCodec = "n5_default"
	stringsCodec = "omnizarr.n5_strings"
	blocksCodec  = "omnizarr.n5_blocks"
)

// isDataset reports whether attributes.json is that of a dataset, by what Java's
// N5 goes by.
func isDataset(attrs *meta.Attributes) bool {
	return said(attrs, dimensionsMember) && said(attrs, dataTypeMember)
}

// said reports whether there is a member; null says nothing.
func said(attrs *meta.Attributes, name string) bool {
	raw := attrs.Raw(name)
	return raw != nil && !strictjson.IsNull(raw)
}

// The data types of N5 that are no numbers, and what elements of theirs are here.
const (
	stringType = "string"
	objectType = "object"
)

var numbers = []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"}

// array is the dataset as an array, without attributes and names.
func (o options) array(attrs *meta.Attributes) (*meta.Array, error) {
	m := &meta.Array{Keys: grid.V2Keys{Sep: '/'}}
	var err error
	if m.Shape, err = strictjson.Lengths(attrs.Raw(dimensionsMember), 0, nd.MaxRank); err != nil {
		return nil, strictjson.At(dimensionsMember, err)
	}
	if len(m.Shape) == 0 {
		return nil, strictjson.At(dimensionsMember, errors.New("must not be empty"))
	}
	block := slices.Clone(m.Shape)
	if said(attrs, blockSizeMember) {
		if block, err = strictjson.Lengths(attrs.Raw(blockSizeMember), 1, nd.MaxRank); err != nil {
			return nil, strictjson.At(blockSizeMember, err)
		}
	}
	if len(block) != len(m.Shape) {
		return nil, strictjson.Errorf(blockSizeMember, "%d lengths, the dataset has %d dimensions", len(block), len(m.Shape))
	}
	for i := range block {
		block[i] = max(block[i], 1)
	}
	kind, err := strictjson.String(attrs.Raw(dataTypeMember))
	if err != nil {
		return nil, strictjson.At(dataTypeMember, err)
	}
	serial := serialization{name: defaultCodec, padded: o.padEdges}
	switch kind {
	case stringType:
		m.DataType, m.FillValue = dtype.MustParse("string"), json.RawMessage(`""`)
		serial.name = stringsCodec
	case objectType:
		// An element is what a block holds.
		m.DataType, m.FillValue = dtype.MustParse("variable_length_bytes"), json.RawMessage(`""`)
		serial.name = blocksCodec
		for i, n := range m.Shape {
			m.Shape[i], block[i] = (n+block[i]-1)/block[i], 1
		}
	default:
		if !slices.Contains(numbers, kind) {
			return nil, strictjson.At(dataTypeMember, fmt.Errorf("N5 has no type %s", strictjson.Quote(kind)))
		}
		m.DataType, m.FillValue = dtype.MustParse(kind), json.RawMessage("0")
	}
	if m.Grid, err = grid.NewRegular(m.Shape, block); err != nil {
		return nil, strictjson.At(blockSizeMember, err)
	}
	if serial.compressor, err = compressionOf(attrs, m.DataType.Size()); err != nil {
		return nil, err
	}
	m.Codecs, err = serial.codecs(len(m.Shape), m.DataType.Size())
	return m, err
}

// compressionOf reads what says how blocks are compressed; it may be absent.
func compressionOf(attrs *meta.Attributes, size int) (*meta.Extension, error) {
	if said(attrs, compressionMember) {
		x, err := parseCompression(attrs.Raw(compressionMember), size)
		return x, strictjson.At(compressionMember, err)
	}
	raw := attrs.Raw(oldMember)
	if raw == nil {
		return nil, nil
	}
	x, err := parseCompression(object([]strictjson.Member{{Name: "type", Raw: raw}}), size)
	return x, strictjson.At(oldMember, err)
}

// serialization is the codec that blocks of a dataset are written with.
type serialization struct {
	name       string
	padded     bool
	compressor *meta.Extension // nil if there is none
}

// codecs is the list of an array of so many axes.
func (s serialization) codecs(rank, size int) ([]meta.Extension, error) {
	inner := []meta.Extension{}
	if s.name == defaultCodec {
		bytes := meta.Extension{Name: "bytes"}
		if size > 1 {
			bytes.Configuration = json.RawMessage(`{"endian":"big"}`)
		}
		inner = append(inner, reversal(rank), bytes)
	}
	if s.compressor != nil {
		inner = append(inner, *s.compressor)
	}
	list, err := json.Marshal(inner)
	if err != nil {
		return nil, err
	}
	config := fmt.Appendf(nil, `{"codecs":%s`, list)
	if s.padded && s.name == defaultCodec {
		config = append(config, `,"edge_blocks":"padded"`...)
	}
	return []meta.Extension{{Name: s.name, Configuration: append(config, '}')}}, nil
}

// reversal is the codec that reverses so many axes.
func reversal(rank int) meta.Extension {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return meta.Extension{Name: "transpose", Configuration: fmt.Appendf(nil, `{"order":%s}`, strictjson.AppendInts(nil, order))}
}
