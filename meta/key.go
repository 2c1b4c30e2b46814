package meta

import "strings"

// documentName is the key of a node's document, relative to the node.
const documentName = "zarr.json"

// PathOf is the path of the node whose document has the key, "" for the root.
func PathOf(key string) (path string, ok bool) {
	if key == documentName {
		return "", true
	}
	return strings.CutSuffix(key, "/"+documentName)
}
