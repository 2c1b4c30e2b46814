package store

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// RealPath is the absolute path of a local file or folder without symbolic
// links. The last parts of it need not be there.
func RealPath(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return realPath(at, 40)
}

// realPath follows at most a number of links that lead nowhere yet.
func realPath(at string, links int) string {
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if to, err := os.Readlink(at); err == nil && links > 0 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(realPath(filepath.Dir(at), links-1), to)
			}
			return filepath.Join(realPath(to, links-1), rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return filepath.Join(at, rest)
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// PathURL is the URL of an absolute path; of a real path it is the identity of
// what lies there, or will.
func PathURL(abs string) string {
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
