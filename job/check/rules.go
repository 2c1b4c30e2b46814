package check

import (
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// codecs tells what is wrong with each codec of an array that does not open: the
// error of opening is about the first. It reports whether it has told anything.
func (v *validator) codecs(path string, members []strictjson.Member) bool {
	before := len(v.found.Problems)
	for _, m := range members {
		if m.Name == "codecs" {
			v.list(path, m.Raw, std.Registry(), 0)
		}
	}
	return len(v.found.Problems) > before
}

func (v *validator) list(path string, list json.RawMessage, r *codec.Registry, depth int) {
	if depth > maxDepth {
		return
	}
	// What is no list of codecs is told by the error of opening.
	_ = strictjson.Each(list, func(_ int, entry json.RawMessage) error {
		named, err := strictjson.ParseNamed(entry)
		if err != nil {
			return nil
		}
		before := len(v.found.Problems)
		if named.Name == "sharding_indexed" {
			var config struct {
				Codecs      json.RawMessage `json:"codecs"`
				IndexCodecs json.RawMessage `json:"index_codecs"`
			}
			if json.Unmarshal(named.Configuration, &config) == nil {
				v.list(path, config.Codecs, r, depth+1)
				v.list(path, config.IndexCodecs, r, depth+1)
			}
		}
		_, err = r.Parse(codec.Entry{Name: named.Name, Config: named.Configuration})
		if err != nil && !errors.Is(err, codec.ErrUnknown) && len(v.found.Problems) == before {
			v.problem(path, "codecs", err.Error())
		}
		return nil
	})
}
