// Package schemas holds JSON Schemas of codecs, and checks codecs of metadata
// against them and against what a schema cannot say.
//
// The schemas are the .json files beside it, of draft 2020-12. Each describes an
// entry of a codecs list: a name and a configuration.
package schemas

import (
	"embed"
	"encoding/json"
	"path"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/dtype"
)

//go:embed *.json
var files embed.FS

// compiled are the schemas by the name of their codec.
var compiled = sync.OnceValue(load)

func load() map[string]*Schema {
	out := map[string]*Schema{}
	list, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, f := range list {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		s, err := ParseSchema(text)
		if err != nil {
			panic(f.Name() + ": " + err.Error())
		}
		out[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = s
	}
	return out
}

// Text is the schema of a codec as JSON; ok is false where there is none.
func Text(codec string) (text []byte, ok bool) {
	if compiled()[codec] == nil {
		return nil, false
	}
	text, err := files.ReadFile(codec + ".json")
	return text, err == nil
}

// Finding is something that is wrong with a codec.
type Finding struct {
	Rule    string // "schema:pad" for what the schema says, else the name of a check
	Problem string
}

// Check checks an entry of a codecs list. Codecs without a schema have no
// findings. t is the type of the elements that the codec gets, nil if it is not
// known.
func Check(codec string, entry json.RawMessage, t dtype.Type) []Finding {
	s := compiled()[codec]
	if s == nil {
		return nil
	}
	if err := s.Validate(entry); err != nil {
		return []Finding{{"schema:" + codec, err.Error()}}
	}
	if semantic := checks[codec]; semantic != nil {
		return semantic(entry, t)
	}
	return nil
}
