package check

import (
	"encoding/json"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/schemas"
)

// codecs checks the codecs of an array's document against their schemas.
func (v *validator) codecs(path string, members []strictjson.Member) {
	var list json.RawMessage
	var t dtype.Type
	for _, m := range members {
		switch m.Name {
		case "codecs":
			list = m.Raw
		case "data_type":
			t, _ = dtype.Parse(m.Raw) // what is wrong with it has been told
		}
	}
	if list != nil {
		v.list(path, list, t, 0)
	}
}

// list checks a codecs list. t is the type of the elements that go in, nil if it
// is not known.
func (v *validator) list(path string, list json.RawMessage, t dtype.Type, depth int) {
	if depth > maxDepth {
		return
	}
	// What is no list of codecs has been told.
	_ = strictjson.Each(list, func(_ int, entry json.RawMessage) error {
		named, err := strictjson.ParseNamed(entry)
		name := named.Name
		if err != nil {
			name = nameOf(entry)
		}
		for _, f := range schemas.Check(name, entry, t) {
			v.problem(path, f.Rule, f.Problem)
		}
		switch name {
		case "transpose":
		case "sharding_indexed":
			var config struct {
				Codecs      json.RawMessage `json:"codecs"`
				IndexCodecs json.RawMessage `json:"index_codecs"`
			}
			if json.Unmarshal(named.Configuration, &config) == nil {
				v.list(path, config.Codecs, t, depth+1)
				v.list(path, config.IndexCodecs, indexType, depth+1)
			}
		default:
			t = nil // it may give other elements
		}
		return nil
	})
}

// indexType is what the index of a shard is made of.
var indexType = dtype.MustParse("uint64")

// nameOf is the name of an entry that is bad in some other way.
func nameOf(entry json.RawMessage) string {
	var e struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(entry, &e) != nil {
		return ""
	}
	return e.Name
}
