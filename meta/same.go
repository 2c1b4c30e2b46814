package meta

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Same reports whether two documents say the same: the order of members
// and the consolidated metadata of groups do not count.
func Same(x, y Node) (bool, error) {
	a, err := plain(x)
	if err != nil {
		return false, err
	}
	b, err := plain(y)
	return err == nil && reflect.DeepEqual(a, b), err
}

func plain(n Node) (any, error) {
	text, err := n.Marshal()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(strictjson.QuoteBare(text)))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	delete(doc, "consolidated_metadata")
	if attrs, ok := doc["attributes"].(map[string]any); ok && len(attrs) == 0 {
		delete(doc, "attributes")
	}
	return doc, nil
}
