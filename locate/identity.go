package locate

import (
	"net/url"
	"path/filepath"
	"runtime"
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
	if path, ok := localPath(base); ok {
		return store.PathURL(store.RealPath(path))
	}
	if m := scheme.FindStringSubmatch(base); m != nil {
		registered.Lock()
		identify := registered.identify[strings.ToLower(m[1])]
		registered.Unlock()
		if identify != nil {
			return identify(base)
		}
	}
	return base
}

// localPath gives the path on this machine that a URL is, unless it is a pipeline.
func localPath(rawURL string) (string, bool) {
	base, stages, err := splitPipeline(rawURL)
	if err != nil || len(stages) > 0 || base == "" || strings.HasPrefix(base, "mem:") {
		return "", false
	}
	if m := scheme.FindStringSubmatch(base); m == nil && !strings.HasPrefix(base, "file:") {
		return base, true
	}
	u, err := url.Parse(base)
	if err != nil || strings.ToLower(u.Scheme) != "file" {
		return "", false
	}
	if u.Path == "" { // file:relative
		u.Path = u.Opaque
	}
	if runtime.GOOS == "windows" && len(u.Path) > 2 && u.Path[0] == '/' && u.Path[2] == ':' {
		u.Path = u.Path[1:]
	}
	return filepath.FromSlash(u.Path), true
}
