package std

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec/conditional"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/meta"
)

// own is what the names of codecs begin with that nobody else has.
const own = "omnizarr."

// Portable reports whether other readers of Zarr v3 know a codec, and those that
// it holds. Those for objects and a few old filters have no name there, those of
// tiles and blocks are for the formats that they come from, and conditional is
// registered but nobody else has it.
func Portable(x meta.Extension) bool {
	if strings.HasPrefix(x.Name, own) || slices.Contains([]string{tifftile.Name, n5.Name, conditional.Codec{}.Name()}, x.Name) {
		return false
	}
	if id, ok := strings.CutPrefix(x.Name, "numcodecs."); ok {
		return !slices.Contains([]string{"categorize", "base64", "json2", "msgpack2", "pickle", "vlen-array", "n5_wrapper"}, id)
	}
	var inner struct {
		Codecs json.RawMessage `json:"codecs"` // of a shard
	}
	if json.Unmarshal(x.Configuration, &inner) != nil || inner.Codecs == nil {
		return true
	}
	list, err := meta.ParseCodecs(inner.Codecs)
	return err == nil && !slices.ContainsFunc(list, func(x meta.Extension) bool { return !Portable(x) })
}
