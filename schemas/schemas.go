// Package schemas holds JSON Schemas of codecs.
//
// The schemas are the .json files beside it, of draft 2020-12. Each describes an
// entry of a codecs list: a name and a configuration. What a schema cannot say,
// such as that a literal has as many bytes as another member says, the codecs
// check themselves when an array is opened.
package schemas

import (
	"embed"
	"path"
)

//go:embed *.json
var files embed.FS

// Text is the schema of a codec, by its name in metadata, as JSON; ok is false
// where there is none.
func Text(codec string) (text []byte, ok bool) {
	text, err := files.ReadFile(path.Base(codec) + ".json")
	return text, err == nil
}
