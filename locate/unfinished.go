package locate

import (
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/store"
)

// UnfinishedName is the name of a value that lies in the folder of a hierarchy until
// all of it is there, and counts while that has no document.
const UnfinishedName = ".omnizarr-unfinished"

// Beside gives the names that a folder has beside its place: until it is complete and
// may take the place of another, and what is to be removed once it has done so.
func Beside(name string) (made, old string) {
	return "." + name + ".omnizarr-new", "." + name + ".omnizarr-old"
}

// Unfinished reports whether what a URL names on this machine, or something that it
// leads into, is being made, or was by somebody who did not end.
func Unfinished(rawURL string, formats *format.Registry) bool {
	path, ok := localPath(rawURL)
	return ok && begun(path, formats)
}

func begun(path string, formats *format.Registry) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for up := ""; path != up; up, path = path, filepath.Dir(path) {
		fi, err := os.Stat(path)
		switch {
		case err != nil:
			made, old := Beside(filepath.Base(path))
			dir := filepath.Dir(path)
			if partial.Exists(path) || isFolder(filepath.Join(dir, made)) || isFolder(filepath.Join(dir, old)) {
				return true
			}
		case fi.IsDir() && isFile(filepath.Join(path, UnfinishedName)) && !hasNode(path, formats):
			return true
		}
	}
	return false
}

func isFolder(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}

func isFile(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode().IsRegular()
}

// hasNode reports whether a folder has a document that makes it a node.
func hasNode(dir string, formats *format.Registry) bool {
	for _, f := range formats.All() {
		if f.Folder == nil {
			continue
		}
		for _, name := range f.Folder.Documents.Nodes {
			if isFile(filepath.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// NodeAbove finds the nearest folder above that which a URL names on this machine in
// which a document makes it a node, whether or not the one that is named is there. A
// place elsewhere, in an archive or in a file has none.
func NodeAbove(rawURL string, formats *format.Registry) (path string, ok bool) {
	path, _, ok = Folder(rawURL, formats)
	for ok {
		up := filepath.Dir(path)
		if up == path {
			return "", false
		}
		if path = up; hasNode(path, formats) {
			return path, true
		}
	}
	return "", false
}

// Folder tells where on this machine the folder of a hierarchy lies, or will, that a
// URL names: its path without symbolic links, and that of the hierarchy which it
// leads into by its name, which mostly is the same. Places elsewhere, pipelines,
// files and what is inside files are no folders.
func Folder(rawURL string, formats *format.Registry) (path, top string, ok bool) {
	path, ok = localPath(rawURL)
	if !ok {
		return "", "", false
	}
	if _, _, in := archiveIn(path); in {
		return "", "", false
	}
	if outer, _, _ := fileAbove(path); outer != "" {
		return "", "", false
	}
	real := store.RealPath(path)
	if fi, err := os.Stat(real); err == nil && !fi.IsDir() || filepath.Dir(real) == real {
		return "", "", false
	}
	top, _ = topAbove(real, formats)
	return real, top, true
}
