package jobs

import (
	"encoding/json"
	"strings"

	codec "github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/meta"
)

// blockWords are the codecs that make blocks of N5, for people.
var blockWords = map[string]string{
	codec.Name: "N5 blocks", codec.StringsName: "N5 blocks of text", codec.BlocksName: "N5 blocks as they are",
}

// compressionWords are what N5 calls the codecs that compress its blocks.
var compressionWords = map[string]string{
	"numcodecs.zlib": "zlib", "numcodecs.bz2": "bzip2", "numcodecs.lzma": "xz", "omnizarr.lz4_block": "lz4", codec.JPEGName: "jpeg",
}

// CodecWords tells the codecs of an N5 dataset in words, if the list is such: what
// blocks are made of, N5 lays down, so only how they are compressed is told.
func (*Kind) CodecWords(codecs []meta.Extension, word func(meta.Extension) string) (text string, ok bool) {
	turned := len(codecs) == 2 && codecs[0].Name == "transpose"
	if turned {
		codecs = codecs[1:]
	}
	if len(codecs) != 1 || blockWords[codecs[0].Name] == "" {
		return "", false
	}
	var config struct {
		Codecs json.RawMessage `json:"codecs"`
		Edges  string          `json:"edge_blocks"`
	}
	if json.Unmarshal(codecs[0].Configuration, &config) != nil {
		return "", false
	}
	text = blockWords[codecs[0].Name]
	if turned {
		text = "reversed " + text
	}
	if config.Edges == "padded" {
		text += ", whole at the edges"
	}
	inner, _ := meta.ParseCodecs(config.Codecs) // an empty list is none
	words := []string{}
	for _, c := range inner {
		if c.Name == "transpose" || c.Name == "bytes" {
			continue
		}
		if name := compressionWords[c.Name]; name != "" {
			c.Name = name
		}
		c.Name = strings.TrimPrefix(c.Name, "n5.compression.")
		words = append(words, word(c))
	}
	if len(words) == 0 {
		words = []string{"not compressed"}
	}
	return text + ", " + strings.Join(words, ", "), true
}
