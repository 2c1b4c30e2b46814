package api

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
)

// ArrayInfo is what is told of an array.
type ArrayInfo struct {
	Shape          []int           `json:"shape"`
	Chunks         []int           `json:"chunks"` // empty if they differ
	Shards         []int           `json:"shards,omitempty"`
	DataType       string          `json:"data_type"`
	FillValue      json.RawMessage `json:"fill_value"`
	DimensionNames []*string       `json:"dimension_names,omitempty"`
	Codecs         []CodecInfo     `json:"codecs"`
	Bytes          float64         `json:"bytes"`            // of all elements
	Stored         *int64          `json:"stored,omitempty"` // bytes, where that is cheap to know
}

// CodecInfo is a codec of an array.
type CodecInfo struct {
	Name          string          `json:"name"`
	Words         string          `json:"words"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
	Inner         []CodecInfo     `json:"inner,omitempty"` // of chunks in shards
}

// mostSized is how many values are listed to know how much is stored.
const mostSized = 4096

func (s *server) arrayMember(ctx context.Context, sp *spot, n *Node) error {
	a, ok := sp.node.(*zarr.Array)
	if !ok {
		return nil
	}
	n.NodeType = "array"
	m := a.Metadata()
	info := &ArrayInfo{
		Shape: append([]int{}, m.Shape...), Chunks: append([]int{}, a.ChunkShape()...), Shards: a.ShardShape(),
		DataType: kind.TypeWords(m.DataType), FillValue: strictjson.QuoteBare(m.FillValue), DimensionNames: m.DimensionNames,
		Codecs: s.codecs(m.Codecs), Bytes: float64(m.DataType.Size()),
	}
	if len(info.FillValue) == 0 {
		info.FillValue = json.RawMessage("null")
	}
	for _, l := range m.Shape {
		info.Bytes *= float64(l)
	}
	n.Array = info
	if _, err := a.Codec(); err != nil {
		n.tell(sp, err)
	}
	stored, ok := sp.subject.Node.(*zarr.Array)
	if !ok || !job.CanSize(stored) {
		return nil
	}
	sizes, err := job.Sizes(ctx, stored, []*zarr.Array{stored}, mostSized)
	if size, ok := sizes[stored.Path()]; err == nil && ok {
		info.Stored = &size.Bytes
	}
	return nil
}

// codecs tells codecs in words, one by one.
func (s *server) codecs(list []meta.Extension) []CodecInfo {
	out := []CodecInfo{}
	for _, c := range list {
		info := CodecInfo{Name: c.Name, Words: s.kinds.Codec(c)}
		if text, ok := s.kinds.CodecWords([]meta.Extension{c}, s.kinds.Codec); ok {
			info.Words = text
		}
		if len(c.Configuration) > 0 {
			info.Configuration = strictjson.QuoteBare(c.Configuration)
		}
		var config struct {
			Codecs json.RawMessage `json:"codecs"`
		}
		if json.Unmarshal(c.Configuration, &config) == nil && config.Codecs != nil {
			if inner, err := meta.ParseCodecs(config.Codecs); err == nil {
				info.Inner = s.codecs(inner)
			}
		}
		out = append(out, info)
	}
	return out
}

// escapePointer spells a name as a part of a JSON pointer.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
