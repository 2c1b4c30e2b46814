package locate

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Identity is the identity of the place that a URL names, as store.Identity has
// it, whether or not there is something: nothing is opened or made. It is "" for
// a place that nobody else can have, such as "mem:".
func Identity(rawURL string) string {
	base, stages, err := splitPipeline(rawURL)
	if err != nil {
		return rawURL
	}
	id := identityOfBase(base)
	for _, s := range stages {
		id = store.JoinURL(id, s.path)
	}
	return id
}

func identityOfBase(base string) string {
	if rest, ok := strings.CutPrefix(base, "mem:"); ok {
		name, path, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
		if name == "" {
			return ""
		}
		return mem.Shared(name).Identity(strings.Trim(path, "/"))
	}
	if m := scheme.FindStringSubmatch(base); m == nil && !strings.HasPrefix(base, "file:") {
		return store.PathURL(store.RealPath(base))
	}
	u, err := url.Parse(base)
	if err != nil || strings.ToLower(u.Scheme) != "file" {
		return base
	}
	if u.Path == "" { // file:relative
		u.Path = u.Opaque
	}
	return store.PathURL(store.RealPath(filepath.FromSlash(u.Path)))
}
