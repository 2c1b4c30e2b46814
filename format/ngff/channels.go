package ngff

import (
	"encoding/json"
	"image/color"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Channel is how a channel is called and shown.
type Channel struct {
	Label string       // may be empty
	Color *color.NRGBA // nil: not said
}

// Channels reads the channels of the attribute "ome" of version 0.5, or of the
// attribute "omero" of version 0.4. They are hints for viewers: what makes no sense
// is passed over, and there may be none.
func Channels(raw json.RawMessage) []Channel {
	type settings struct {
		Channels []struct {
			Label json.RawMessage `json:"label"`
			Color json.RawMessage `json:"color"`
		} `json:"channels"`
	}
	var doc struct {
		settings
		OMERO settings `json:"omero"`
	}
	if json.Unmarshal(raw, &doc) != nil {
		return nil
	}
	list := doc.Channels
	if len(list) == 0 {
		list = doc.OMERO.Channels
	}
	var out []Channel
	for _, c := range list {
		var one Channel
		one.Label, _ = strictjson.String(c.Label)
		text, _ := strictjson.String(c.Color)
		one.Color = parseColor(text)
		out = append(out, one)
	}
	return out
}

// parseColor reads six hexadecimal digits, or eight with an alpha value.
func parseColor(text string) *color.NRGBA {
	if len(text) == 6 {
		text += "ff"
	}
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || len(text) != 8 {
		return nil
	}
	return &color.NRGBA{R: uint8(n >> 24), G: uint8(n >> 16), B: uint8(n >> 8), A: uint8(n)}
}
