// Package viewer holds the page that shows hierarchies in a browser: its files,
// as they were built from the sources beside it. Nobody needs Node to use it.
package viewer

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files are the files of the page: index.html, which is the answer to every
// address of a view, and what it asks for below assets, each with the same compressed
// beside it, its name with .gz. Names do not change when content does, so that a server
// sends them with an ETag.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return files
}
