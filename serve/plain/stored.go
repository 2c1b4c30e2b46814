package plain

import (
	"bytes"
	"encoding/json"
	"path"

	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/meta"
)

// Owners are the names of the documents that say what a node is, in a version of Zarr.
func Owners(version int) []string {
	if version == 2 {
		return []string{arrayName, groupName}
	}
	return []string{documentName}
}

// CheckDocument says what is wrong with a document that somebody wants to store under a key:
// with it nobody could open the node any more, nor what lies below. Other values are any bytes.
func CheckDocument(key string, doc []byte) (err error) {
	switch path.Base(key) {
	case documentName:
		_, err = meta.Parse(doc, meta.Registry{})
	case arrayName:
		_, err = zarr2.ParseArray(doc, nil)
	case groupName:
		_, err = zarr2.ParseGroup(doc, nil)
	case attributesName:
		_, err = zarr2.ParseGroup([]byte(`{"zarr_format":2}`), doc)
	case consolidatedName:
		_, err = zarr2.ParseConsolidated(doc)
	}
	return err
}

// Layout is the part of a document that says what the bytes of chunks mean, "" for one that
// is not of an array.
func Layout(key string, doc []byte) string {
	if path.Base(key) == arrayName {
		m, err := zarr2.ParseArray(doc, nil)
		if err != nil {
			return ""
		}
		if doc, err = m.Marshal(); err != nil {
			return ""
		}
	}
	var d struct {
		Type   string          `json:"node_type"`
		Data   json.RawMessage `json:"data_type"`
		Grid   json.RawMessage `json:"chunk_grid"`
		Keys   json.RawMessage `json:"chunk_key_encoding"`
		Codecs json.RawMessage `json:"codecs"`
	}
	if json.Unmarshal(doc, &d) != nil || d.Type != "array" {
		return ""
	}
	var out bytes.Buffer
	for _, m := range []json.RawMessage{d.Data, d.Grid, d.Keys, d.Codecs} {
		if json.Compact(&out, m) != nil {
			out.Write(m)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
