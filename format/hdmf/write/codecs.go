package write

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// shardConfig is the configuration of the codec that makes shards.
type shardConfig struct {
	Chunks []int           `json:"chunk_shape"`
	Codecs json.RawMessage `json:"codecs"`
}

// sharded reads how shards are cut, nil if there are none.
func sharded(a *zarr.Array) *shardConfig {
	list := a.Metadata().Codecs
	if len(list) != 1 || list[0].Name != "sharding_indexed" {
		return nil
	}
	var c shardConfig
	if err := strictjson.Decode(list[0].Configuration, &c); err != nil || len(c.Chunks) != len(a.Shape()) {
		return nil
	}
	return &c
}

// serializers are the codecs that turn elements into bytes.
var serializers = []string{"bytes", "vlen-utf8", "vlen-bytes", "numcodecs.json2", "numcodecs.pickle"}

// kept are the compressors that both layouts have.
var kept = []string{"gzip", "blosc", "zstd", "crc32c"}

// codecs are those that compress, if both layouts have them and they are not what
// the source's layout has by default.
func (s *stored) codecs() (json.RawMessage, bool) {
	list := s.array.Metadata().Codecs
	if inner := sharded(s.array); inner != nil {
		var err error
		if list, err = meta.ParseCodecs(inner.Codecs); err != nil {
			return nil, false
		}
	}
	at := slices.IndexFunc(list, func(x meta.Extension) bool { return slices.Contains(serializers, x.Name) })
	if at < 0 {
		return nil, false
	}
	list = list[at+1:]
	if slices.ContainsFunc(list, func(x meta.Extension) bool { return !slices.Contains(kept, x.Name) }) {
		return nil, false
	}
	if len(list) == 1 && isDefault(list[0]) {
		return nil, false
	}
	text, err := json.Marshal(list)
	return text, err == nil && string(text) != "null"
}

// checkCodecs refuses what is no list of codecs that compress, before anything of
// it is written. nil is fine.
func checkCodecs(codecs json.RawMessage) error {
	if codecs == nil {
		return nil
	}
	err := strictjson.Validate(codecs, strictjson.Options{})
	if err == nil {
		err = strictjson.Each(codecs, func(i int, raw json.RawMessage) error {
			x, err := strictjson.ParseNamed(raw)
			if err == nil && slices.Contains(serializers, x.Name) {
				err = fmt.Errorf("%s does not compress; what turns elements into bytes is found by itself", x.Name)
			}
			return strictjson.AtIndex(i, err)
		})
	}
	if err != nil {
		return fmt.Errorf("codecs: %w", err)
	}
	return nil
}

// isDefault says whether a codec is what one of the layouts has where nobody
// chose.
func isDefault(x meta.Extension) bool {
	var c struct {
		Name    string `json:"cname"`
		Level   int    `json:"clevel"`
		Shuffle string `json:"shuffle"`
		Zstd    int    `json:"level"`
		Sum     bool   `json:"checksum"`
	}
	if strictjson.Decode(x.Configuration, &c) != nil {
		return false
	}
	return x.Name == "zstd" && c.Zstd == 0 && !c.Sum || x.Name == "blosc" && c.Name == "lz4" && c.Level == 5 && c.Shuffle == "shuffle"
}

// chain is the codecs list of an array: the serializer, and what compresses.
func (f *form) chain(serializer string, width int, compress json.RawMessage, chosen bool) json.RawMessage {
	if !chosen {
		compress = json.RawMessage(`[` + compressorV3 + `]`)
		if f.layout == hdmf.V2 {
			compress = fmt.Appendf(nil, `[`+compressorV2+`]`, min(max(width, 1), 255))
		}
	}
	list := []json.RawMessage{json.RawMessage(serializer)}
	strictjson.Each(compress, func(_ int, raw json.RawMessage) error {
		list = append(list, raw)
		return nil
	})
	text, _ := json.Marshal(list)
	return text
}
