package landing

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Apart checks that neither a source nor the place of its copy is inside the other,
// whatever links and other names lead there, before anything is made.
func Apart(src zarr.Node, to Place) error {
	into := locate.Identity(to.URL)
	if to.Store != nil {
		into = store.Identity(to.Store, to.Path)
	}
	from := store.Identity(src.Store(), src.Path())
	if into != "" && (store.Overlap(from, into) || sameFolder(from, into) || sameFolder(into, from)) {
		return &zarr.Error{Op: "copy to", URL: to.String(), Err: fmt.Errorf("the source %s is the same place or one is inside the other", src.URL())}
	}
	return nil
}

// sameFolder reports whether a local folder or file is one of those that another path
// leads through, by another name: where upper and lower case are the same, or a
// folder is mounted twice.
func sameFolder(a, b string) bool {
	path, other := filePath(a), filePath(b)
	if path == "" || other == "" {
		return false
	}
	fi, err := os.Stat(path)
	if err != nil {
		return false
	}
	for up := ""; other != up; up, other = other, filepath.Dir(other) {
		if to, err := os.Stat(other); err == nil && os.SameFile(fi, to) {
			return true
		}
	}
	return false
}

// filePath is the path that an identity names on this machine, "" if it is elsewhere.
func filePath(identity string) string {
	u, err := url.Parse(identity)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}
