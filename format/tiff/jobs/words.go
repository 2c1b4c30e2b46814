package jobs

import (
	"encoding/json"

	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/meta"
)

// predictorWords are what stands before the compression of tiles, by the number that
// TIFF has for it.
var predictorWords = map[int]string{2: " of differences", 3: " of floats by bytes"}

// CodecWords tells tiles of TIFF by their compression, if the codecs are such tiles.
func (*Kind) CodecWords(codecs []meta.Extension, _ func(meta.Extension) string) (text string, ok bool) {
	if len(codecs) != 1 || codecs[0].Name != tifftile.Name {
		return "", false
	}
	var config struct {
		Compression int `json:"compression"`
		Predictor   int `json:"predictor"`
	}
	config.Compression = tile.None
	if json.Unmarshal(codecs[0].Configuration, &config) != nil {
		return "", false
	}
	return "TIFF tiles, " + tile.CompressionName(config.Compression) + predictorWords[config.Predictor], true
}
