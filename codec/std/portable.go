package std

import (
	"slices"
	"strings"

	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/tifftile"
)

// own is what the names of codecs begin with that nobody else has.
const own = "omnizarr."

// Portable reports whether other readers of Zarr v3 know a codec by its name.
// Those for objects and a few old filters have no name there, and those of tiles
// and blocks are for the formats that they come from.
func Portable(name string) bool {
	if strings.HasPrefix(name, own) || name == tifftile.Name || name == n5.Name {
		return false
	}
	id, ok := strings.CutPrefix(name, "numcodecs.")
	return !ok || !slices.Contains([]string{"categorize", "base64", "json2", "msgpack2", "pickle", "vlen-array", "n5_wrapper"}, id)
}
