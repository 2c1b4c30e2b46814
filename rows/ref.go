package rows

import (
	"encoding/json"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Ref is where a cell leads.
type Ref struct {
	File   string `json:"file"`          // as seen from the file of the table: "." is the same
	Path   string `json:"path"`          // in it
	Row    *int   `json:"row,omitempty"` // of a table there
	Text   string `json:"text"`          // for people
	Broken string `json:"broken,omitempty"`
}

// Append appends it as Field.Show spells it.
func (r Ref) Append(dst []byte) []byte {
	raw, err := strictjson.Marshal(map[string]Ref{"$ref": r}, false)
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// ParseRef reads what Append appends; ok is false for anything else.
func ParseRef(cell []byte) (r Ref, ok bool) {
	var held struct {
		Ref *Ref `json:"$ref"`
	}
	if len(cell) < 8 || string(cell[:8]) != `{"$ref":` || json.Unmarshal(cell, &held) != nil || held.Ref == nil {
		return r, false
	}
	return *held.Ref, true
}
